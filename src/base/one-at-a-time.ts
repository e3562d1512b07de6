/** Work that is asked for again and again, and runs once at a time: a call during a run causes exactly one more run after it. */
export class OneAtATime {
  readonly #work: () => Promise<void>;
  #running = false;
  #again = false;

  /** @param work must not reject */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Runs the work, or runs it once more after the present run. */
  run(): void {
    this.#again = true;
    if (!this.#running) void this.#runAll();
  }

  async #runAll(): Promise<void> {
    this.#running = true;
    while (this.#again) {
      this.#again = false;
      await this.#work();
    }
    this.#running = false;
  }
}
