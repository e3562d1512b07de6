/**
 * Shares work among callers (single flight): eight calls that find their token expired cause one refresh.
 *
 * Each caller may stop waiting. The work is aborted when the last caller has stopped.
 */
import { unlessAborted } from "../../base/abort.ts";

export class SharedWork<T> {
  readonly #running = new Map<string, Flight<T>>();

  /** Returns the outcome of `work`, or of work that runs already under that key. @throws what it throws; `signal.reason` */
  async join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const flight = this.#running.get(key) ?? this.#begin(key, work);
    flight.waiting++;
    try {
      return await unlessAborted(flight.outcome, signal);
    } finally {
      if (--flight.waiting === 0) {
        this.#end(key, flight);
        flight.abort.abort(signal.reason);
      }
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const abort = new AbortController();
    const flight = { outcome: work(abort.signal), abort, waiting: 0 };
    this.#running.set(key, flight);
    const end = (): void => this.#end(key, flight);
    flight.outcome.then(end, end); // the outcome may have no more callers
    return flight;
  }

  /** Removes finished work, so that the next caller starts anew. */
  #end(key: string, flight: Flight<T>): void {
    if (this.#running.get(key) === flight) this.#running.delete(key);
  }
}

interface Flight<T> {
  readonly outcome: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}
