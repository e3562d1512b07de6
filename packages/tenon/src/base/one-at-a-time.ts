/** Work that is asked for again and again, and runs once at a time: a call during a run causes exactly one more run after it. */
export class OneAtATime {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #again = false;

  /** @param work must not reject */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Runs the work, or runs it once more after the present run. */
  run(): void {
    this.#again = true;
    this.#running ??= this.#runAll();
  }

  async whenDone(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#work();
    }
    this.#running = undefined;
  }
}
