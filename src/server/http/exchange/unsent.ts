/**
 * How much this process holds in memory for clients that have not read it yet.
 *
 * One counter for all endpoints of the process, because they share its memory. What the operating system buffers is not
 * counted: it does not grow with the number of clients. An endpoint compares the counter with its option `maxUnsent`.
 */

/** @internal Bytes of answers, and characters of streams, that wait for clients. */
export class Unsent {
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(size: number): void {
    this.#size += size;
  }

  remove(size: number): void {
    this.#size -= size;
  }
}

/** @internal The one counter of this process. */
export const unsent: Unsent = /* @__PURE__ */ new Unsent();
