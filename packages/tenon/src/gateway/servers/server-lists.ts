/**
 * The lists of one server, as its connections read them: equal lists are one object, which all of them share, and all together have a limit.
 *
 * If all callers have the same credentials, the last list is kept for callers whose connection is not there yet, also for the next gateway.
 */
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { sizeWith, withSharedEntries } from "../catalog/held-lists.ts";
import { keptListing, memoryKeyOf, toKept } from "../catalog/list-memory.ts";
import type { Listing } from "../catalog/listing.ts";
import type { SplitEntry } from "../credentials/entry.ts";
import type { Settings } from "../settings.ts";
import type { Words } from "./words.ts";

/** Different lists of one server, of the largest size that one may have, that its connections may have together; and of all servers of this process. */
const MAX_SERVER_LISTS = 8;
const MAX_ALL_LISTS = 32;

/** What a connection has of its server. */
interface UsedLane {
  readonly listing: Listing;
  readonly words: Words | undefined;
}

export class ServerLists {
  readonly #server: string;
  readonly #settings: Settings;
  readonly #lanes: () => readonly UsedLane[];
  /** Whether all callers have the same credentials, and so the same list. */
  readonly isOne: boolean;
  /** The list of the server's last connection; undefined if it differs by caller. */
  #newest: Listing | undefined;
  /** The same, or the list of an earlier gateway. */
  #last: Promise<Listing | undefined> | undefined;
  /** Under which key the last list is kept. */
  readonly #memoryKey: Promise<string | undefined> | undefined;

  /** @param lanes all connections of the server */
  constructor(server: string, settings: Settings, { entry, callerAuth }: SplitEntry, lanes: () => readonly UsedLane[]) {
    this.#server = server;
    this.#settings = settings;
    this.#lanes = lanes;
    this.isOne = callerAuth === undefined;
    this.#memoryKey = settings.lists === undefined ? undefined : memoryKeyOf(entry);
  }

  /** The list of the server's last connection, if it is the same for all callers. */
  get newest(): Listing | undefined {
    return this.#newest;
  }

  /** What the server listed last, for callers whose connection is not there yet; undefined if it is not known, or differs by caller. */
  last(): Promise<Listing | undefined> {
    if (!this.isOne) return Promise.resolve(undefined);
    return (this.#last ??= this.#remembered());
  }

  async #remembered(): Promise<Listing | undefined> {
    const { lists } = this.#settings;
    const key = lists && (await this.#memoryKey);
    const memory = key === undefined ? undefined : await keptListing(await lists?.get(key));
    return memory && this.#interned(memory);
  }

  /** One object for equal lists, so that a thousand users with one list hold one. It is the last one of the server. */
  async intern(listing: Listing): Promise<Listing> {
    const interned = await this.#interned(listing);
    if (!this.isOne) return interned;
    const before = await this.#last?.catch(() => undefined);
    this.#newest = interned;
    this.#last = Promise.resolve(interned);
    const { lists } = this.#settings;
    const key = lists && before !== interned ? await this.#memoryKey : undefined;
    if (key !== undefined) lists!.set(key, toKept(interned)); // there is a key with a memory only
    return interned;
  }

  async #interned(listing: Listing): Promise<Listing> {
    const known = this.#equalTo(listing);
    if (known !== undefined) return known;
    this.#assertRoomFor(listing);
    const shared = withSharedEntries(listing);
    await this.#settings.pins?.learn(this.#server, shared);
    return this.#equalTo(shared) ?? shared; // of another connection, meanwhile
  }

  #equalTo({ key }: Listing): Listing | undefined {
    return [...this.all].find((one) => one.key === key);
  }

  /** The lists that connections use, and the last one. Nothing else keeps a list. */
  get all(): ReadonlySet<Listing> {
    const used = this.#lanes().map(({ listing }) => listing);
    return new Set(this.#newest === undefined ? used : [this.#newest, ...used]);
  }

  /** @throws LimitExceededError if the lists of the server's callers, or of all servers of this process, are too large together */
  #assertRoomFor(listing: Listing): void {
    const max = this.#settings.limits.maxDefinitionSize;
    this.assertRoom(listing.size);
    const all = sizeWith(listing);
    if (all > MAX_ALL_LISTS * max) throw new LimitExceededError("the lists of all servers of this process", MAX_ALL_LISTS * max, all);
  }

  /** @throws LimitExceededError if what the server lists and says of itself to all callers has no room for `size` characters more */
  assertRoom(size: number): void {
    const max = MAX_SERVER_LISTS * this.#settings.limits.maxDefinitionSize;
    const lists = [...this.all].reduce((total, one) => total + one.size, size);
    const own = this.#lanes().reduce((total, { words }) => total + (words?.size ?? 0), lists);
    if (own > max) throw new LimitExceededError("the lists of all callers of one server and what it says of itself", max, own);
  }

  /** The server is closed: its list no longer counts for this process. */
  close(): void {
    this.#newest = undefined;
  }
}
