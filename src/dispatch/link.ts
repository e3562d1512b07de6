/** What an `Exchange` stands on: one direction of writing, a clock, somebody to report to, and what is settled for its connection. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { Outgoing } from "../jsonrpc/incoming.ts";
import type { ClientMessageMetadata } from "../transport/session-message.ts";
import type { Clock } from "../base/clock.ts";
import type { DispatcherLimits } from "./limits.ts";
import type { Pauses } from "./pauses.ts";
import type { RawResult, TransportContext } from "./dispatcher.ts";

/** One end of a connection as its {@link Exchange} sees it. */
export interface Link {
  /** What its time limits go by. */
  readonly clock: Clock;
  /** What bounds it, defaults filled in. */
  readonly limits: DispatcherLimits;
  /** Times that no `timeout` of a call counts. Default: there are none. */
  readonly pauses?: Pauses | undefined;
  /** Whether what is not a message is answered (a server must) or only reported (a client). */
  readonly answerMalformed: boolean;
  /** Whether the end of a request that stays open by design is told by `notifications/cancelled` too, after its answer. */
  readonly cancelListens?: boolean | undefined;
  /** Whether arrays of messages are legal right now. */
  readonly acceptsBatches: boolean;
  /** Of the message that is being accepted. */
  readonly context: TransportContext;
  /** Writes a message. @throws ConnectionClosedError, or TypeError for what cannot be serialised */
  send(message: Outgoing, related?: RequestId, metadata?: ClientMessageMetadata): MaybePromise<void>;
  /** Writes a message that nobody waits for: failures are reported, never thrown. */
  tell(message: Outgoing, related?: RequestId): MaybePromise<void>;
  /** Lets go of what carries the messages of that inbound request, where the peer can come back for them. */
  release?(related: RequestId): void;
  /** Turns a result into what crosses this link. @throws TypeError for what cannot be serialised */
  encode(result: JsonObject): RawResult;
  /** Something was dropped or went wrong outside a call. Never throws. */
  report(error: unknown): void;
}
