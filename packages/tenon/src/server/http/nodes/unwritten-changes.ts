/**
 * Changes of this node that the log has not taken yet. While the store is away they wait here, in order, so that all clients learn of each
 * once, when the store is back. If too many wait, everything counts as changed.
 */
import type { Clock } from "../../../base/clock.ts";
import { randomId } from "../../../base/bytes.ts";
import { OneAtATime } from "../../../base/one-at-a-time.ts";
import type { SharedChange } from "../../../dispatch/acceptor.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** Batches that wait for the store, before they become one. */
const MAX_WAITING = 100;

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
  readonly left: AbortSignal;
  readonly report: (error: unknown) => void;
  readonly write: (batch: ChangeBatch) => Promise<void>;
}

export class UnwrittenChanges {
  readonly #options: UnwrittenChangesOptions;
  #waiting: WaitingBatch[] = [];
  readonly #writing = new OneAtATime(() => this.#writeAll());

  constructor(options: UnwrittenChangesOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the changes are written, after those that wait. Rejects if they never will be, because this node leaves or the store
   * refuses them.
   */
  add(changes: readonly SharedChange[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key: randomId(), changes, resolve, reject });
      // The first one may be on its way.
      if (this.#waiting.length > MAX_WAITING) this.#joinAfter(1);
      this.#writing.run();
    });
  }

  /** Replaces the batches from `first` on by one that says that everything changed. */
  #joinAfter(first: number): void {
    const joined = this.#waiting.splice(first);
    const resolve = (): void => joined.forEach((batch) => batch.resolve());
    const reject = (error: unknown): void => joined.forEach((batch) => batch.reject(error));
    this.#waiting.push({ key: randomId(), changes: [{ kind: "everything" }], resolve, reject });
  }

  async #writeAll(): Promise<void> {
    const { clock, left, report, write } = this.#options;
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      const current = batch;
      try {
        await retryWhileUnavailable({ serving: { clock }, left }, () => write(current));
        batch.resolve();
      } catch (error) {
        batch.reject(error);
        if (!left.aborted) report(error);
      }
      this.#waiting.shift();
    }
  }
}
