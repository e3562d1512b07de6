/** Where the platform has no asynchronous context to carry: what `#async-context` is in browsers and workers. */
import type { RunInContext } from "./session-message.ts";

export function captureContext(): RunInContext | undefined {
  return undefined;
}
