/** Notices that the lists of a server have changed, on every revision, for as long as its connection is open. */
import type { Client } from "../client/client.ts";
import type { Clock } from "../base/clock.ts";
import { Watch } from "../group/connection/watch.ts";
import type { ListName } from "./listing.ts";

/** What a watch needs. */
interface ListWatchHost {
  readonly clock: Clock;
  /** Reads the changed lists again. */
  changed(lists: ReadonlySet<ListName>): Promise<void>;
  report(error: unknown): void;
}

export class ListWatch {
  readonly #host: ListWatchHost;
  readonly #watch: Watch;
  #changed = new Set<ListName>();
  #reading = false;

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
    return this.#watch.close();
  }

  #note(list: ListName): void {
    this.#changed.add(list);
    if (!this.#reading) void this.#read();
  }

  /** Reads until nothing has changed meanwhile, so that a flood of changes makes one read at a time. */
  async #read(): Promise<void> {
    this.#reading = true;
    try {
      while (this.#changed.size > 0) {
        const changed = this.#changed;
        this.#changed = new Set();
        await this.#host.changed(changed);
      }
    } catch (error) {
      this.#host.report(error);
    } finally {
      this.#reading = false;
    }
  }
}
