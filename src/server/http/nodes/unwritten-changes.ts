/**
 * Changes of this node that the log has not taken yet. While the store is away they wait here, in order, so that the clients of other nodes
 * learn of them afterwards. If too many wait, everything counts as changed.
 */
import type { Clock } from "../../../base/clock.ts";
import { randomId } from "../../../base/bytes.ts";
import { OneAtATime } from "../../../base/one-at-a-time.ts";
import type { SharedChange } from "../../../dispatch/acceptor.ts";
import { insist } from "./insist.ts";

/** Batches that wait for the store, before they become one. */
const MAX_WAITING = 100;

/** Changes that are written together. */
export interface ChangeBatch {
  /** A batch that is written twice under one key is there once. */
  readonly key: string;
  readonly changes: readonly SharedChange[];
}

interface WaitingBatch extends ChangeBatch {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface UnwrittenChangesOptions {
  readonly clock: Clock;
  /** Aborts when this node leaves. */
  readonly left: AbortSignal;
  readonly report: (error: unknown) => void;
  /** Writes to the log. */
  readonly write: (batch: ChangeBatch) => Promise<void>;
}

export class UnwrittenChanges {
  readonly #options: UnwrittenChangesOptions;
  #waiting: WaitingBatch[] = [];
  /** Why the store has not taken the first one. */
  #failure: unknown;
  readonly #writing = new OneAtATime(() => this.#writeAll());

  constructor(options: UnwrittenChangesOptions) {
    this.#options = options;
  }

  /**
   * Writes changes after those that wait. Rejects if the store does not take them now: they are written later, and the caller can tell the
   * clients of this node at once.
   */
  add(changes: readonly SharedChange[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure);
      this.#waiting.push({ key: randomId(), changes, resolve, reject });
      // The first one may be on its way.
      if (this.#waiting.length > MAX_WAITING) this.#rejectAfter(1, new Error("Too many changes wait for the store"));
      this.#writing.run();
    });
  }

  /** Replaces the batches from `first` on by one that says that everything changed. */
  #rejectAfter(first: number, error: Error): void {
    for (const { reject } of this.#waiting.splice(first)) reject(error);
    this.#waiting.push({ key: randomId(), changes: [{ kind: "everything" }], resolve: ignore, reject: ignore });
  }

  async #writeAll(): Promise<void> {
    const { clock, left, report, write } = this.#options;
    const onUnavailable = (error: unknown): void => {
      this.#failure = error;
      for (const { reject } of this.#waiting) reject(error);
    };
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      try {
        await insist({ serving: { clock }, left }, () => write(batch), onUnavailable);
        batch.resolve();
      } catch (error) {
        batch.reject(error);
        if (!left.aborted) report(error);
      }
      this.#failure = undefined;
      this.#waiting.shift();
    }
  }
}

function ignore(): void {}
