/** What both ways of listening need of the session. */
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import type { Clock } from "../../base/clock.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
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
