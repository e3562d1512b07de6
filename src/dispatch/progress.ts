/**
 * Hands the progress of one call to its callback: in order, never two at a time, never waited for by the reader.
 *
 * A callback slower than the peer must not hold up the connection nor fill the memory: what arrives while
 * {@link MAX_WAITING} steps wait replaces the newest waiting one. Once the call has settled nothing more is delivered.
 */
import { isPromise } from "../jsonrpc/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Progress, ProgressCallback } from "./dispatcher.ts";

/** Steps kept for a callback that is still busy. */
export const MAX_WAITING = 64;

export class ProgressDelivery {
  readonly #callback: ProgressCallback;
  readonly #owner: { report(error: unknown): void };
  #last = -Infinity;
  #busy = false;
  #waiting: Progress[] = [];

  constructor(callback: ProgressCallback, owner: { report(error: unknown): void }) {
    this.#callback = callback;
    this.#owner = owner;
  }

  /** False for a step that does not go forward, which is dropped. */
  accept(step: Progress): boolean {
    if (!(step.progress > this.#last)) return false;
    this.#last = step.progress;
    if (!this.#busy) this.#deliver(step);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(step);
    else this.#waiting[MAX_WAITING - 1] = step;
    return true;
  }

  /** The call settled: steps that still wait are dropped. */
  stop(): void {
    this.#waiting = [];
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
