/** What both ways of listening need of the session, and of the signal of whoever listens. */
import { onAbort } from "../../base/abort-listeners.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import type { Clock } from "../../dispatch/clock.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import type { ChangeStream } from "./changes.ts";
import type { Inbox } from "../inbox.ts";
import type { Watches } from "./watches.ts";

/** What listening needs of the session. */
export interface Listening {
  readonly inbox: Inbox;
  readonly watches: Watches;
  /** The id of a request that opens a stream, unique on this connection. */
  nextStreamId(): RequestId;
  /** Aborts when the connection has ended. */
  readonly ended: AbortSignal;
  /** Milliseconds a server has to say that it watches. */
  readonly timeout: number;
  /** When this side last held requests up. */
  readonly heldUntil: (() => number) | undefined;
  readonly clock: Clock;
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
}

/** Ends a stream with the reason when its signal aborts. Returns how to stop waiting for that. */
export function endOnAbort(signal: AbortSignal | undefined, stream: () => ChangeStream): () => void {
  if (signal === undefined) return () => undefined;
  return onAbort(signal, () => {
    stream().end(signal.reason);
    void stream().close();
  });
}
