/**
 * One server behind the gateway: its lanes, by whose calls may share one (`lane-keys.ts`). `connector.ts` opens their connections.
 *
 * A stateless server has one lane for all callers with the same credentials, because nothing outlives a request there. A stateful server has
 * a lane for each owner and each set of abilities. Which it is shows with the first connection (`realm.ts`).
 */
import { prefixOf } from "../../base/text/naming.ts";
import { finishesWithin, type Clock } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { OutgoingRequest } from "../../client/call/outgoing-request.ts";
import type { Client } from "../../client/client.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { credentialsOwnerOf, type Caller } from "../clients/caller.ts";
import { LiveOwner, type CallerAuth, type LoginWays } from "../credentials/caller-auth.ts";
import { isSameEntry, splitAuth, type GatewayEntry } from "../credentials/entry.ts";
import { Connector } from "./connector.ts";
import { Lane, type LaneHost } from "./lane.ts";
import { Realm } from "./realm.ts";
import { wordsOf, type Words } from "./words.ts";
import { isProgram, LaneKeys, useOf } from "./lane-keys.ts";
import { makeRoom } from "./lane-room.ts";
import { keptListing, memoryKeyOf, toKept } from "../catalog/list-memory.ts";
import { sizeWith, withSharedEntries } from "../catalog/held-lists.ts";
import type { Listing } from "../catalog/listing.ts";
import { listingBeforeLogin } from "../login/login-tool.ts";
import type { Settings } from "../options.ts";
import type { Middleware } from "../../session/handler.ts";
import { schemeOf } from "../../session/uris.ts";
import type { ListLimits } from "../../upstream/listing.ts";

/** Different lists of one server, of the largest size that one may have, that its connections may have together; and of all servers of this process. */
const MAX_SERVER_LISTS = 8;
const MAX_ALL_LISTS = 32;
/** Milliseconds that a call waits for another attempt of its caller, which may show that all can share its connection. */
const PROBE_PATIENCE = 1_000;

/** One server behind a gateway, in its present state. */
export interface UpstreamStatus {
  /** Its name in the configuration. */
  readonly server: string;
  /** Connections that are open. */
  readonly connections: number;
  /** Requests that wait for a connection, or for the server's result. */
  readonly waiting: number;
  /** Connections that were lost since the server was added: a program that ended, a session that expired. */
  readonly restarts: number;
  /** Log messages of the server that were dropped, because they may concern another caller than those they could go to. */
  readonly droppedMessages: number;
}

export class Upstream implements LaneHost {
  readonly name: string;
  readonly prefix: string;
  readonly scheme: string;
  readonly clock: Clock;
  /** Milliseconds after which an unused connection is closed. */
  readonly idleTimeout: number;
  readonly limits: ListLimits;
  /** The middleware of the server's entry, around the calls that are forwarded to it. */
  readonly middleware: readonly Middleware<OutgoingRequest>[];
  readonly #settings: Settings;
  readonly #entry: GatewayEntry;
  /** Credentials that differ by caller; undefined if all callers have the same. */
  readonly #callerAuth: CallerAuth | undefined;
  readonly #isProgram: boolean;
  #losses = 0;
  #dropped = 0;
  readonly #lanes = new Map<string, Lane>();
  /** Connections that are closing. */
  readonly #ending = new Set<Promise<unknown>>();
  #loginListing: Listing | undefined;
  /** The list of the server's last connection; undefined if it differs by caller. */
  #listed: Listing | undefined;
  /** The same, or the list of an earlier gateway. */
  #last: Promise<Listing | undefined> | undefined;
  /** By credentials. */
  readonly #realms = new Map<string, Realm>();
  /** What the server said last of itself to a client that told it no text of its own; undefined if the credentials differ by caller. */
  #words: Words | undefined;
  /** Under which key its lists are kept. */
  readonly #memoryKey: Promise<string | undefined> | undefined;
  readonly #keys: LaneKeys;
  readonly #connector: Connector;
  /** Until when calls may run, on the clock, and what is called when all connections are closed; undefined while the server is configured. */
  #drain: { readonly until: number; readonly ended: () => void } | undefined;
  #waitingCalls = 0;
  #isClosed = false;

