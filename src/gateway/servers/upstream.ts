/**
 * One server behind the gateway: its lanes, by whose calls may share one.
 *
 * A stateless server has one lane for all callers, because nothing outlives a request there. A stateful server has a lane for each owner
 * and each set of abilities. Which it is shows with the first connection.
 */
import { prefixOf } from "../../base/naming.ts";
import type { Clock } from "../../base/clock.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { Client } from "../../client/client.ts";
import type { ConnectOptions } from "../../client/options.ts";
import { isAcceptor } from "../../dispatch/acceptor.ts";
import { sourceOf, type ServerSource } from "../../group/servers/server-source.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { credentialsOwnerOf, type Caller } from "../clients/caller.ts";
import { ConnectPace, type Pause } from "./connect-pace.ts";
import { LiveOwner, type CallerAuth, type LoginWays } from "../credentials/caller-auth.ts";
import { isSameEntry, splitAuth, type GatewayEntry } from "../credentials/entry.ts";
import { refusalOf } from "../credentials/refusal.ts";
import { answersOf } from "../asking/lane-answers.ts";
import { Lane, type LaneHost } from "./lane.ts";
import type { Listing } from "../catalog/listing.ts";
import { listingBeforeLogin } from "../login/login-tool.ts";
import { loginNeededIn } from "../login/login-needed.ts";
import type { Settings, Sharing } from "../options.ts";
import { schemeOf } from "../catalog/uris.ts";

/** Milliseconds to connect; a user who has to log in gets more. */
const CONNECT_TIMEOUT = 30_000;
const LOGIN_TIMEOUT = 300_000;
/** Most lanes of one owner, which differ in what the client can do. */
const MAX_LANES_OF_OWNER = 4;
/** Milliseconds after which a server is asked again for a user who has to log in, and most users that are remembered. */
const LOGIN_PAUSE = 10_000;
const MAX_WAITING = 1_000;
/** Most lists that are kept for lanes to share. */
const MAX_LISTINGS = 32;

/** One server behind a gateway, as it is now. */
export interface ServerStatus {
  /** Its name in the configuration. */
  readonly server: string;
  /** Connections that are open. */
  readonly connections: number;
  /** Requests that wait for a connection, or for the server's result. */
  readonly waiting: number;
  /** Connections that were lost since the server was added: a program that ended, a session that expired. */
  readonly restarts: number;
}

export class Upstream implements LaneHost {
  readonly name: string;
  readonly prefix: string;
  readonly scheme: string;
  readonly clock: Clock;
  /** Milliseconds after which an unused connection is closed. */
  readonly idleTimeout: number;
  /** The server's instructions for a model, once it was connected. */
  instructions: string | undefined;
  /** The extensions that it declared, with their settings. */
  extensions: Readonly<Record<string, JsonObject>> = {};
  readonly #settings: Settings;
  readonly #entry: GatewayEntry;
  /** Credentials that differ by caller; undefined if all callers have the same. */
  readonly #callerAuth: CallerAuth | undefined;
  readonly #source: ServerSource;
  readonly #isProgram: boolean;
  #losses = 0;
  readonly #lanes = new Map<string, Lane>();
  /** Connections that are closing. */
  readonly #ending = new Set<Promise<unknown>>();
  readonly #listings = new Map<string, Listing>();
  /** Principals that have to log in first, so that the server is not asked for each of their lists. */
  readonly #waiting = new Map<string, { readonly error: McpError; readonly until: number }>();
  #loginListing: Listing | undefined;
  #isStateless: boolean | undefined;
  #probing: Promise<void> | undefined;
  #calls = 0;
  readonly #pace: ConnectPace;
  /** Until when calls may run, on the clock, and what is called when all connections are closed; undefined while the server is configured. */
  #drain: { readonly until: number; readonly ended: () => void } | undefined;

