/**
 * Text from the peer to messages, for a connection on which nearly everything is one: what tells what is wrong with the
 * others, and takes batches apart, is loaded with the first of them (`parse.ts`).
 */
import { Late } from "../base/late.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { MalformedMessage, type Incoming } from "./incoming.ts";
import type { JsonLimits } from "./json-limits.ts";
import { ErrorCode, McpError } from "./mcp-error.ts";
import { isPlainMessage } from "./message.ts";
import { parseJson } from "./parse-json.ts";

type Parse = (text: string, limits?: Partial<JsonLimits>, fault?: McpError) => Incoming;

/** As `parseMessage`, but a promise until that is loaded. Never fails: what cannot be looked at is an internal error. */
export type ReadMessage = (text: string, limits?: Partial<JsonLimits>, fault?: McpError) => MaybePromise<Incoming>;

export function createReadMessage(load: () => Promise<{ parseMessage: Parse }>): ReadMessage {
  const parse = new Late(load);
  return (text, limits, fault) => {
    try {
      const value = fault === undefined && parseJson(text, limits);
      if (isPlainMessage(value)) return value;
    } catch {
      // What is wrong is found once more, by what can say so.
    }
    const loaded = parse.get();
    if (!isPromise(loaded)) return loaded.parseMessage(text, limits, fault);
    return loaded.then(
      ({ parseMessage }) => parseMessage(text, limits, fault),
      (cause: unknown) => new MalformedMessage(new McpError(ErrorCode.InternalError, "Internal error", undefined, { cause })),
    );
  };
}

export const readMessage: ReadMessage = /* @__PURE__ */ createReadMessage(() => import("./parse.ts"));
