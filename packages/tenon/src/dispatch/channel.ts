/** What an `Exchange` writes to, and the settings of its connection. */
import type { Clock } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Outgoing } from "../jsonrpc/incoming.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { ClientMessageMetadata } from "../transport/session-message.ts";
import type { RawResult, TransportContext } from "./dispatcher.ts";
import type { DispatcherLimits } from "./limits.ts";
import type { Pauses } from "./pauses.ts";

/** Settings for all inbound requests of a connection or of an endpoint. */
export interface ChannelTerms {
  readonly clock: Clock;
  readonly limits: DispatcherLimits;
  /** Encodes a result for writing. @throws TypeError if it cannot be serialised, LimitExceededError if it is too large */
  encode(result: JsonObject): RawResult;
  /** Reports a dropped message or an error outside a call. Never throws. */
  report(error: unknown): void;
}

/** One end of a connection as its {@link Exchange} sees it. */
export interface Channel extends ChannelTerms {
  /** Times that no `timeout` of a call counts. Default: none. */
  readonly pauses?: Pauses | undefined;
  /** Whether a malformed message gets an error response (a server must send one) or is only reported (a client). */
  readonly respondToMalformed: boolean;
  /** Whether the end of a request that stays open by design is also sent as `notifications/cancelled`, after its response. */
  readonly cancelListens?: boolean | undefined;
  /** Whether arrays of messages are allowed right now. */
  readonly acceptsBatches: boolean;
  /** The transport's context of the message that is being accepted. */
  readonly context: TransportContext;
  /** The id of the next request, if other processes may receive the response. Default: counted from 1. */
  nextId?(): number;
  /** Writes a message. @throws ConnectionClosedError, or TypeError if it cannot be serialised */
  send(message: Outgoing, related?: RequestId, metadata?: ClientMessageMetadata): MaybePromise<void>;
  /** Writes a message that no caller waits for: failures are reported, never thrown. */
  sendQuietly(message: Outgoing, related?: RequestId): MaybePromise<void>;
  /** Writes now what waits. Present if the peer may read several messages at once: then responses that follow progress are held. */
  readonly writeNow?: (() => void) | undefined;
  /** What arrived in the last `ms` milliseconds and could not be read: see {@link Transport.unread}. */
  unread?(ms: number): string | undefined;
  /** Closes the stream that carries the messages of that inbound request, if the peer can come back for them. */
  release?(related: RequestId): void;
}
