/** The ids of the tasks that were begun on a connection, so that a connection that drains stays for them and gets their requests. */

/** Most ids. The oldest are forgotten: they are of tasks that have probably ended, and are only no reason to stay any more. */
const MAX_TASKS = 1_000;

export class BegunTasks {
  readonly #ids = new Set<string>();

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size > MAX_TASKS) this.#ids.delete(this.#ids.values().next().value!);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}
