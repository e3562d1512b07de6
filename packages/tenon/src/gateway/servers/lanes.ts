/**
 * The lanes of one server, by whose calls may share one (`lane-keys.ts`): found, added while there is room, drained and closed.
 *
 * A stateless server has one lane for all callers with the same credentials, because nothing outlives a request there. A stateful server has
 * a lane for each owner and each set of abilities. Which it is shows with the first connection (`realm.ts`).
 */
import { finishesWithin } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { credentialsOwnerOf, type Caller } from "../clients/caller.ts";
import { LiveOwner, type CallerAuth } from "../credentials/caller-auth.ts";
import type { Settings } from "../settings.ts";
import { Lane, type LaneHost, type LaneKey } from "./lane.ts";
import { LaneKeys } from "./lane-keys.ts";
import { makeRoom } from "./lane-room.ts";
import { Realm } from "./realm.ts";

/** Milliseconds that a call waits for another attempt of its caller, which may show that all can share its connection. */
const PROBE_PATIENCE = 1_000;

interface SharedBy {
  readonly isProgram: boolean;
  readonly callerAuth: CallerAuth | undefined;
}

export class Lanes {
  readonly #host: LaneHost;
  readonly #settings: Settings;
  readonly #isProgram: boolean;
  readonly #callerAuth: CallerAuth | undefined;
  readonly #keys: LaneKeys;
  readonly #lanes = new Map<string, Lane>();
  /** By credentials. */
  readonly #realms = new Map<string, Realm>();
  readonly #ending = new Set<Promise<unknown>>();
  /** Until when calls may run, on the clock, and what is called when all connections are closed; undefined while the server is configured. */
  #drain: { readonly until: number; readonly ended: () => void } | undefined;
  #waitingCalls = 0;
  #isClosed = false;

  constructor(host: LaneHost, settings: Settings, { isProgram, callerAuth }: SharedBy) {
    this.#host = host;
    this.#settings = settings;
    this.#isProgram = isProgram;
    this.#callerAuth = callerAuth;
    this.#keys = new LaneKeys({ name: host.name, isProgram, callerAuth }, settings.sharingOf(host.name));
  }

