/**
 * Removes messages whose time is over. One process at a time does that now and then, while it stores; they count as removed before.
 *
 * A sweep reads the headers of all last messages, so the pause after it grows with the time that it took. A stream that is full is swept at
 * once, and by each process that it refuses: the claim by which they would take turns needs room itself.
 */
import { randomId } from "../../base/bytes.ts";
import { engineKey, type KeyedEngine } from "../keyed-engine.ts";
import type { NatsStream } from "./stream.ts";

/** Milliseconds between two sweeps at least, and how often the time of the last sweep. */
const [SWEEP_INTERVAL, PAUSE_FACTOR] = [60_000, 20];
/** Messages that are looked at before the next ones are asked for. */
const AT_ONCE = 500;
/** Milliseconds between two sweeps of a full stream at least. */
const FULL_INTERVAL = 1_000;

export class Sweeper {
  readonly #streams: readonly NatsStream[];
  readonly #engine: KeyedEngine;
  readonly #onError: (error: unknown) => void;
  readonly #name = randomId();
  #nextAt = performance.now() + SWEEP_INTERVAL;
  /** When a full stream may be swept again. */
  #roomAt = 0;

  constructor(streams: readonly NatsStream[], engine: KeyedEngine, onError: (error: unknown) => void) {
    this.#streams = streams;
    this.#engine = engine;
    this.#onError = onError;
  }

  sweepSometimes(): void {
    if (performance.now() < this.#nextAt) return;
    this.#nextAt = Infinity;
    this.#sweepInTurn().catch(this.#onError);
  }

  /** A stream has refused a message because it is full. */
  makeRoom(): void {
    const began = performance.now();
    if (began < this.#roomAt) return;
    this.#roomAt = Infinity;
    const sweeping = this.sweep().catch(this.#onError);
    void sweeping.finally(() => (this.#roomAt = pauseAfter(began, FULL_INTERVAL, 1)));
  }

  async #sweepInTurn(): Promise<void> {
    const began = performance.now();
    try {
      const turn = await engineKey("lock", "sweeper");
      if (await this.#engine.claim(turn, this.#name, SWEEP_INTERVAL)) await this.sweep();
    } finally {
      this.#nextAt = pauseAfter(began, SWEEP_INTERVAL, PAUSE_FACTOR);
    }
  }

  /** Removes what is over now. A message that was replaced meanwhile stays. */
  async sweep(): Promise<void> {
    for (const stream of this.#streams) {
      for await (const messages of stream.scan(AT_ONCE)) {
        for (const message of messages) if (await stream.isOver(message)) await stream.purge(message.subject, message.seq + 1);
      }
    }
  }
}

/** The end of the pause after a sweep that began then and ends now. */
function pauseAfter(began: number, least: number, factor: number): number {
  const now = performance.now();
  return now + Math.max(least, (now - began) * factor);
}
