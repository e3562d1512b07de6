/** Waits for failed attempts and old connections to be closed, while new ones go on. */
export class CleanUp {
  readonly #report: (error: unknown) => void;
  #work: Promise<void> = Promise.resolve();
  #errors: unknown[] | undefined;

  /** @param report called with what could not be closed, before {@link CleanUp.keepErrors} */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(work: Promise<unknown>): void {
    const done = work.catch((error: unknown) => {
      if (this.#errors === undefined) this.#report(error);
      else this.#errors.push(error);
    });
    const before = this.#work;
    this.#work = done.then(() => before); // keeps no results, because each would hold the one before
  }

  /** Keeps later failures for {@link CleanUp.end} instead of reporting them. */
  keepErrors(): void {
    this.#errors ??= [];
  }

  /** Resolves once everything is closed. */
  async done(): Promise<void> {
    await this.#work;
  }

  /** Resolves once everything is closed. @throws the first failure since {@link CleanUp.keepErrors} */
  async end(): Promise<void> {
    await this.#work;
    if (this.#errors !== undefined && this.#errors.length > 0) throw this.#errors[0];
  }
}