  /** All lanes, open or not. */
  get all(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  // ---- for a caller ----

  /** One text for callers who wait for the same connection attempts; undefined for a caller whose credentials are not known. */
  waitKeyOf(caller: Caller): string | undefined {
    return unlessUnknown(() => JSON.stringify([this.#host.name, this.#keys.credentialsOf(caller), caller.profile.key]));
  }

  /**
   * The lane for a caller; it may still have to open.
   * @param waits whether it may wait for another attempt
   * @throws McpError -32603 if there are too many, or if the owner is unknown
   */
  of(caller: Caller, waits = true): MaybePromise<Lane> {
    const credentials = this.#keys.credentialsOf(caller);
    const realm = this.#realms.get(credentials);
    const isStateless = realm?.isStatelessFor(caller.profile.key);
    const key = this.#keys.keyFor(caller, isStateless, credentials);
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
    await finishesWithin(this.#host.clock, PROBE_PATIENCE, attempt);
    realm.forget(attempt);
    if (this.#drain !== undefined && this.#waitingCalls === 0) throw this.#closedError();
    return this.of(caller, false);
  }

  /** The lane for a call; its connection is opened if it has to be. @throws as {@link of}, and McpError -32603 if the server cannot be reached */
  async forCall(caller: Caller): Promise<Lane> {
    this.#waitingCalls++;
    try {
      return await this.#open(caller);
    } finally {
      this.#waitingCalls--;
    }
  }

  /** The same for a list. A server that was removed opens no lane. @throws as {@link forCall} */
  async forList(caller: Caller): Promise<Lane> {
    if (this.#drain !== undefined) throw this.#closedError();
    return this.#open(caller);
  }

  async #open(caller: Caller): Promise<Lane> {
    const lane = await this.of(caller);
    if (!lane.isOpen) await lane.open();
    return lane;
  }

  /** The lane for a caller, if its connection is open; this opens nothing. A caller whose credentials are not known has none, as {@link of} reports. */
  ifOpen(caller: Caller): Lane | undefined {
    return unlessUnknown(() => {
      const credentials = this.#keys.credentialsOf(caller);
      const isStateless = this.#realms.get(credentials)?.isStatelessFor(caller.profile.key);
      const lane = this.#known(this.#keys.keyFor(caller, isStateless, credentials), caller);
      return lane?.isOpen === true ? lane : undefined;
    });
  }

  #known({ text }: LaneKey, caller: Caller): Lane | undefined {
    const lane = this.#lanes.get(text);
    lane?.owner?.renew(caller.auth);
    return lane;
  }

  /** Connects for the first time with these credentials, which shows whether the server has sessions. */
  async #probe(key: LaneKey, caller: Caller, credentials: string): Promise<Lane> {
    const lane = this.#add(key, caller, { credentials });
    const realm = this.#realms.get(credentials)!; // each lane has one
    const attempt = this.#settle(lane, key, { caller, credentials }).finally(() => realm.forget(attempt));
    realm.begun(caller.holder, attempt);
    return attempt;
  }

  /** Opens the lane. A server without sessions has one for all: the first. */
  async #settle(lane: Lane, key: LaneKey, { caller, credentials }: { caller: Caller; credentials: string }): Promise<Lane> {
    try {
      await lane.open();
    } catch (error) {
      await lane.close();
      throw error;
    }
    if (lane.isStateless !== true) return lane;
    const { text: shared } = this.#keys.keyFor(caller, true, credentials);
    const first = this.#lanes.get(shared);
    if (first !== undefined && first !== lane) {
      void lane.close();
      return first;
    }
    this.#lanes.delete(key.text);
    this.#lanes.set(shared, lane);
    return lane;
  }

  #add(key: LaneKey, caller: Caller, { credentials, isStateless }: { credentials: string; isStateless?: boolean }): Lane {
    if (this.#isClosed) throw this.#closedError();
    const holder = key.isForAll ? undefined : caller.holder;
    const limit = this.#isProgram ? "maxProcesses" : "maxConnections";
    makeRoom(this.#lanes, { key, holder }, { server: this.#host.name, limit, max: this.#settings.limits[limit] });
    const owner = this.#callerAuth && new LiveOwner(credentialsOwnerOf(caller, this.#host.name));
    const pace = this.#keys.paceOf(key, caller, credentials);
    const lane = new Lane(this.#host, caller.profile, { key, isStateless, pace, holder, ...(owner && { owner }) });
    this.#lanes.set(key.text, lane);
    this.#realmOf(credentials).lanes.add(lane);
    if (this.#drain !== undefined) this.#drainLane(lane, this.#drain.until);
    return lane;
  }

  #realmOf(credentials: string): Realm {
    let realm = this.#realms.get(credentials);
    if (realm === undefined) this.#realms.set(credentials, (realm = new Realm()));
    return realm;
  }

  /** A connection of a lane has shown whether the server has sessions. */
  learn(lane: Lane, isStateless: boolean): void {
    const realm = [...this.#realms.values()].find(({ lanes }) => lanes.has(lane));
    realm?.learn(lane.profile.key, isStateless);
  }

  // ---- the end ----

  /** A lane closes; `ended` resolves when its connection has ended. */
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

  has(lane: Lane): boolean {
    return this.all.includes(lane);
  }

  /**
   * Closes each connection when its calls have ended, or after `ms` milliseconds. One that is opening, and that no call waits for, is given
   * up at once. Resolves when all have ended.
   */
  async drain(ms: number): Promise<void> {
    const drained = new Promise<void>((resolve) => (this.#drain = { until: this.#host.clock.now() + ms, ended: resolve }));
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
    const message = `Server "${this.#host.name}" was removed, or the gateway is closed`;
    return new McpError(ErrorCode.InternalError, message, { server: this.#host.name, reason: "lost" });
  }

  #drainLane(lane: Lane, until: number): void {
    const { drainTimeout } = this.#settings;
    const message = `Server "${this.#host.name}" was changed or removed in the configuration, and the call did not end within ${drainTimeout} ms (option "drainTimeout")`;
    const data = { server: this.#host.name, reason: "replaced", delivery: "unknown" };
    lane.lifetime.drain(Math.max(0, until - this.#host.clock.now()), new McpError(ErrorCode.InternalError, message, data));
  }

  /** Closes all connections. Resolves when all have ended, also those that were closing already. */
  async close(): Promise<void> {
    this.#isClosed = true;
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
