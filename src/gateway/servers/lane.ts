/**
 * A lane: what a gateway talks to one server through, for callers whose calls may meet there.
 *
 * It is one connection, which is opened when it is needed, opened again after it was lost, and closed when it is unused. Watches and
 * the log level survive a lost connection; calls do not.
 */
import { finishesWithin, unref, type Clock, type Timer } from "../../base/clock.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { Client } from "../../client/client.ts";
import { skippingMalformedItems } from "../../client/call/malformed-items.ts";
import type { ServerConnection } from "../../client/connection.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import { ConnectionClosedError, ConnectionLostError, ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { LoggingLevel } from "../../protocol/types.ts";
import { isAtLeast } from "../../protocol/logging.ts";
import type { ClientIdentity } from "../../wire/codec.ts";
import { EMPTY_LISTING, readListing, type Listing, type ListName } from "../catalog/listing.ts";
import { refusalOf } from "../credentials/refusal.ts";
import type { LiveOwner } from "../credentials/caller-auth.ts";
import { loginNeededIn } from "../login/login-needed.ts";
import type { Profile } from "../clients/profile.ts";
import { LaneQuestions, type LaneCall } from "../asking/lane-questions.ts";
import { ListWatch } from "./list-watch.ts";
import { ResourceWatch } from "./resource-watch.ts";
import { BegunTasks } from "../tasks/begun-tasks.ts";
import { TaskWatches } from "../tasks/task-watches.ts";

/** Hears what happens on a lane. */
export interface LaneListener {
  listChanged(list: ListName): void;
  /** A notification of the server that belongs to no call. */
  notified(method: string, params: JsonObject): void;
  /** A server with sessions has announced the state of a task. */
  taskChanged(task: JsonObject, server: string): void;
}

/** The server of a lane. */
export interface LaneHost {
  readonly name: string;
  readonly clock: Clock;
  readonly idleTimeout: number;
  /** Opens a connection. @throws McpError -32603 with the server and the reason */
  connect(lane: Lane): Promise<Client>;
  /** Called when the lane has closed: it is not used again. */
  closed(lane: Lane): void;
  /** Called when a connection was lost. */
  lost(): void;
  report(error: unknown, method?: string): void;
  intern(listing: Listing): MaybePromise<Listing>;
}

/** One call to forward. */
export interface ForwardedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly identity: ClientIdentity;
  readonly options: RequestOptions;
}

/** Whose calls a lane takes, if not those of one owner. */
export interface LaneUse {
  /** It closes with its call. */
  readonly isForOneCall?: boolean;
  /** Callers of any principal. */
  readonly isForAll?: boolean;
  /** Whose credentials the server gets, if they differ by caller. */
  readonly owner?: LiveOwner;
}

/** Milliseconds that a lane for one call waits for the call. */
const UNUSED_TIMEOUT = 1_000;
/** Milliseconds between two connections that were lost, at first and at most. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;
/** Milliseconds that a lane that drains waits for a call that was on its way to it. */
const DRAINED_AFTER = 100;

export class Lane {
  readonly profile: Profile;
  readonly questions: LaneQuestions;
  readonly begunTasks: BegunTasks = new BegunTasks();
  listing: Listing = EMPTY_LISTING;
  readonly #host: LaneHost;
  readonly #listeners = new Set<LaneListener>();
  readonly #resources: ResourceWatch;
  readonly #tasks = new TaskWatches();
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  #lists: ListWatch | undefined;
  #level: LoggingLevel | undefined;
  #uses = 0;
  #wasUsed = false;
  #idle: Timer;
  #closed = false;
  /** Closes it although calls run; undefined while it does not drain. */
  #draining: Timer;
  /** What calls fail with that did not end while it drained. */
  #late: McpError | undefined;
  readonly #use: LaneUse;
  /** A connection whose lists are being read. */
  #connecting: Client | undefined;
  #openedAt = -Infinity;
  /** Connections that were lost one after the other. */
  #losses = 0;
  #reopening: Timer;

