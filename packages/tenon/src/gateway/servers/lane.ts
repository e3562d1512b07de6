/**
 * A lane: what a gateway talks to one server through, for callers whose calls may meet there.
 *
 * It is one connection (`lane-connection.ts`), which is closed when it is unused (`lane-lifetime.ts`). Listeners, watches
 * (`lane-events.ts`) and the log level survive a lost connection; calls do not.
 */
import type { Clock } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { OutgoingRequest } from "../../client/call/outgoing-request.ts";
import type { Client } from "../../client/client.ts";
import type { ServerConnection } from "../../client/connection.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import { abortOf } from "../../dispatch/pending.ts";
import { ConnectionClosedError, ConnectionLostError, ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import type { Middleware } from "../../session/handler.ts";
import type { LoggingLevel } from "../../protocol/types.ts";
import { isAtLeast } from "../../protocol/logging.ts";
import type { ClientIdentity } from "../../wire/codec.ts";
import { LaneQuestions, type LaneCall } from "../asking/lane-questions.ts";
import type { ListLimits } from "../../upstream/listing.ts";
import type { Listing } from "../catalog/listing.ts";
import type { Profile } from "../clients/profile.ts";
import type { LiveOwner } from "../credentials/caller-auth.ts";
import { refusalOf } from "../credentials/refusal.ts";
import { loginNeededIn } from "../login/login-needed.ts";
import { CallerTurns } from "./caller-turns.ts";
import { LaneConnection } from "./lane-connection.ts";
import { LaneEvents } from "./lane-events.ts";
import { LaneLifetime } from "./lane-lifetime.ts";
import type { ServerLists } from "./server-lists.ts";
import type { Words } from "./words.ts";
import { TaskIds } from "../tasks/task-ids.ts";
import { LaneLists } from "./lane-lists.ts";

/** The server of a lane. */
export interface LaneHost {
  readonly name: string;
  readonly clock: Clock;
  readonly idleTimeout: number;
  readonly limits: ListLimits;
  readonly lists: Pick<ServerLists, "intern">;
  readonly middleware: readonly Middleware<OutgoingRequest>[];
  /** Opens a connection. @throws McpError -32603 with the server and the reason; `signal.reason` */
  connect(lane: Lane, signal: AbortSignal): Promise<Client>;
  /** Called when the lane closes: it is not used again. `ended` resolves when its connection has ended. */
  closed(lane: Lane, ended: Promise<unknown>): void;
  /** Called when a connection was lost. */
  lost(): void;
  /** Called for each log message that is dropped, because it may concern another caller than those it could go to. */
  dropped(): void;
  report(error: unknown, method?: string): void;
}

export interface ForwardedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly identity: ClientIdentity;
  readonly options: RequestOptions;
}

/** Which callers a lane has. `lane-keys.ts` makes it of a caller. */
export interface LaneKey {
  /** One text for all callers of the lane. */
  readonly text: string;
  /** One text for the lanes of one owner, whose clients can do different things. */
  readonly owner: string;
  /** Whether it is for one call. */
  readonly isForOneCall: boolean;
  /** Whether callers of any principal share it, although the server has sessions. */
  readonly isForAll: boolean;
}

/** Whose calls a lane takes. */
export interface LaneUse {
  readonly key: LaneKey;
  /** Whose credentials the server gets, if they differ by caller. */
  readonly owner?: LiveOwner;
  /** Whose share of the server's connections it uses; undefined if it counts for no caller. */
  readonly holder?: string | undefined;
  /** Whether its server has no sessions, if that is known. */
  readonly isStateless?: boolean | undefined;
  /** Whose failures to connect it shares, so that one caller's failures are no other's. */
  readonly pace: string;
}

/** Most tasks that were begun on a connection and keep it while it drains. The oldest have probably ended. */
const MAX_BEGUN_TASKS = 1_000;

export class Lane {
  readonly server: string;
  readonly profile: Profile;
  readonly use: LaneUse;
  readonly lists: LaneLists;
  readonly lifetime: LaneLifetime;
  readonly questions: LaneQuestions;
  readonly events: LaneEvents;
  /** Tasks that were begun on its connection: it stays for them while it drains, and gets their requests. */
  readonly begunTasks: TaskIds = new TaskIds(MAX_BEGUN_TASKS);
  readonly #host: LaneHost;
  readonly #connection: LaneConnection;
  readonly #turns = new CallerTurns();
  /** What its server said of itself on the newest connection; undefined before the first one. For the callers of this lane only. */
  words: Words | undefined;
  #isStateless: boolean | undefined;
  #level: LoggingLevel | undefined;
  #closing: Promise<void> | undefined;

