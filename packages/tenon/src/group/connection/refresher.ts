/**
 * Lists again what has changed. One refresh runs at a time; changes that arrive meanwhile are handled together by the next.
 *
 * So an older list never replaces a newer one. The pauses grow for a server that changes all the time.
 */
import { sleep } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { waits, type WaitsOptions } from "../../base/waits.ts";
import type { ListCapability } from "./watch.ts";

/** The pauses between a refresh and the next one. */
const PAUSES: WaitsOptions = { first: 100, longest: 30_000 };
/** Times a failed refresh is repeated without another change. */
const MAX_FAILURES = 3;

export class Refresher {
  readonly #clock: Clock;
  readonly #refresh: (changed: ReadonlySet<ListCapability>) => Promise<boolean>;
  readonly #ended: AbortSignal;
  #changed = new Set<ListCapability>();
  #running = false;

  /** @param refresh resolves with whether to try again; never rejects */
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
      const pauses = waits(PAUSES);
      let failures = 0;
      while (this.#changed.size > 0 && !this.#ended.aborted) {
        const lists = this.#changed;
        this.#changed = new Set();
        const again = await this.#refresh(lists);
        failures = again ? failures + 1 : 0;
        if (again && failures <= MAX_FAILURES) for (const list of lists) this.#changed.add(list);
        if (this.#changed.size > 0) await sleep(this.#clock, pauses.next(), this.#ended);
      }
    } catch {
      // The connection has ended.
    } finally {
      this.#running = false;
    }
  }
}