  constructor(host: LaneHost, profile: Profile, use: LaneUse = {}) {
    this.#host = host;
    this.profile = profile;
    this.#use = use;
    this.questions = new LaneQuestions(host.clock);
    this.#resources = new ResourceWatch(
      (uri) => this.#listen(uri),
      (error) => host.report(error, "resources/subscribe"),
    );
  }

  /** Whose credentials the server gets; undefined if they are the gateway's. */
  get owner(): LiveOwner | undefined {
    return this.#use.owner;
  }

  /** Whether it has an open connection, whose lists were read. */
  get isOpen(): boolean {
    return this.#client !== undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether nothing uses it or listens to it. */
  get isIdle(): boolean {
    return this.#uses === 0 && this.#listeners.size === 0 && this.#resources.isEmpty && this.#tasks.isEmpty;
  }

  /** Requests that wait for the connection, or for the server's result. */
  get waiting(): number {
    return this.#uses;
  }

  /** The open connection; undefined while there is none. */
  get connection(): ServerConnection | undefined {
    return this.#client?.connection;
  }

  /** Whether its server speaks a stateless revision; undefined before it was asked. */
  get isStateless(): boolean | undefined {
    return this.#client?.connection.codec.stateless;
  }

  /** Whether its server makes calls of tools tasks (2025-11-25). */
  get hasTasks(): boolean {
    return this.isStateless === false && this.#client?.serverCapabilities.tasks?.requests?.tools?.call !== undefined;
  }

  /** Whether it closes with its call, so that nothing else may keep it open. A stateless server has one lane for all. */
  get isForOneCall(): boolean {
    return this.#use.isForOneCall === true && this.isStateless !== true;
  }

  /** Whether it takes calls of any principal. */
  get isForAll(): boolean {
    return this.#use.isForAll === true;
  }

  /** The open connection. @throws McpError -32603 if the server cannot be reached */
  open(): MaybePromise<Client> {
    if (this.#client !== undefined) return this.#client;
    if (this.#closed) throw new McpError(ErrorCode.InternalError, "The connection was closed", { server: this.#host.name, reason: "lost" });
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
      this.#rest();
    });
    return this.#opening;
  }

  async #open(): Promise<Client> {
    const client = await this.#host.connect(this);
    this.#connecting = client;
    let isLost = false;
    void client.closed.then(() => {
      isLost = true;
      this.#lost(client);
    });
    client.inbox.subscribe((method, params) => this.#notified(method, params));
    if (!this.#closed && this.#level !== undefined) await this.#sendLevel(client, this.#level);
    if (!this.#closed) await this.#readLists(client);
    this.#connecting = undefined;
    if (this.#closed || isLost) {
      await client.close();
      const message = this.#closed ? "The connection was closed" : "The server has ended the connection while its lists were read";
      throw new McpError(ErrorCode.InternalError, message, { server: this.#host.name, reason: "lost" });
    }
    this.#openedAt = this.#host.clock.now();
    this.#lists = new ListWatch(client, {
      clock: this.#host.clock,
      changed: (lists) => this.#readLists(client, lists),
      report: (error) => this.#host.report(error),
    });
    this.#client = client;
    this.#resources.reopen();
    this.#rest();
    return client;
  }

  /** Reads the lists, and tells the listeners which of them are other than before, or announced as changed. */
  async #readLists(client: Client, changed?: ReadonlySet<ListName>): Promise<void> {
    const server = {
      capabilities: client.serverCapabilities,
      report: (error: unknown) => this.#host.report(error),
      request: async (method: string, params: JsonObject) => {
        const { codec, dispatcher, identity } = client.connection;
        const raw = await dispatcher.request(method, codec.encodeRequest(method, params, identity));
        return skippingMalformedItems(
          method,
          (result) => codec.decodeResult(method, result),
          (error) => this.#host.report(error, method),
        )(raw);
      },
    };
    const before = this.listing;
    this.listing = await this.#host.intern(await readListing(server, before, changed));
    // What the server announces is passed on, also if its lists are as before: they may have changed and changed back.
    for (const list of changed ?? []) this.#tell(list);
    if (changed !== undefined || this.listing === before) return;
    if (differs(before.tool, this.listing.tool)) this.#tell("tools");
    if (differs(before.prompt, this.listing.prompt)) this.#tell("prompts");
    if (differs(before.resource, this.listing.resource) || differs(before.template, this.listing.template)) this.#tell("resources");
  }

  #tell(list: ListName): void {
    for (const listener of this.#listeners) listener.listChanged(list);
  }

  /** Sends a request, and resolves with the result as the server sent it. */
  request({ method, params, identity, options }: ForwardedRequest, call: LaneCall): Promise<JsonObject> {
    let client: Client | undefined;
    const sent = andThen(this.open(), (opened) => {
      client = opened;
      const { codec, dispatcher } = opened.connection;
      this.questions.begin(call);
      return dispatcher.request(method, codec.encodeRequest(method, params, identity), options);
    });
    this.#begin();
    return Promise.resolve(sent).then(
      (result) => {
        this.#end(call);
        return result;
      },
      (error: unknown) => {
        // Before the caller gets the error: its next call must open another connection.
        if (client !== undefined && isEndOf(error)) this.#lost(client);
        this.#end(call);
        if (this.#late !== undefined) throw this.#late;
        throw this.owner === undefined ? error : this.#refusalOf(error);
      },
    );
  }

  #end(call: LaneCall): void {
    this.questions.end(call);
    this.#release();
  }

  /** An error that names the server if it refuses its caller; else the error itself. */
  #refusalOf(error: unknown): unknown {
    const refusal = refusalOf(error, this.#host.name);
    if (refusal !== undefined && loginNeededIn(error) === undefined) this.#host.report(error);
    return refusal ?? error;
  }

  /** Sends a notification, if there is a connection that takes it. */
  notify(method: string): void {
    void this.#client?.notify(method);
  }

  /** Makes the server send log messages from that level on. It never becomes less, because several callers may want it. */
  wantLevel(level: LoggingLevel): MaybePromise<void> {
    if (this.#level !== undefined && isAtLeast(level, this.#level)) return undefined;
    this.#level = level;
    return this.#client && this.#sendLevel(this.#client, level);
  }

  async #sendLevel(client: Client, level: LoggingLevel): Promise<void> {
    if (client.connection.codec.stateless || client.serverCapabilities.logging === undefined) return;
    await client.setLoggingLevel(level).catch((error: unknown) => this.#host.report(error, "logging/setLevel"));
  }

  // ---- listeners and watches ----

  /** Hears of changes until the returned function is called. The lane stays open meanwhile. */
  listen(listener: LaneListener): () => void {
    this.#listeners.add(listener);
    this.#rest();
    return () => {
      this.#listeners.delete(listener);
      this.#rest();
    };
  }

  /** Calls `updated` when the resource changes. Returns a function that ends it. @throws McpError if the server does not watch it */
  async watch(uri: string, updated: () => void): Promise<() => void> {
    const client = await this.open();
    if (client.serverCapabilities.resources?.subscribe !== true) {
      const message = `Server "${this.#host.name}" does not announce changes of resources`;
      throw new McpError(ErrorCode.MethodNotFound, message, { server: this.#host.name });
    }
    const stop = await this.#resources.add(uri, updated);
    this.#rest();
    return () => {
      stop();
      this.#rest();
    };
  }

  /** Calls `changed` when the server announces a state of the task. Returns a function that ends it. The lane must be open. */
  watchTask(taskId: string, identity: ClientIdentity, changed: () => void): () => void {
    const { connection } = this;
    if (connection === undefined) return () => undefined;
    const stop = this.#tasks.add(taskId, changed, connection, identity);
    this.#rest();
    return () => {
      stop();
      this.#rest();
    };
  }

  async #listen(uri: string): Promise<AsyncIterable<unknown> & { close(): Promise<void> }> {
    return (await this.open()).listen({ resources: [uri] });
  }

  #notified(method: string, params: JsonObject): void {
    if (method === "notifications/message") return this.#logged(params);
    if (method === "notifications/tasks" || method === "notifications/tasks/status") return this.#taskChanged(params);
    if (method === "notifications/elicitation/complete") for (const listener of this.#listeners) listener.notified(method, params);
  }

  /** Of a lane of all callers, the tasks may be those of another principal: only those who named a task hear of it. */
  #taskChanged(task: JsonObject): void {
    this.#tasks.announced(task);
    if (this.isStateless === true || this.isForAll) return;
    for (const listener of this.#listeners) listener.taskChanged(task, this.#host.name);
  }

  /** A log message belongs to the newest call, or to all that listen if there is no call. One that may concern another principal is dropped. */
  #logged(params: JsonObject): void {
    const call = this.questions.newest;
    const isShared = this.isStateless === true || this.isForAll;
    if (call !== undefined) {
      if (!isShared || this.questions.hasOneOwner) call.logged(params);
      return;
    }
    if (!isShared) for (const listener of this.#listeners) listener.notified("notifications/message", params);
  }

  // ---- end ----

  #begin(): void {
    this.#uses++;
    this.#wasUsed = true;
    this.#host.clock.clearTimer(this.#idle);
  }

  #release(): void {
    this.#uses--;
    this.#rest();
  }

  /** Closes the lane later if nothing uses it until then. */
  #rest(): void {
    const { clock, idleTimeout } = this.#host;
    clock.clearTimer(this.#idle);
    if (this.#closed || (this.#isDraining ? this.#isNeeded : !this.isIdle)) return;
    const ms = this.#isDraining ? DRAINED_AFTER : this.isForOneCall ? (this.#wasUsed ? 0 : UNUSED_TIMEOUT) : idleTimeout;
    this.#idle = clock.setTimer(ms, () => void this.close());
    unref(this.#idle);
  }

  /** Closes when its calls have ended, or after `ms` milliseconds. Who only listens to it does not keep it open. */
  drain(ms: number, late: McpError): void {
    this.#draining = this.#host.clock.setTimer(ms, () => {
      if (this.#uses > 0) {
        this.#late = late;
        this.#host.report(late);
      }
      void this.close();
    });
    unref(this.#draining);
    this.#rest();
  }

  get #isDraining(): boolean {
    return this.#draining !== undefined;
  }

  /** Whether a call runs, or is about to, or a task may run. */
  get #isNeeded(): boolean {
    return this.#uses > 0 || this.#opening !== undefined || !this.begunTasks.isEmpty;
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#host.lost();
    void this.#lists?.close();
    this.questions.fail(new McpError(ErrorCode.InternalError, "The server is gone", { server: this.#host.name, reason: "lost" }));
    if (this.#host.clock.now() - this.#openedAt >= LONGEST_PAUSE) this.#losses = 0;
    this.#reopen();
  }

  /** Opens another connection for listeners and watches: at once, and later with pauses, so that a server that always ends is no busy loop. */
  #reopen(): void {
    const { clock } = this.#host;
    if (this.#closed || this.isIdle || this.#isDraining) return void this.close();
    const pause = this.#losses === 0 ? 0 : Math.min(FIRST_PAUSE * 2 ** (this.#losses - 1), LONGEST_PAUSE);
    this.#losses++;
    clock.clearTimer(this.#reopening);
    if (pause === 0) return void this.#openAgain();
    this.#reopening = clock.setTimer(pause, () => {
      if (!this.isOpen && !this.#closed) void this.#openAgain();
    });
    unref(this.#reopening);
  }

  async #openAgain(): Promise<void> {
    try {
      if (!this.isIdle) await this.open();
    } catch (error) {
      this.#host.report(error);
      this.#reopen();
    }
  }

  /** Closes the connection; running calls fail. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#host.clock.clearTimer(this.#idle);
    this.#host.clock.clearTimer(this.#reopening);
    this.#host.clock.clearTimer(this.#draining);
    this.#host.closed(this);
    const client = this.#client ?? this.#connecting;
    this.#client = undefined;
    this.questions.fail(
      new McpError(ErrorCode.InternalError, "The gateway has closed the connection", { server: this.#host.name, reason: "lost" }),
    );
    await Promise.all([this.#lists?.close(), client?.close()]);
  }

  /** Waits until it is open, but not longer than that. Resolves with whether it is. */
  async opensWithin(ms: number): Promise<boolean> {
    if (this.isOpen) return true;
    return finishesWithin(
      this.#host.clock,
      ms,
      Promise.resolve().then(() => this.open()),
    );
  }
}

/** Whether a call failed because its whole connection has ended, and not one exchange over HTTP. */
function isEndOf(error: unknown): boolean {
  return error instanceof ConnectionClosedError && !(error instanceof ConnectionLostError);
}

function differs(one: readonly JsonObject[], other: readonly JsonObject[]): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
