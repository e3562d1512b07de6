/** What an `Exchange` stands on: one direction of writing, and what holds for its connection. */
import type { Clock } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Outgoing } from "../jsonrpc/incoming.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { ClientMessageMetadata } from "../transport/session-message.ts";
import type { RawResult, TransportContext } from "./dispatcher.ts";
import type { DispatcherLimits } from "./limits.ts";
import type { Pauses } from "./pauses.ts";

/** What holds for all requests that come in on a connection or at an endpoint. */
export interface ChannelTerms {
  /** The clock of all time limits. */
  readonly clock: Clock;
  /** The limits, defaults filled in. */
  readonly limits: DispatcherLimits;
  /** Turns a result into what is written. @throws TypeError if it cannot be serialised, LimitExceededError if it is too large */
  encode(result: JsonObject): RawResult;
  /** Reports what was dropped or went wrong outside a call. Never throws. */
  report(error: unknown): void;
}

/** One end of a connection as its {@link Exchange} sees it. */
export interface Channel extends ChannelTerms {
  /** Times that no `timeout` of a call counts. Default: there are none. */
  readonly pauses?: Pauses | undefined;
  /** Whether what is not a message is answered (a server must) or only reported (a client). */
  readonly answerMalformed: boolean;
  /** Whether the end of a request that stays open by design is told by `notifications/cancelled` too, after its response. */
  readonly cancelListens?: boolean | undefined;
  /** Whether arrays of messages are legal right now. */
  readonly acceptsBatches: boolean;
  /** Of the message that is being accepted. */
  readonly context: TransportContext;
  /** Writes a message. @throws ConnectionClosedError, or TypeError if it cannot be serialised */
  send(message: Outgoing, related?: RequestId, metadata?: ClientMessageMetadata): MaybePromise<void>;
  /** Writes a message that no caller waits for: failures are reported, never thrown. */
  tell(message: Outgoing, related?: RequestId): MaybePromise<void>;
  /** Closes the stream that carries the messages of that inbound request, if the peer can come back for them. */
  release?(related: RequestId): void;
}
