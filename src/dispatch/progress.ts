/**
 * Hands the progress of one call to its callback: in order, never two at a time, never waited for by the reader.
 *
 * A peer faster than anybody can look (`limits.maxProgressRate`) is heard with its newest step only, as often as the rate
 * allows. A callback slower than the peer must not hold up the connection nor fill the memory: what arrives while
 * {@link MAX_WAITING} steps wait replaces the newest waiting one. Once the call has settled nothing more is delivered.
 */
import { isPromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Progress, ProgressCallback } from "./dispatcher.ts";
import { TokenBucket } from "../base/token-bucket.ts";

/** Steps kept for a callback that is still busy. */
export const MAX_WAITING = 64;

/** What the delivery needs of the connection. */
export interface ProgressOwner {
  readonly clock: Clock;
  readonly limits: { readonly maxProgressRate: number };
  report(error: unknown): void;
}

export class ProgressDelivery {
  readonly #callback: ProgressCallback;
  readonly #owner: ProgressOwner;
  readonly #rate: TokenBucket;
  #last = -Infinity;
  #busy = false;
  #waiting: Progress[] = [];
  /** The newest step that came too soon after others; it has its turn when the timer fires, or with the result. */
  #held: Progress | undefined;
  #timer: Timer | undefined;

  constructor(callback: ProgressCallback, owner: ProgressOwner) {
    this.#callback = callback;
    this.#owner = owner;
    this.#rate = new TokenBucket(owner.limits.maxProgressRate, owner.clock.now());
  }

  /** False for a step that does not go forward, which is dropped. */
  accept(step: Progress): boolean {
    if (!(step.progress > this.#last)) return false;
    this.#last = step.progress;
    this.#pass(step);
    return true;
  }

  /** The call succeeded: how far it came is told before its result. */
  finish(): void {
    if (this.#held !== undefined) this.#enqueue(this.#held);
  }

  /** The call settled: steps that still wait are dropped. */
  stop(): void {
    this.#waiting = [];
    this.#held = undefined;
    this.#owner.clock.clearTimer(this.#timer);
  }

  #pass(step: Progress): void {
    this.#held = undefined;
    if (this.#timer === undefined && this.#rate.take(this.#owner.clock.now())) return this.#enqueue(step);
    this.#held = step;
    this.#timer ??= this.#owner.clock.setTimer(Math.ceil(this.#rate.wait), () => {
      this.#timer = undefined;
      this.#pass(this.#held!);
    });
  }

  #enqueue(step: Progress): void {
    if (!this.#busy) this.#deliver(step);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(step);
    else this.#waiting[MAX_WAITING - 1] = step;
  }

  #deliver(step: Progress): void {
    try {
      const done = this.#callback(step);
      if (!isPromise(done)) return;
      this.#busy = true;
      done.then(this.#next, (error: unknown) => {
        this.#owner.report(error);
        this.#next();
      });
    } catch (error) {
      this.#owner.report(error);
    }
  }

  readonly #next = (): void => {
    this.#busy = false;
    while (!this.#busy && this.#waiting.length > 0) this.#deliver(this.#waiting.shift()!);
  };
}

/** The step in the params of a progress notification; undefined where it is malformed (ignored, G6). */
export function toProgress(params: JsonObject): Progress | undefined {
  const { progress, total, message } = params;
  if (typeof progress !== "number") return undefined;
  const step: Progress = { progress };
  if (typeof total === "number") step.total = total;
  if (typeof message === "string") step.message = message;
  return step;
}
