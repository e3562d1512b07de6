/**
 * One connection to a server of the group: its session, what the server listed on it, and why it is lost.
 *
 * Opening it is one step with one time limit: connect, watch for changes, list everything. If one part fails, everything is
 * closed.
 */
import { finishesWithin, type Clock } from "../../base/clock.ts";
import { unlessAborted } from "../../base/abort.ts";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ListReads } from "../../upstream/list-reads.ts";
import { ListWatch, watchableLists, type WatchEvents } from "../../upstream/list-watch.ts";
import { EMPTY_LISTS, listProblem, readLists, unpromised, type Kind, type ListLimits, type ListName } from "../../upstream/listing.ts";
import { listenerOf, pageOf, type GroupSession, type Listen } from "../../upstream/session.ts";
import type { Listing } from "../catalog/components.ts";
import { Health } from "./health.ts";
import { usableTools, type ToolCheck } from "./usable-tools.ts";

export interface GroupConnectionOptions extends Omit<ToolCheck, "reading"> {
  readonly clock: Clock;
  readonly limits: ListLimits;
  /** Whether the session is closed with the connection. */
  readonly owned: boolean;
  /** Lists again. Resolves with the lists that could not be read; never rejects. */
  readonly refresh: (connection: GroupConnection, changed: ReadonlySet<ListName>) => Promise<ReadonlySet<ListName>>;
}

/** A listing, and the lists that could not be read and are as before. */
export interface ListedAgain {
  readonly listing: Listing;
  readonly failed: ReadonlySet<ListName>;
}

/** Milliseconds to wait for the server's watch before its lists are requested. */
const WATCH_TIMEOUT = 1_000;

export class GroupConnection {
  readonly session: GroupSession;
  readonly listen: Listen;
  /** Resolves with the reason once the connection is lost. */
  readonly lost: Promise<unknown>;
  readonly health: Health;
  readonly reads: ListReads;
  /** The last listing that was accepted. */
  listing: Listing | undefined;
  readonly #options: GroupConnectionOptions;
  readonly #watch: ListWatch;
  #lose!: (reason: unknown) => void;
  /** Changes before the first listing, which may lack them. */
  #early: Set<ListName> | undefined = new Set();

  constructor(session: GroupSession, options: GroupConnectionOptions) {
    const { clock, refresh, report } = options;
    this.session = session;
    this.listen = listenerOf(session);
    this.health = new Health(clock);
    this.#options = options;
    this.lost = new Promise((resolve) => (this.#lose = resolve));
    void session.closed.then(async () => this.#lose(await reasonOf(session)));
    const promised = unpromised(session.serverCapabilities);
    this.reads = new ListReads({ clock, unpromised: promised, read: (changed) => refresh(this, changed) });
    const events: WatchEvents = {
      onChange: (list) => this.changed(list),
      onLost: (reason) => this.lose(reason),
      onRefused: (lists, error) => {
        this.reads.unwatched(lists);
        if (error !== undefined) report(error instanceof Error ? error : new Error("The server cannot be watched", { cause: error }));
      },
    };
    this.#watch = new ListWatch(this.listen, { lists: watchableLists(session), clock, events });
  }

  /** Gives the connection up. */
  lose(reason: unknown): void {
    this.#lose(reason);
  }

  /** Lists everything that the server offers. @throws McpError, or `signal.reason` */
  async listAll(signal: AbortSignal): Promise<Listing> {
    const { ready, lists } = this.#watch;
    await unlessAborted(finishesWithin(this.#options.clock, WATCH_TIMEOUT, ready), signal);
    // A watch that begins while the lists are read misses earlier changes, so all lists are read again.
    if (!this.#watch.isReady) void ready.then(() => lists.forEach((list) => this.changed(list)));
    const { listing, failed } = await unlessAborted(this.#read(EMPTY_LISTS as Listing, undefined, signal), signal);
    for (const list of failed) this.reads.again(list);
    return listing;
  }

  /** Lists again what has changed. The lists that fail stay as they were. @throws as {@link listAll} */
  listAgain(known: Listing, changed: ReadonlySet<ListName>, signal: AbortSignal): Promise<ListedAgain> {
    return unlessAborted(this.#read(known, changed, signal), signal);
  }

  async #read(known: Listing, changed: ReadonlySet<ListName> | undefined, signal: AbortSignal): Promise<ListedAgain> {
    const { limits, report } = this.#options;
    const server = {
      capabilities: this.session.serverCapabilities,
      limits,
      reading: this.session.connection.reading,
      request: (method: string, params: JsonObject) => pageOf(this.session, method, params, { signal }),
      failed: (kind: Kind, error: unknown, read: number) => {
        const isFirst = changed === undefined || read > 0;
        report(isFirst || !(error instanceof Error) ? listProblem(kind, error, read) : error);
      },
    };
    const { lists, failed, absence } = await readLists(server, known, changed);
    if (absence !== undefined) throw absence as Error;
    const listing = lists as unknown as Listing; // the session has checked them
    if (changed?.has("tools") === false) return { listing, failed };
    return {
      listing: { ...listing, tool: await usableTools(listing.tool, { ...this.#options, reading: this.session.connection.reading }) },
      failed,
    };
  }

  /** Takes the first listing. Changes are handled from now on. */
  begin(listing: Listing): void {
    this.listing = listing;
    const early = this.#early;
    this.#early = undefined;
    for (const list of early ?? []) this.changed(list);
  }

  /** Reads a list of the server again. */
  changed(list: ListName): void {
    if (this.#early === undefined) this.reads.changed(list);
    else this.#early.add(list);
  }

  /** Closes the connection. Bounded in time, as closing a session is. */
  async close(): Promise<void> {
    this.reads.close();
    if (this.#options.owned) await this.session.close();
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