  constructor(host: LaneHost, profile: Profile, use: LaneUse) {
    const { name, clock } = host;
    const report = (error: unknown, method?: string): void => host.report(error, method);
    this.#host = host;
    this.server = name;
    this.use = use;
    this.#isStateless = use.isStateless;
    this.profile = profile;
    this.questions = new LaneQuestions(clock);
    this.events = new LaneEvents({
      ...{ name, clock, questions: this.questions, report },
      isShared: () => this.isShared,
      open: () => this.open(),
      client: () => this.#connection.client,
      changed: () => this.lifetime.rest(),
      dropped: () => host.dropped(),
    });
    this.lists = new LaneLists({
      ...{ clock, report, limits: host.limits },
      intern: (listing) => host.lists.intern(listing),
      changed: (list) => this.events.listChanged(list),
    });
    this.#connection = new LaneConnection({
      ...{ name, clock, report },
      connect: (signal) => host.connect(this, signal),
      prepare: (client) => this.#prepare(client),
      opened: (client) => this.#opened(client),
      settled: () => this.lifetime.rest(),
      lost: () => this.#lost(),
      isNeeded: () => !this.lifetime.isIdle && !this.lifetime.isDraining,
      unneeded: () => void this.close(),
    });
    this.lifetime = new LaneLifetime({
      ...{ clock, report, idleTimeout: host.idleTimeout },
      isClosed: () => this.isClosed,
      isForOneCall: () => this.isForOneCall,
      isHeard: () => !this.events.isIdle,
      isExpected: () => this.#connection.isOpening || !this.begunTasks.isEmpty,
      close: () => void this.close(),
    });
  }

  // ---- what it is ----

  /** Whose credentials the server gets; undefined if they are the gateway's. */
  get owner(): LiveOwner | undefined {
    return this.use.owner;
  }

  /** The middleware of the server's entry, around the calls that are forwarded to it. */
  get middleware(): readonly Middleware<OutgoingRequest>[] {
    return this.#host.middleware;
  }

  get listing(): Listing {
    return this.lists.listing;
  }

  /** Whether it has an open connection, whose lists were read. */
  get isOpen(): boolean {
    return this.#connection.client !== undefined;
  }

  get isOpening(): boolean {
    return this.#connection.isOpening;
  }

  get isClosed(): boolean {
    return this.#connection.isClosed;
  }

  get connection(): ServerConnection | undefined {
    return this.#connection.client?.connection;
  }

  /** Whether its server speaks a stateless revision; undefined before it was asked. It stays what it was first: who may share the lane depends on it. */
  get isStateless(): boolean | undefined {
    return this.#isStateless;
  }

  /** Takes over what the server shows with a new connection. Returns false if it is another kind of server than before. */
  learn(client: Client, words: Words): boolean {
    const { connection } = client; // not in the parameters: declarations keep their names, and `connection` is internal
    this.#isStateless ??= connection.codec.stateless;
    if (this.#isStateless !== connection.codec.stateless) return false;
    this.words = words;
    return true;
  }

  /** Whether its server makes calls of tools tasks (2025-11-25). */
  get hasTasks(): boolean {
    return this.isStateless === false && this.connection?.server.capabilities.tasks?.requests?.tools?.call !== undefined;
  }

  /** Whether it closes with its call, so that nothing else may keep it open. A stateless server has one lane for all. */
  get isForOneCall(): boolean {
    return this.use.key.isForOneCall && this.isStateless !== true;
  }

  /** Whether it takes calls of any principal. */
  get isForAll(): boolean {
    return this.use.key.isForAll;
  }

  get isShared(): boolean {
    return this.isStateless === true || this.isForAll;
  }

  // ---- connection ----

  open(): MaybePromise<Client> {
    return this.#connection.open();
  }

  async #prepare(client: Client): Promise<void> {
    const { dispatcher } = client.connection;
    client.inbox.subscribe((method, params) => this.events.notified(method, params, dispatcher.context?.related));
    if (this.#level !== undefined) await this.#sendLevel(client, this.#level);
    if (!this.isClosed) await this.lists.read(client);
  }

  #opened(client: Client): void {
    this.lists.watch(client);
    this.events.reopen();
    this.lifetime.rest();
  }

  #lost(): void {
    this.#host.lost();
    void this.lists.unwatch();
    this.questions.fail(new McpError(ErrorCode.InternalError, "The server is gone", { server: this.#host.name, reason: "lost" }));
  }

  // ---- what callers send ----

  /** Sends a request, and resolves with the result as the server sent it; one that deviates from the protocol is mended if it can be. */
  async request(request: ForwardedRequest, call: LaneCall): Promise<JsonObject> {
    const abort = abortOf(request.options);
    let client: Client | undefined;
    let hasTurn = false;
    this.lifetime.begin();
    try {
      client = this.#connection.client ?? (await this.open());
      this.questions.begin(call);
      const maxPending = this.#maxPendingInTurns(client);
      if (maxPending !== undefined) {
        const waiting = this.#turns.begin({ caller: call.owner, maxPending, abort });
        if (waiting !== undefined) await waiting;
        hasTurn = true;
      }
      const { codec, reading } = client.connection;
      return codec.tidyResult(request.method, await this.#send(client, request, call), reading);
    } catch (error) {
      // Before the caller gets the error: its next call must open another connection. An abort by the caller says nothing about the server.
      if (client !== undefined && abort?.aborted !== true && isEndOf(error)) this.#connection.lost(client);
      if (this.lifetime.late !== undefined) throw this.lifetime.late;
      throw this.owner === undefined ? error : this.#refusalOf(error);
    } finally {
      if (hasTurn) this.#turns.end(call.owner);
      this.questions.end(call);
      this.lifetime.end();
    }
  }

  #send(
    { connection: { codec, dispatcher } }: Client,
    { method, params, identity, options }: ForwardedRequest,
    call: LaneCall,
  ): Promise<JsonObject> {
    // Only over HTTP a server can show to which call a question or a log message belongs.
    const isShown = dispatcher.context?.kind === "http";
    const sent = isShown ? { ...options, onId: (id: RequestId) => void (call.requestId = id) } : options;
    return dispatcher.request(method, codec.encodeRequest(method, params, identity), sent);
  }

  /** Requests that a connection has pending at most, if callers take turns on it: over HTTP, if others use it too. */
  #maxPendingInTurns({ connection }: Client): number | undefined {
    return this.isShared && this.owner === undefined ? connection.dispatcher.limits?.maxConcurrentRequests : undefined;
  }

  /** An error that names the server if it refuses its caller; else the error itself. */
  #refusalOf(error: unknown): unknown {
    const refusal = refusalOf(error, this.#host.name);
    if (refusal !== undefined && loginNeededIn(error) === undefined) this.#host.report(error);
    return refusal ?? error;
  }

  /** Sends a notification, if there is a connection that takes it. */
  notify(method: string): void {
    void this.#connection.client?.notify(method);
  }

  /** Makes the server send log messages from that level on. It never becomes less, because several callers may want it. */
  wantLevel(level: LoggingLevel): MaybePromise<void> {
    if (this.#level !== undefined && isAtLeast(level, this.#level)) return undefined;
    this.#level = level;
    const { client } = this.#connection;
    return client && this.#sendLevel(client, level);
  }

  async #sendLevel(client: Client, level: LoggingLevel): Promise<void> {
    if (client.connection.codec.stateless || client.serverCapabilities.logging === undefined) return;
    await client.setLoggingLevel(level).catch((error: unknown) => this.#host.report(error, "logging/setLevel"));
  }

  // ---- end ----

  /** Closes the connection; running calls fail. Resolves when it has ended. Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { name: server } = this.#host;
    const ended = Promise.all([this.#connection.close(), this.lists.unwatch()]);
    this.lifetime.stop();
    this.events.close();
    this.#host.closed(this, ended);
    this.questions.fail(new McpError(ErrorCode.InternalError, "The gateway has closed the connection", { server, reason: "lost" }));
    await ended;
  }
}

/** Whether a call failed because its whole connection has ended, and not one exchange over HTTP. */
function isEndOf(error: unknown): boolean {
  return error instanceof ConnectionClosedError && !(error instanceof ConnectionLostError);
}
