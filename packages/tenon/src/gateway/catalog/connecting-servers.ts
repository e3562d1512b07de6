/**
 * The servers that still connect for a caller, and how long its lists wait for them.
 *
 * A list waits for a server that connects, but not longer than `readyTimeout`; the server joins later.
 */
import { finishesWithin } from "../../base/clock.ts";
import type { Caller } from "../clients/caller.ts";
import type { Settings } from "../settings.ts";
import type { Upstream } from "../servers/upstream.ts";

/** Milliseconds that a list waits for a server whose last list is known, at most. */
const KNOWN_READY_TIMEOUT = 1_500;

export class ConnectingServers {
  readonly #settings: Settings;
  /** When lists began to wait for a server that still connects, by the server and whose lists they are (`Lanes.waitKeyOf`). */
  readonly #connecting = new Map<string, number>();
  /** The servers that the last message about missing ones has named. */
  #toldMissing = "";

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The names of those that still connect for a caller. */
  names(servers: readonly Upstream[], caller: Caller): readonly string[] {
    if (this.#connecting.size === 0) return [];
    const isConnecting = (server: Upstream): boolean => this.#connecting.has(server.lanes.waitKeyOf(caller) ?? "");
    return servers.filter(isConnecting).map(({ name }) => name);
  }

  /** Tells the operator which servers a list lacks, if they are others than the last time. */
  tellMissing(names: readonly string[]): void {
    const told = names.join("\n");
    if (told === this.#toldMissing) return;
    this.#toldMissing = told;
    if (names.length > 0) this.#settings.missing(names);
  }

  /**
   * Waits until a server has connected. All lists of those who have the same credentials wait for it once, so one that never responds slows no
   * list but the first. A server whose last list is known is waited for less.
   */
  async waitFor(server: Upstream, opening: Promise<void>, { caller, isKnown }: { caller: Caller; isKnown: boolean }): Promise<void> {
    const { clock } = this.#settings;
    const readyTimeout = Math.min(this.#settings.readyTimeoutFor(caller.isStdio), isKnown ? KNOWN_READY_TIMEOUT : Infinity);
    const now = clock.now();
    const key = server.lanes.waitKeyOf(caller);
    if (key === undefined) return; // it gets no connection
    const since = this.#connecting.get(key) ?? now;
    if (since < now && since + readyTimeout <= now) return;
    if (!this.#connecting.has(key)) {
      this.#connecting.set(key, now);
      const ended = (): void => void this.#connecting.delete(key);
      opening.then(ended, ended);
    }
    await finishesWithin(clock, since + readyTimeout - now, opening);
  }
}