  /** @throws TypeError if the entry is not one of a server */
  constructor(name: string, given: GatewayEntry, settings: Settings) {
    const { entry, callerAuth } = splitAuth(name, given);
    this.name = name;
    this.prefix = settings.prefixOf(name);
    this.scheme = schemeOf(prefixOf(name));
    this.clock = settings.clock;
    this.idleTimeout = settings.idleTimeout;
    this.#settings = settings;
    this.#pace = new ConnectPace(settings.clock);
    this.#entry = given;
    this.#callerAuth = callerAuth;
    this.#source = sourceOf(entry, name);
    this.#isProgram = typeof entry === "object" && !isAcceptor(entry) && isProgram("target" in entry ? entry.target : entry);
  }

  /** Whether an entry describes this server, so that its connections can stay. */
  isOf(entry: GatewayEntry): boolean {
    return this.#entry === entry || isSameEntry(this.#entry, entry);
  }

  get status(): ServerStatus {
    const lanes = [...this.#lanes.values()];
    return {
      server: this.name,
      connections: lanes.filter(({ isOpen }) => isOpen).length,
      waiting: lanes.reduce((sum, { waiting }) => sum + waiting, 0),
      restarts: this.#losses,
    };
  }

  /** Counts a connection that was lost. */
  lost(): void {
    this.#losses++;
  }

  // ---- lanes ----

  /** The lane for a caller; it may still have to open. @throws McpError -32603 if there are too many, or if the owner is unknown */
  lane(caller: Caller): MaybePromise<Lane> {
    const key = this.#keyOf(caller);
    const known = this.#known(key, caller);
    if (known !== undefined) return known;
    if (this.#isStateless !== undefined) return this.#add(key, caller);
    const again = (): MaybePromise<Lane> => this.lane(caller); // a server may refuse one caller and take the next
    return this.#probing === undefined ? this.#probe(key, caller) : this.#probing.then(again, again);
  }

  /** The lane for a caller, with an open connection. @throws as {@link lane}, and McpError -32603 if the server cannot be reached */
  openedLane(caller: Caller): MaybePromise<Lane> {
    return andThen(this.lane(caller), (lane) => (lane.isOpen ? lane : andThen(lane.open(), () => lane)));
  }

  /** The lane for a caller, if there is one. @throws as {@link lane} */
  openLane(caller: Caller): Lane | undefined {
    return this.#known(this.#keyOf(caller), caller);
  }

  #known(key: string, caller: Caller): Lane | undefined {
    const lane = this.#lanes.get(key);
    lane?.owner?.renew(caller.auth);
    return lane;
  }

  /** Connects for the first time, which shows the family of its revision. Other callers wait for that. */
  async #probe(key: string, caller: Caller): Promise<Lane> {
    const lane = this.#add(key, caller);
    const learn = async (): Promise<void> => {
      await lane.open();
      this.#isStateless = lane.isStateless;
      if (this.#isStateless !== true) return;
      this.#lanes.delete(key);
      this.#lanes.set(this.#keyOf(caller), lane);
    };
    this.#probing = learn().finally(() => (this.#probing = undefined));
    await this.#probing.catch(async (error: unknown) => {
      await lane.close();
      throw error;
    });
    return lane;
  }

  /** Callers with the same key use one lane. Other credentials are always another key. */
  #keyOf(caller: Caller): string {
    const credentials = this.#callerAuth?.keyOf(credentialsOwnerOf(caller, this.name));
    const as = credentials === undefined ? "" : ` as ${credentials}`;
    if (this.#isStateless === true) return `stateless${as}`;
    const sharing = this.#settings.sharingOf(this.name);
    const wide = sharing === "all" && !caller.profile.asks && credentials === undefined ? "all" : undefined;
    return `${wide ?? this.#ownerOf(caller, sharing)}${as}\n${caller.profile.key}`;
  }

  #ownerOf({ principal, session, isLocal }: Caller, sharing: Sharing | undefined): string {
    if (sharing === "call") return `call ${++this.#calls}`;
    const bySession = session && `session ${session.id}`;
    const byPrincipal = principal === undefined ? (isLocal ? "local" : undefined) : `principal ${principal}`;
    const isPerPrincipal = sharing === "principal" || sharing === "all" || (sharing === undefined && this.#isProgram);
    const owner = isPerPrincipal ? (byPrincipal ?? bySession) : (bySession ?? byPrincipal);
    if (owner !== undefined) return owner;
    if (!this.#isProgram) return `call ${++this.#calls}`;
    throw this.#unavailable(
      "limit",
      'a caller without a session and without a principal gets no process: set the option "share", or "auth" of the endpoint',
    );
  }

  #add(key: string, caller: Caller): Lane {
    this.#assertShare(key.split("\n", 1)[0]!);
    this.#makeRoom();
    const owner = this.#callerAuth && new LiveOwner(credentialsOwnerOf(caller, this.name));
    const lane = new Lane(this, caller.profile, {
      isForOneCall: key.startsWith("call "),
      isForAll: key.startsWith("all\n"),
      ...(owner && { owner }),
    });
    this.#lanes.set(key, lane);
    if (this.#drain !== undefined) this.#drainLane(lane, this.#drain.until);
    return lane;
  }

  /** An owner has a lane for each set of abilities it declares, which it can vary at will. @throws McpError -32603 if it has too many */
  #assertShare(owner: string): void {
    const own = [...this.#lanes].filter(([key]) => key.startsWith(`${owner}\n`));
    if (own.length < MAX_LANES_OF_OWNER) return;
    const idle = own.find(([, lane]) => lane.isIdle && lane.isOpen)?.[1];
    const most = `${MAX_LANES_OF_OWNER} connections`;
    if (idle === undefined) throw this.#unavailable("busy", `the caller uses ${most} to it, each with other capabilities`);
    void idle.close();
  }

  /** Closes an idle lane if there are too many. @throws McpError -32603 if none is idle */
  #makeRoom(): void {
    const limit = this.#isProgram ? "maxProcesses" : "maxConnections";
    const max = this.#settings.limits[limit];
    if (this.#lanes.size < max) return;
    const idle = [...this.#lanes.values()].find((lane) => lane.isIdle && lane.isOpen);
    if (idle === undefined) throw this.#unavailable("busy", `all of its ${max} connections are in use (limit "${limit}")`);
    void idle.close();
  }

  closed(lane: Lane, ended: Promise<unknown>): void {
    this.#ending.add(ended);
    const forget = (): void => void this.#ending.delete(ended);
    ended.then(forget, forget);
    for (const [key, one] of this.#lanes) if (one === lane) this.#lanes.delete(key);
    // Another revision may be there after an update of the server.
    if (this.#lanes.size > 0) return;
    this.#isStateless = undefined;
    this.#drain?.ended();
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
    this.#waiting.delete(principal);
    const lanes = [...this.#lanes.values()].filter(({ owner }) => owner?.principal === principal);
    if (isOver) await Promise.all(lanes.map((lane) => lane.close()));
  }

  // ---- connections ----

  async connect(lane: Lane): Promise<Client> {
    this.#assertLoggedIn(lane);
    const { key } = lane.profile;
    const pause = this.#pace.pauseOf(key);
    if (pause !== undefined) throw this.#unavailable("down", "it cannot be reached", pause);
    try {
      const client = await this.#connectInTime(lane);
      this.#pace.succeeded(key);
      this.instructions = client.instructions;
      this.extensions = client.serverCapabilities.extensions ?? {};
      if (this.#isStateless === undefined || client.connection.codec.stateless === this.#isStateless) return client;
      this.#isStateless = undefined;
      await Promise.all([client.close(), lane.close()]);
      throw new Error("it speaks another revision than before");
    } catch (error) {
      const refusal = this.#callerAuth && refusalOf(error, this.name);
      if (refusal !== undefined) {
        if (loginNeededIn(error) === undefined) this.report(error);
        else this.#noteLoginNeeded(lane, refusal);
        throw refusal; // of this caller only: the server is there for others
      }
      this.#pace.failed(key, error instanceof Error ? error : new Error(String(error)));
      this.report(error);
      throw this.#unavailable("down", "it cannot be reached", this.#pace.pauseOf(key));
    }
  }

  /** A list must not go to the server again and again for a user who has not logged in. @throws the error of the last attempt */
  #assertLoggedIn({ owner }: Lane): void {
    const waiting = owner && this.#waiting.get(owner.principal);
    if (waiting !== undefined && waiting.until > this.clock.now()) throw waiting.error;
  }

  #noteLoginNeeded({ owner }: Lane, error: McpError): void {
    if (owner === undefined) return;
    if (this.#waiting.size >= MAX_WAITING) this.#waiting.delete(this.#waiting.keys().next().value!);
    this.#waiting.set(owner.principal, { error, until: this.clock.now() + LOGIN_PAUSE });
  }

  async #connectInTime(lane: Lane): Promise<Client> {
    const { options, mayLogIn, startTimeout } = this.#source;
    const ms = (options.connectTimeout ?? CONNECT_TIMEOUT) + startTimeout + (mayLogIn ? LOGIN_TIMEOUT : 0);
    const late = new AbortController();
    const timer = this.clock.setTimer(ms, () => late.abort(new Error(`it did not connect within ${ms} ms (option "connectTimeout")`)));
    try {
      // Every session that a source of an entry opens is a client.
      return (await this.#source.open({ ...this.#connectOptions(lane), signal: late.signal })) as Client;
    } finally {
      this.clock.clearTimer(timer);
    }
  }

  #connectOptions(lane: Lane): ConnectOptions {
    const {
      onElicit: _1,
      onSample: _2,
      roots: _3,
      onLog: _4,
      onMessage: _5,
      connectTimeout: _6,
      reconnect: _7,
      ...options
    } = this.#source.options;
    return {
      ...options,
      ...lane.profile.connectOptions,
      ...(lane.owner && { auth: this.#callerAuth!.providerFor(lane.owner, this.#settings.loginStore) }), // a lane has an owner if credentials differ
      clientInfo: options.clientInfo ?? this.#settings.info,
      middleware: [...(options.middleware ?? []), answersOf(lane)],
      clock: this.clock,
      onError: (error) => this.report(error),
    };
  }

  #unavailable(reason: string, why: string, pause?: Pause): McpError {
    const data = { server: this.name, reason, ...(pause && { retryAfterMs: Math.ceil(pause.until - this.clock.now()) }) };
    const message = `Server "${this.name}" is not available: ${why}`;
    return new McpError(ErrorCode.InternalError, message, data, { cause: pause?.error });
  }

  report(error: unknown, method?: string): void {
    this.#settings.report(error, { server: this.name, ...(method !== undefined && { method }) });
  }

  /** One object for equal lists, so that a thousand users with one list hold one. */
  async intern(listing: Listing): Promise<Listing> {
    const known = this.#listings.get(listing.key);
    if (known !== undefined) return known;
    await this.#settings.pins?.learn(this.name, listing);
    if (this.#listings.size >= MAX_LISTINGS) this.#listings.delete(this.#listings.keys().next().value!);
    this.#listings.set(listing.key, listing);
    return listing;
  }

  /** Whether it has that connection. */
  has(lane: Lane): boolean {
    return [...this.#lanes.values()].includes(lane);
  }

  /** Closes each connection when its calls have ended, or after `ms` milliseconds. Resolves when all are closed. */
  drain(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#drain = { until: this.clock.now() + ms, ended: resolve };
      for (const lane of this.#lanes.values()) this.#drainLane(lane, this.#drain.until);
      if (this.#lanes.size === 0) resolve();
    });
  }

  #drainLane(lane: Lane, until: number): void {
    const { drainTimeout } = this.#settings;
    const message = `Server "${this.name}" was changed or removed in the configuration, and the call did not end within ${drainTimeout} ms (option "drainTimeout")`;
    const data = { server: this.name, reason: "replaced", delivery: "unknown" };
    lane.drain(Math.max(0, until - this.clock.now()), new McpError(ErrorCode.InternalError, message, data));
  }

  /** Closes all connections. Resolves when all have ended, also those that were closing already. */
  async close(): Promise<void> {
    for (const lane of this.#lanes.values()) void lane.close();
    await Promise.all(this.#ending);
  }
}

function isProgram(target: unknown): boolean {
  return typeof target === "object" && target !== null && "command" in target;
}
