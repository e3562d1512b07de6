/** The asynchronous context of Node, which Bun and Deno have too: what `#async-context` is there. */
import { AsyncResource } from "node:async_hooks";
import type { RunInContext } from "../transport/session-message.ts";

/** Runs functions in the context of this moment: every `AsyncLocalStorage` then holds what it holds now. */
export function captureContext(): RunInContext {
  // `AsyncLocalStorage.snapshot()` is the same, from Node 20.5 on.
  const here = new AsyncResource("tenon.message");
  return (fn) => here.runInAsyncScope(fn);
}
