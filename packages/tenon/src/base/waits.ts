/**
 * The waits between attempts: the first, then twice as long each time, up to the longest.
 *
 * A random part is taken off each wait, so that many programs that lost the same server do not all come back at the same moment. It is taken
 * off and never added: no wait is longer than `longest`.
 */

export interface WaitsOptions {
  /** The first wait, in milliseconds. */
  readonly first: number;
  /** The longest wait, in milliseconds. */
  readonly longest: number;
  /** The part of each wait that is random: 0 for none, 1 for a wait between 0 and its full length. Default 0.2. */
  readonly jitter?: number;
}

/** Doublings after which a wait has more milliseconds than a timer can hold. */
const MAX_DOUBLINGS = 31;

export class Waits {
  readonly #options: WaitsOptions;
  #count = 0;

  constructor(options: WaitsOptions) {
    this.#options = options;
  }

  /** How many waits there were since the last reset. */
  get count(): number {
    return this.#count;
  }

  /** The milliseconds of the next wait. */
  next(): number {
    const { first, longest, jitter = 0.2 } = this.#options;
    const full = Math.min(first * 2 ** Math.min(this.#count, MAX_DOUBLINGS), longest);
    this.#count++;
    return full * (1 - jitter * Math.random());
  }

  /** Begins with the first wait again. Call it after a success. */
  reset(): void {
    this.#count = 0;
  }
}

export function waits(options: WaitsOptions): Waits {
  return new Waits(options);
}
