/**
 * Handlers that wait in memory for their client to return, each under the state of its last round.
 *
 * Only an optimisation: a handler that is not in memory runs again from the journal. So it keeps few, and for a short time.
 */
import { type Clock, type Timer, unref } from "../../../base/clock.ts";
import { Shares } from "../../../base/bounds/shares.ts";
import type { RequestContext } from "../../request-context.ts";
import type { JournalRecord } from "../questions/journal.ts";
import type { ReplayQuestionChannel } from "./replay-question-channel.ts";
import type { RequestStateSettings } from "../options.ts";

export interface SuspendedHandler {
  readonly channel: ReplayQuestionChannel;
  readonly record: JournalRecord;
  /** The last request of its call. */
  readonly context: RequestContext;
  /** Data that the state is bound to. */
  readonly binding: string;
  /** What a round of another node must have; undefined if none can come. */
  readonly mark: string | undefined;
  /** Whose share it counts against. */
  readonly share: string | undefined;
}

/** The longest wait of a handler, in milliseconds, if its state is valid for that long. */
const MAX_WAIT = 60_000;

export class SuspendedHandlers {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #wait: number;
  /** Oldest first. */
  readonly #handlers = new Map<string, SuspendedHandler & { readonly until: number }>();
  readonly #shares = new Shares();
  #timer: Timer | undefined;

  constructor(clock: Clock, { maxSuspended: max, ttl }: RequestStateSettings) {
    this.#clock = clock;
    this.#max = max;
    this.#wait = Math.min(ttl, MAX_WAIT);
  }

  add(state: string, handler: SuspendedHandler): void {
    const { share } = handler;
    this.#handlers.set(state, { ...handler, until: this.#clock.now() + this.#wait });
    this.#shares.add(share);
    if (this.#shares.of(share) > Math.ceil(this.#max / 2)) this.#dropOldest((other) => other.share === share);
    if (this.#handlers.size > this.#max) this.#dropOldest(() => true);
    if (this.#timer === undefined && this.#handlers.size > 0) this.#arm(this.#wait);
  }

  /** Removes and returns the handler that waits for that state; undefined if there is none, or the request is not one of its call. */
  take(state: string, isOfCall: (handler: SuspendedHandler) => boolean): SuspendedHandler | undefined {
    const found = this.#handlers.get(state);
    if (found === undefined || !isOfCall(found)) return undefined;
    this.#forget(state, found);
    return found;
  }

  #dropOldest(isMeant: (handler: SuspendedHandler) => boolean): void {
    for (const [state, handler] of this.#handlers) if (isMeant(handler)) return this.#drop(state);
  }

  #forget(state: string, { share }: SuspendedHandler): void {
    this.#handlers.delete(state);
    this.#shares.remove(share);
  }

  close(): void {
    for (const state of this.#handlers.keys()) this.#drop(state);
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  #drop(state: string): void {
    const handler = this.#handlers.get(state);
    if (handler === undefined) return;
    this.#forget(state, handler);
    handler.channel.drop();
  }

  #arm(ms: number): void {
    this.#timer = this.#clock.setTimer(ms, () => this.#sweep());
    // A waiting handler must not keep the process alive.
    unref(this.#timer);
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const [state, { until }] of this.#handlers) {
      if (until > now) return this.#arm(until - now);
      this.#drop(state);
    }
  }
}