  /** @throws TypeError if the entry is not one of a server */
  constructor(name: string, given: GatewayEntry, settings: Settings) {
    const split = splitAuth(name, given);
    const { entry, callerAuth } = split;
    this.name = name;
    this.prefix = settings.prefixOf(name);
    this.scheme = schemeOf(prefixOf(name));
    this.clock = settings.clock;
    this.idleTimeout = settings.idleTimeout;
    this.limits = settings.limits;
    this.#settings = settings;
    this.#entry = given;
    this.#callerAuth = callerAuth;
    this.#isProgram = isProgram(entry);
    this.#memoryKey = settings.lists === undefined ? undefined : memoryKeyOf(entry);
    this.#keys = new LaneKeys({ name, isProgram: this.#isProgram, callerAuth }, settings.sharingOf(name));
    this.#connector = new Connector(this, settings, split);
    this.middleware = this.#connector.middleware;
  }

  /** Whether an entry describes this server, so that its connections can stay. */
  isOf(entry: GatewayEntry): boolean {
    return this.#entry === entry || isSameEntry(this.#entry, entry);
  }

  get status(): UpstreamStatus {
    const lanes = [...this.#lanes.values()];
    return {
      server: this.name,
      connections: lanes.filter(({ isOpen }) => isOpen).length,
      waiting: lanes.reduce((sum, { lifetime }) => sum + lifetime.running, 0),
      restarts: this.#losses,
      droppedMessages: this.#dropped,
    };
  }

  /** Counts a connection that was lost. */
  lost(): void {
    this.#losses++;
  }

  /** Counts a log message that was dropped. */
  dropped(): void {
    this.#dropped++;
  }

  /** Whether all callers have the same credentials, and so the same list. */
  get hasOneList(): boolean {
    return this.#callerAuth === undefined;
  }

  /** What the server listed last, for callers whose connection is not there yet; undefined if it is not known, or differs by caller. */
  lastListing(): Promise<Listing | undefined> {
    if (!this.hasOneList) return Promise.resolve(undefined);
    return (this.#last ??= this.#remembered());
  }

  async #remembered(): Promise<Listing | undefined> {
    const { lists } = this.#settings;
    const key = lists && (await this.#memoryKey);
    const memory = key === undefined ? undefined : await keptListing(await lists?.get(key));
    return memory && this.#interned(memory);
  }

  // ---- lanes ----

  /** What the server says of itself to a caller: on the caller's connection, else to all who have the same credentials. */
  wordsFor(caller: Caller): Words | undefined {
    const lane = this.laneIfOpen(caller);
    const words = lane?.words ?? this.#words;
    const { pins } = this.#settings;
    if (words?.instructions === undefined || pins === undefined || pins.maySay(words, lane?.owner?.principal)) return words;
    return { ...words, instructions: undefined };
  }

  /** What the server lists for a caller, if that is known already. */
  listingFor(caller: Caller): Listing | undefined {
    return this.laneIfOpen(caller)?.listing ?? this.#listed;
  }

  /** One text for callers who wait for the same connection attempts; undefined for a caller whose credentials are not known. */
  waitKeyOf(caller: Caller): string | undefined {
    return unlessUnknown(() => JSON.stringify([this.name, this.#keys.credentialsOf(caller), caller.profile.key]));
  }

  /**
   * The lane for a caller; it may still have to open.
   * @param waits whether it may wait for another attempt
   * @throws McpError -32603 if there are too many, or if the owner is unknown
   */
  lane(caller: Caller, waits = true): MaybePromise<Lane> {
    const credentials = this.#keys.credentialsOf(caller);
    const realm = this.#realms.get(credentials);
    const isStateless = realm?.isStatelessFor(caller.profile.key);
    const key = this.#keys.of(caller, isStateless, credentials);
    const known = this.#known(key, caller);
    if (known !== undefined) return known;
    if (isStateless !== undefined) return this.#add(key, caller, { credentials, isStateless });
    const attempt = waits ? realm?.attemptFor(caller.holder, this.#isScarce) : undefined;
    if (attempt !== undefined) return this.#laneAfter(realm!, attempt, caller); // it has the attempt
    return this.#probe(key, caller, credentials);
  }

  /** Whether a caller had better wait for another caller's attempt than make one: each is a process, or there is little room for connections. */
  get #isScarce(): boolean {
    return this.#isProgram || this.#lanes.size * 2 >= this.#settings.limits.maxConnections;
  }

  /** The lane after an attempt with the same credentials. It waits for that a moment: a server may refuse one and take the next. */
  async #laneAfter(realm: Realm, attempt: Promise<unknown>, caller: Caller): Promise<Lane> {
    await finishesWithin(this.clock, PROBE_PATIENCE, attempt);
    realm.forget(attempt);
    if (this.#drain !== undefined && this.#waitingCalls === 0) throw this.#closedError();
    return this.lane(caller, false);
  }

  /** The lane for a call; its connection is opened if it has to be. @throws as {@link lane}, and McpError -32603 if the server cannot be reached */
  async laneForCall(caller: Caller): Promise<Lane> {
    this.#waitingCalls++;
    try {
      return await this.#open(caller);
    } finally {
      this.#waitingCalls--;
    }
  }

  /** The same for a list. A server that was removed opens no lane. @throws as {@link laneForCall} */
  async laneForList(caller: Caller): Promise<Lane> {
    if (this.#drain !== undefined) throw this.#closedError();
    return this.#open(caller);
  }

  async #open(caller: Caller): Promise<Lane> {
    const lane = await this.lane(caller);
    if (!lane.isOpen) await lane.open();
    return lane;
  }

  /** The lane for a caller, if its connection is open; this opens nothing. A caller whose credentials are not known has none, as {@link lane} reports. */
  laneIfOpen(caller: Caller): Lane | undefined {
    return unlessUnknown(() => {
      const credentials = this.#keys.credentialsOf(caller);
      const isStateless = this.#realms.get(credentials)?.isStatelessFor(caller.profile.key);
      const lane = this.#known(this.#keys.of(caller, isStateless, credentials), caller);
      return lane?.isOpen === true ? lane : undefined;
    });
  }

  #known(key: string, caller: Caller): Lane | undefined {
    const lane = this.#lanes.get(key);
    lane?.owner?.renew(caller.auth);
    return lane;
  }

  /** Connects for the first time with these credentials, which shows whether the server has sessions. */
  async #probe(key: string, caller: Caller, credentials: string): Promise<Lane> {
    const lane = this.#add(key, caller, { credentials });
    const realm = this.#realms.get(credentials)!; // each lane has one
    const attempt = this.#settle(lane, key, { caller, credentials }).finally(() => realm.forget(attempt));
    realm.begun(caller.holder, attempt);
    return attempt;
  }

  /** Opens the lane. A server without sessions has one for all: the first. */
  async #settle(lane: Lane, key: string, { caller, credentials }: { caller: Caller; credentials: string }): Promise<Lane> {
    try {
      await lane.open();
    } catch (error) {
      await lane.close();
      throw error;
    }
    if (lane.isStateless !== true) return lane;
    const shared = this.#keys.of(caller, true, credentials);
    const first = this.#lanes.get(shared);
    if (first !== undefined && first !== lane) {
      void lane.close();
      return first;
    }
    this.#lanes.delete(key);
    this.#lanes.set(shared, lane);
    return lane;
  }

  #add(key: string, caller: Caller, { credentials, isStateless }: { credentials: string; isStateless?: boolean }): Lane {
    if (this.#isClosed) throw this.#closedError();
    const use = useOf(key);
    const holder = use.isForAll ? undefined : caller.holder;
    const limit = this.#isProgram ? "maxProcesses" : "maxConnections";
    makeRoom(this.#lanes, { key, holder }, { server: this.name, limit, max: this.#settings.limits[limit] });
    const owner = this.#callerAuth && new LiveOwner(credentialsOwnerOf(caller, this.name));
    const pace = this.#keys.paceOf(key, caller, credentials);
    const lane = new Lane(this, caller.profile, { ...use, isStateless, pace, holder, ...(owner && { owner }) });
    this.#lanes.set(key, lane);
    this.#realmOf(credentials).lanes.add(lane);
    if (this.#drain !== undefined) this.#drainLane(lane, this.#drain.until);
    return lane;
  }

  #realmOf(credentials: string): Realm {
    let realm = this.#realms.get(credentials);
    if (realm === undefined) this.#realms.set(credentials, (realm = new Realm()));
    return realm;
  }

  closed(lane: Lane, ended: Promise<unknown>): void {
    this.#ending.add(ended);
    const forget = (): void => void this.#ending.delete(ended);
    ended.then(forget, forget);
    for (const [key, one] of this.#lanes) if (one === lane) this.#lanes.delete(key);
    // Another revision may be there after an update of the server.
    for (const [credentials, realm] of this.#realms) {
      realm.lanes.delete(lane);
      if (realm.lanes.size === 0) this.#realms.delete(credentials);
    }
    if (this.#lanes.size === 0) this.#drain?.ended();
  }

  // ---- logins of users ----

  /** How users log in; undefined if they do not. */
  get login(): LoginWays | undefined {
    return this.#callerAuth?.login;
  }

  /** What a caller sees before the login: a tool that asks for it. */
  get loginListing(): Listing {
    return (this.#loginListing ??= listingBeforeLogin(this.name));
  }

  /** The login of a principal has changed. Its connections are closed if it has ended. */
  async loginChanged(principal: string, isOver: boolean): Promise<void> {
    this.#connector.loginChanged(principal);
    const lanes = [...this.#lanes.values()].filter(({ owner }) => owner?.principal === principal);
    if (isOver) await Promise.all(lanes.map((lane) => lane.close()));
  }

  // ---- connections ----

  connect(lane: Lane, signal: AbortSignal): Promise<Client> {
    return this.#connector.connect(lane, signal);
  }

  /**
   * Learns what the server shows with a new connection of a lane. @throws Error if it has sessions and had none before, or the reverse;
   * LimitExceededError if it says too much of itself. The connection is closed then
   */
  async accept(client: Client, lane: Lane): Promise<void> {
    try {
      await this.#learn(client, lane);
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  async #learn(client: Client, lane: Lane): Promise<void> {
    const words = wordsOf(client);
    this.#assertOwnRoom(words.size);
    await this.#settings.pins?.learnWords(this.name, words, lane.owner?.principal);
    const isSame = lane.learn(client, words);
    const realm = [...this.#realms.values()].find(({ lanes }) => lanes.has(lane));
    realm?.learn(lane.profile.key, client.connection.codec.stateless);
    // The settings of a client's extensions are text that a server may repeat.
    if (isSame && this.hasOneList && lane.profile.capabilities.extensions === undefined) this.#words = lane.words;
    if (isSame) return;
    void lane.close(); // it waits for the connection that is given up here
    throw new Error("it speaks another revision than before");
  }

  report(error: unknown, method?: string): void {
    this.#settings.report(error, { server: this.name, ...(method !== undefined && { method }) });
  }

  /** One object for equal lists, so that a thousand users with one list hold one. It is the last one of the server. */
  async intern(listing: Listing): Promise<Listing> {
    const interned = await this.#interned(listing);
    if (!this.hasOneList) return interned;
    const before = await this.#last?.catch(() => undefined);
    this.#listed = interned;
    this.#last = Promise.resolve(interned);
    const { lists } = this.#settings;
    const key = lists && before !== interned ? await this.#memoryKey : undefined;
    if (key !== undefined) lists!.set(key, toKept(interned)); // there is a key with a memory only
    return interned;
  }

  async #interned(listing: Listing): Promise<Listing> {
    const known = [...this.listings].find(({ key }) => key === listing.key);
    if (known !== undefined) return known;
    this.#assertRoom(listing);
    const shared = withSharedEntries(listing);
    await this.#settings.pins?.learn(this.name, shared);
    return [...this.listings].find(({ key }) => key === listing.key) ?? shared; // of another connection, meanwhile
  }

  /** The lists that connections use, and the last one. Nothing else keeps a list. */
  get listings(): ReadonlySet<Listing> {
    const all = [...this.#lanes.values()].map((lane) => lane.listing);
    return new Set(this.#listed === undefined ? all : [this.#listed, ...all]);
  }

  /** @throws LimitExceededError if the lists of the server's callers, or of all servers of this process, are too large together */
  #assertRoom(listing: Listing): void {
    const max = this.#settings.limits.maxDefinitionSize;
    this.#assertOwnRoom(listing.size);
    const all = sizeWith(listing);
    if (all > MAX_ALL_LISTS * max) throw new LimitExceededError("the lists of all servers of this process", MAX_ALL_LISTS * max, all);
  }

  /** @throws LimitExceededError if what the server lists and says of itself to all callers has no room for `size` characters more */
  #assertOwnRoom(size: number): void {
    const max = MAX_SERVER_LISTS * this.#settings.limits.maxDefinitionSize;
    const lists = [...this.listings].reduce((total, one) => total + one.size, size);
    const own = [...this.#lanes.values()].reduce((total, { words }) => total + (words?.size ?? 0), lists);
    if (own > max) throw new LimitExceededError("the lists of all callers of one server and what it says of itself", max, own);
  }

  /** Whether it has that connection. */
  has(lane: Lane): boolean {
    return [...this.#lanes.values()].includes(lane);
  }

  /**
   * Closes each connection when its calls have ended, or after `ms` milliseconds. One that is opening, and that no call waits for, is given
   * up at once. Resolves when all have ended.
   */
  async drain(ms: number): Promise<void> {
    const drained = new Promise<void>((resolve) => (this.#drain = { until: this.clock.now() + ms, ended: resolve }));
    for (const lane of this.#lanes.values()) {
      if (this.#waitingCalls === 0 && lane.isOpening) void lane.close();
      else this.#drainLane(lane, this.#drain!.until);
    }
    if (this.#lanes.size > 0) await drained;
    await this.ending();
  }

  /** Resolves when the connections that are closing now have ended. */
  async ending(): Promise<void> {
    await Promise.all(this.#ending);
  }

  #closedError(): McpError {
    const message = `Server "${this.name}" was removed, or the gateway is closed`;
    return new McpError(ErrorCode.InternalError, message, { server: this.name, reason: "lost" });
  }

  #drainLane(lane: Lane, until: number): void {
    const { drainTimeout } = this.#settings;
    const message = `Server "${this.name}" was changed or removed in the configuration, and the call did not end within ${drainTimeout} ms (option "drainTimeout")`;
    const data = { server: this.name, reason: "replaced", delivery: "unknown" };
    lane.lifetime.drain(Math.max(0, until - this.clock.now()), new McpError(ErrorCode.InternalError, message, data));
  }

  /** Closes all connections. Resolves when all have ended, also those that were closing already. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listed = undefined; // it counts for this process
    for (const lane of this.#lanes.values()) void lane.close();
    await this.ending();
  }
}

/** Undefined for a caller whose credentials are not known, which is reported when its connection is opened. */
function unlessUnknown<T>(find: () => T | undefined): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
