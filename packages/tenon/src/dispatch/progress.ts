/**
 * Delivers the progress of one call to its callback: in order, one at a time, and the reader never waits for it.
 *
 * If notifications arrive faster than `limits.maxProgressRate`, only the newest is delivered, as often as the rate allows. A callback that is
 * slower than the peer must not block the connection nor fill the memory: what arrives while {@link MAX_WAITING_STEPS} notifications
 * wait replaces the newest waiting one. After the call has settled nothing more is delivered.
 */
import { isPromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Timer } from "../base/clock.ts";
import type { Channel } from "./channel.ts";
import type { Progress, ProgressCallback } from "./dispatcher.ts";
import { TokenBucket } from "../base/bounds/token-bucket.ts";

/** Notifications kept for a callback that is still busy. */
export const MAX_WAITING_STEPS = 64;

export type ProgressChannel = Pick<Channel, "clock" | "report"> & { readonly limits: Pick<Channel["limits"], "maxProgressRate"> };

export class ProgressDelivery {
  readonly #callback: ProgressCallback;
  readonly #channel: ProgressChannel;
  readonly #rate: TokenBucket;
  #last = -Infinity;
  #busy = false;
  #waiting: Progress[] = [];
  /** The newest progress that came too soon after others; it is delivered when the timer fires, or before the result. */
  #held: Progress | undefined;
  #timer: Timer | undefined;

  constructor(callback: ProgressCallback, channel: ProgressChannel) {
    this.#callback = callback;
    this.#channel = channel;
    this.#rate = new TokenBucket(channel.limits.maxProgressRate, channel.clock.now());
  }

  /** False for progress that does not grow, which is dropped. */
  accept(step: Progress): boolean {
    if (!(step.progress > this.#last)) return false;
    this.#last = step.progress;
    this.#pass(step);
    return true;
  }

  /** Delivers the last progress before the result, because the call succeeded. */
  finish(): void {
    if (this.#held !== undefined) this.#enqueue(this.#held);
  }

  /** Drops waiting notifications, because the call settled. */
  stop(): void {
    this.#waiting = [];
    this.#held = undefined;
    this.#channel.clock.clearTimer(this.#timer);
  }

  #pass(step: Progress): void {
    this.#held = undefined;
    if (this.#timer === undefined && this.#rate.take(this.#channel.clock.now())) return this.#enqueue(step);
    this.#held = step;
    this.#timer ??= this.#channel.clock.setTimer(Math.ceil(this.#rate.wait), () => {
      this.#timer = undefined;
      this.#pass(this.#held!);
    });
  }

  #enqueue(step: Progress): void {
    if (!this.#busy) this.#deliver(step);
    else if (this.#waiting.length < MAX_WAITING_STEPS) this.#waiting.push(step);
    else this.#waiting[MAX_WAITING_STEPS - 1] = step;
  }

  #deliver(step: Progress): void {
    try {
      const done = this.#callback(step);
      if (!isPromise(done)) return;
      this.#busy = true;
      done.then(this.#next, (error: unknown) => {
        this.#channel.report(error);
        this.#next();
      });
    } catch (error) {
      this.#channel.report(error);
    }
  }

  readonly #next = (): void => {
    this.#busy = false;
    while (!this.#busy && this.#waiting.length > 0) this.#deliver(this.#waiting.shift()!);
  };
}

/** The progress in the params of a notification; undefined if they are malformed, and then it is ignored. */
export function toProgress(params: JsonObject): Progress | undefined {
  const { progress, total, message } = params;
  if (typeof progress !== "number") return undefined;
  const step: Progress = { progress };
  if (typeof total === "number") step.total = total;
  if (typeof message === "string") step.message = message;
  return step;
}
