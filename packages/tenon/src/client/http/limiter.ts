/**
 * Limits how many tasks run at a time; the others wait in order of arrival.
 *
 * Servers and proxies that take few connections would otherwise let some requests starve or fail.
 */
export class Limiter {
  readonly #max: number;
  #running = 0;
  /** A set, so that a task that is withdrawn leaves the line at once. */
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Starts `task` now or when its turn comes. Each task that was started needs a {@link Limiter.release}. */
  enter(task: () => void): void {
    if (this.#running >= this.#max) {
      this.#waiting.add(task);
      return;
    }
    this.#running++;
    task();
  }

  /** Takes a task out of the line. Returns false if it was started already. */
  leave(task: () => void): boolean {
    return this.#waiting.delete(task);
  }

  release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      return next();
    }
    this.#running--;
  }
}
