/** What is still being closed of attempts and connections that are over, while others go on. */
export class CleanUp {
  readonly #report: (error: unknown) => void;
  #work: Promise<void> = Promise.resolve();
  #errors: unknown[] | undefined;

  /** @param report told of what could not be closed, as long as nobody waits for it */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(work: Promise<unknown>): void {
    const done = work.catch((error: unknown) => {
      if (this.#errors === undefined) this.#report(error);
      else this.#errors.push(error);
    });
    const before = this.#work;
    this.#work = done.then(() => before); // not what they came to: each would hold the one before
  }

  /** From now on failures are kept for {@link CleanUp.end}. */
  keepErrors(): void {
    this.#errors ??= [];
  }

  /** Resolves once nothing is left. */
  async done(): Promise<void> {
    await this.#work;
  }

  /** The same. @throws the first of what could not be closed since {@link CleanUp.keepErrors} */
  async end(): Promise<void> {
    await this.#work;
    if (this.#errors !== undefined && this.#errors.length > 0) throw this.#errors[0];
  }
}
