/**
 * Lists again what has changed: one refresh at a time, and changes that arrive meanwhile together in the next.
 *
 * So nothing older is ever put over something newer. A server that changes all the time is asked less and less often.
 */
import { sleep } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";

import type { ListCapability } from "./watch.ts";

/** Milliseconds between a refresh and the next, when it is due at once; twice as many each time. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 30_000;
/** Times a refresh that failed is made again without another change. */
const MAX_FAILURES = 3;

export class Refresher {
  readonly #clock: Clock;
  readonly #refresh: (changed: ReadonlySet<ListCapability>) => Promise<boolean>;
  readonly #ended: AbortSignal;
  #changed = new Set<ListCapability>();
  #running = false;

  /** @param refresh resolves with whether it makes sense to try once more; never rejects */
  constructor(clock: Clock, refresh: (changed: ReadonlySet<ListCapability>) => Promise<boolean>, ended: AbortSignal) {
    this.#clock = clock;
    this.#refresh = refresh;
    this.#ended = ended;
  }

  changed(list: ListCapability): void {
    this.#changed.add(list);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      let failures = 0;
      for (let pause = FIRST_PAUSE; this.#changed.size > 0 && !this.#ended.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
        const lists = this.#changed;
        this.#changed = new Set();
        const again = await this.#refresh(lists);
        failures = again ? failures + 1 : 0;
        if (again && failures <= MAX_FAILURES) for (const list of lists) this.#changed.add(list);
        if (this.#changed.size > 0) await sleep(this.#clock, pause, this.#ended);
      }
    } catch {
      // The connection has ended: what changes now is of no interest.
    } finally {
      this.#running = false;
    }
  }
}
