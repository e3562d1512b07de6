/**
 * One outbound request that waits for its response: the only record of it.
 *
 * It settles exactly once, by a response, a deadline, the caller's abort or the end of the connection; settling removes every
 * listener and deadline. Both dispatchers use it.
 */
import { addAbortListener, removeAbortListener, type Abortable, type AbortListener } from "../base/abort.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import { RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import type { Channel } from "./channel.ts";
import type { Expiring } from "./deadlines.ts";
import { assertDuration } from "../base/number-options.ts";
import type { OutboundCall, Progress, RequestOptions } from "./dispatcher.ts";
import { ProgressDelivery } from "./progress.ts";

/** Milliseconds by which two clocks may differ that measure the time of a call. */
const SLACK = 100;

/** What a pending call needs from its dispatcher. */
export interface PendingOwner {
  readonly channel: Pick<Channel, "clock" | "limits" | "pauses" | "report" | "unread">;
  /** Records that the deadline of a pending call was set. */
  watch(deadline: number): void;
  /** Removes a call that settled. */
  forget(pending: Pending): void;
  /** Tells the peer that the caller cancelled a request that was sent. */
  abandon(pending: Pending, reason: string): void;
}

export class Pending implements Expiring, AbortListener {
  readonly id: RequestId;
  readonly method: string;
  /** The inbound request that it was made for: later messages about it use the same channel. */
  readonly related: RequestId | undefined;
  readonly promise: Promise<JsonObject>;
  deadline: number = Infinity;
  readonly #owner: PendingOwner;
  readonly #options: RequestOptions;
  readonly #abort: Abortable | undefined;
  readonly #timeout: number;
  #resolve!: (result: JsonObject) => void;
  #reject!: (reason: unknown) => void;
  #began = 0;
  #total = Infinity;
  #hardDeadline = Infinity;
  #progress: ProgressDelivery | undefined;
  #sent = false;
  /** Why the caller cancelled while the request was still being written. */
  #givenUp: string | undefined;
  #settled = false;

  /** @throws RangeError if a time option is negative or not a number */
  constructor(owner: PendingOwner, id: RequestId, { method, options, related }: OutboundCall) {
    this.#owner = owner;
    this.id = id;
    this.related = related;
    this.method = method;
    this.#options = options;
    this.#abort = abortOf(options);
    this.#timeout = options.timeout === undefined ? owner.channel.limits.timeout : assertDuration("timeout", options.timeout);
    if (options.maxTotalTimeout !== undefined) assertDuration("maxTotalTimeout", options.maxTotalTimeout);
    if (options.onProgress !== undefined) this.#progress = new ProgressDelivery(options.onProgress, owner.channel);
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (this.#abort) addAbortListener(this.#abort, this);
  }

  /** Whether an error response that names no call may belong to this one. */
  get takesErrorWithoutId(): boolean {
    return this.#options.takesErrorWithoutId === true;
  }

  /** Settles the call because the peer ended it, if it stays open by design. */
  cancelledByPeer(): void {
    const { resultOfCancel } = this.#options;
    if (resultOfCancel !== undefined) this.resolve(resultOfCancel);
  }

  /**
   * Records that the request waits to be written. Time counts already, because a peer that reads nothing must not make the caller
   * wait for ever.
   */
  writing(): void {
    if (!this.#settled) this.#startTime();
  }

  /** Records that the request was written: from now on the peer can be notified, and the timeout starts again. */
  sent(): void {
    this.#sent = true;
    if (this.#givenUp !== undefined) this.#tellPeer(this.#givenUp);
    if (!this.#settled) this.#startTime();
  }

  #startTime(): void {
    const now = this.#owner.channel.clock.now();
    this.#began = now;
    this.#total = this.#options.maxTotalTimeout ?? Math.max(this.#owner.channel.limits.maxTotalTimeout, this.#timeout);
    this.#hardDeadline = now + this.#total;
    this.deadline = Math.min(now + this.#timeout, this.#hardDeadline);
    if (this.deadline !== Infinity) this.#owner.watch(this.deadline);
  }

  /** Takes a progress notification for this call. One whose value does not grow is dropped. */
  progressed(step: Progress): void {
    if (this.#settled || !this.#progress?.accept(step)) return;
    if (this.deadline !== Infinity && this.#options.resetTimeoutOnProgress !== false) {
      this.deadline = Math.min(this.#owner.channel.clock.now() + this.#timeout, this.#hardDeadline);
    }
  }

  resolve(result: JsonObject): void {
    if (!this.#settled) this.#progress?.finish();
    if (this.#settle()) this.#resolve(result);
  }

  reject(reason: unknown): void {
    if (this.#settle()) this.#reject(reason);
  }

  expire(): void {
    const { pausedUntil = -Infinity } = this.#owner.channel.pauses ?? {};
    const later = Math.min(pausedUntil + this.#timeout, this.#hardDeadline);
    if (later > this.deadline) {
      this.deadline = later;
      return this.#owner.watch(later);
    }
    const atHardLimit = this.deadline === this.#hardDeadline && this.#total !== this.#timeout;
    const [ms, option] = atHardLimit ? [this.#total, "maxTotalTimeout"] : [this.#timeout, "timeout"];
    const error = new RequestTimeoutError(this.method, ms, option);
    const reason = error.message;
    const unread = this.#owner.channel.unread?.(this.#owner.channel.clock.now() - this.#began + SLACK);
    if (unread !== undefined) error.message += `; ${unread}`;
    this.#giveUp(error, reason);
  }

  /** Handles the abort of the caller's signal. (The record is its own listener: no closure per call.) */
  handleEvent(): void {
    const reason: unknown = this.#abort?.reason;
    this.#giveUp(reason, reason instanceof Error ? reason.message : typeof reason === "string" ? reason : "The caller gave up");
  }

  #giveUp(error: unknown, reason: string): void {
    if (!this.#settle()) return;
    if (this.#sent) this.#tellPeer(reason);
    else this.#givenUp = reason;
    this.#reject(error);
  }

  #tellPeer(reason: string): void {
    if (this.#options.cancelOnAbandon ?? !isResumable(this.#options)) this.#owner.abandon(this, reason);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    if (this.#abort) removeAbortListener(this.#abort, this);
    this.#progress?.stop();
    this.#owner.forget(this);
    return true;
  }
}

export function abortOf({ abort, signal }: RequestOptions): Abortable | undefined {
  return abort ?? signal;
}

/** Whether a later call can resume this one after it was cancelled. */
export function isResumable({ metadata }: RequestOptions): boolean {
  return (metadata?.resumptionToken ?? metadata?.onResumptionToken) !== undefined;
}
