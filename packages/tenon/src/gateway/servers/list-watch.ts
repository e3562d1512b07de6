/** Notices that the lists of a server have changed, on every revision, for as long as its connection is open. */
import type { Client } from "../../client/client.ts";
import { unref, type Clock, type Timer } from "../../base/clock.ts";
import { Watch } from "../../group/connection/watch.ts";
import type { ListName } from "../catalog/listing.ts";

/** What a watch needs. */
interface ListWatchHost {
  readonly clock: Clock;
  /** Reads the changed lists again. */
  changed(lists: ReadonlySet<ListName>): Promise<void>;
  report(error: unknown): void;
}

/** Fewest milliseconds between the end of a read and the next one. */
const MIN_REST = 50;

export class ListWatch {
  readonly #host: ListWatchHost;
  readonly #watch: Watch;
  #changed = new Set<ListName>();
  /** Reads, or rests after a read. */
  #isBusy = false;
  #isClosed = false;
  #rest: Timer;

  constructor(client: Client, host: ListWatchHost) {
    this.#host = host;
    this.#watch = new Watch((filter) => client.listen(filter), {
      capabilities: client.serverCapabilities,
      clock: host.clock,
      events: {
        onChange: (list) => this.#note(list),
        onLost: (error) => host.report(error),
        onRefused: (error) => host.report(error),
      },
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#host.clock.clearTimer(this.#rest);
    return this.#watch.close();
  }

  #note(list: ListName): void {
    this.#changed.add(list);
    if (!this.#isBusy) void this.#read();
  }

  /**
   * Reads at once, then rests for as long as the read took, so that a server that announces changes without end takes half of the time
   * of its gateway at most. Changes that come meanwhile make one more read.
   */
  async #read(): Promise<void> {
    const { clock } = this.#host;
    this.#isBusy = true;
    const changed = this.#changed;
    this.#changed = new Set();
    const begin = clock.now();
    await this.#host.changed(changed).catch((error: unknown) => this.#host.report(error));
    if (this.#isClosed) return;
    this.#rest = clock.setTimer(Math.max(MIN_REST, clock.now() - begin), () => this.#endRest());
    unref(this.#rest);
  }

  #endRest(): void {
    this.#isBusy = false;
    if (this.#changed.size > 0) void this.#read();
  }
}
