/**
 * One connection to a server of the group: its session, what the server listed on it, and why it is lost.
 *
 * Opening it is one step with one time limit: connect, watch for changes, list everything. If one part fails, everything is
 * closed.
 */
import { finishesWithin, type Clock } from "../../base/clock.ts";
import { unlessAborted } from "../../base/abort.ts";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import type { Listing } from "../catalog/components.ts";
import { Health } from "./health.ts";
import { Lister, type ListerOptions } from "./lister.ts";
import { Refresher } from "./refresher.ts";
import { listenerOf, type GroupSession, type Listen } from "../group-session.ts";
import { Watch, type ListCapability, type WatchEvents } from "./watch.ts";

export interface GroupConnectionOptions extends ListerOptions {
  readonly clock: Clock;
  /** Whether the session is closed with the connection. */
  readonly owned: boolean;
  /** Lists again. Resolves with whether to try again; never rejects. */
  readonly refresh: (connection: GroupConnection, changed: ReadonlySet<ListCapability>) => Promise<boolean>;
}

/** Milliseconds to wait for the server's watch before its lists are requested. */
const WATCH_TIMEOUT = 1_000;

export class GroupConnection {
  readonly session: GroupSession;
  readonly listen: Listen;
  /** Resolves with the reason once the connection is lost. */
  readonly lost: Promise<unknown>;
  readonly health: Health;
  /** The last listing that was accepted. */
  listing: Listing | undefined;
  readonly #clock: Clock;
  readonly #owned: boolean;
  readonly #lister: Lister;
  readonly #refresher: Refresher;
  readonly #watch: Watch;
  readonly #ended = new AbortController();
  #lose!: (reason: unknown) => void;
  /** Changes before the first listing, which may lack them. */
  #early: Set<ListCapability> | undefined = new Set();

  constructor(session: GroupSession, options: GroupConnectionOptions) {
    const { clock, owned, refresh, report } = options;
    this.session = session;
    this.listen = listenerOf(session);
    this.health = new Health(clock);
    this.#clock = clock;
    this.#owned = owned;
    this.#lister = new Lister(session, options);
    this.lost = new Promise((resolve) => (this.#lose = resolve));
    void session.closed.then(async () => this.#lose(await reasonOf(session)));
    this.#refresher = new Refresher(clock, (changed) => refresh(this, changed), this.#ended.signal);
    const events: WatchEvents = {
      onChange: (list) => this.changed(list),
      onLost: (reason) => this.lose(reason),
      onRefused: (error) => report(error instanceof Error ? error : new Error(String(error))),
    };
    this.#watch = new Watch(this.listen, { capabilities: session.serverCapabilities, clock, events });
  }

  /** Gives the connection up. */
  lose(reason: unknown): void {
    this.#lose(reason);
  }

  /** Lists everything that the server offers. @throws McpError, or `signal.reason` */
  async listAll(signal: AbortSignal): Promise<Listing> {
    const { ready, lists } = this.#watch;
    await unlessAborted(finishesWithin(this.#clock, WATCH_TIMEOUT, ready), signal);
    // A watch that begins while the lists are read misses earlier changes, so all lists are read again.
    if (!this.#watch.isReady) void ready.then(() => lists.forEach((list) => this.changed(list)));
    return unlessAborted(this.#lister.listAll(signal), signal);
  }

  listAgain(known: Listing, changed: ReadonlySet<ListCapability>, signal: AbortSignal): Promise<Listing> {
    return unlessAborted(this.#lister.listAgain(known, changed, signal), signal);
  }

  /** Takes the first listing. Changes are handled from now on. */
  begin(listing: Listing): void {
    this.listing = listing;
    const early = this.#early;
    this.#early = undefined;
    for (const list of early ?? []) this.changed(list);
  }

  /** Reads a list of the server again. */
  changed(list: ListCapability): void {
    if (this.#early === undefined) this.#refresher.changed(list);
    else this.#early.add(list);
  }

  /** Closes the connection. Bounded in time, as closing a session is. */
  async close(): Promise<void> {
    this.#ended.abort();
    if (this.#owned) await this.session.close();
    await this.#watch.close();
  }
}

/** Finds the reason why a session has ended: the error of any call on it. */
function reasonOf(session: GroupSession): Promise<unknown> {
  return session.request("ping").then(
    () => new ConnectionClosedError(),
    (error: unknown) => error,
  );
}
