/**
 * One server of a group, from joining to leaving: connected, lost, tried again, closed.
 *
 * Its components are in the catalog while it is connected. Its errors are reported, and never affect another server.
 * `supervision.ts` decides when it is tried again.
 */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { Aggregation, type ListedServer } from "../catalog/aggregation.ts";
import { CallsUnderWay } from "./calls-under-way.ts";
import { CleanUp } from "./clean-up.ts";
import { deadlineOf, openSession } from "../connection/connect-attempt.ts";
import { GroupConnection } from "../connection/group-connection.ts";
import { ServerUnavailableError } from "../errors.ts";
import type { GroupContext } from "../group-context.ts";
import { ResourceWatch } from "../../upstream/resource-watch.ts";
import type { GroupSession } from "../../upstream/session.ts";
import type { QuestionRelay } from "../../session/asking/questions/question-relay.ts";
import type { ServerSource } from "../../upstream/entry.ts";
import { StatusRecord, type ServerState, type ServerStatus } from "./server-state.ts";
import { Supervision, type SupervisedServer } from "./supervision.ts";
import type { ListName } from "../../upstream/listing.ts";

/** Milliseconds a user has to log in. */
const LOGIN = 5 * 60_000;

export class GroupServer implements SupervisedServer, ListedServer {
  readonly source: ServerSource;
  readonly #context: GroupContext<GroupServer>;
  readonly #supervision: Supervision;
  readonly #aggregation: Aggregation<GroupServer>;
  readonly #watches: ResourceWatch;
  /** What ends the watch of each resource, by URI. */
  readonly #watched = new Map<string, Promise<() => void>>();
  readonly #calls = new CallsUnderWay();
  /** Aborts when the server has left the group. */
  readonly #ended = new AbortController();
  readonly #status: StatusRecord;
  readonly #cleanUp: CleanUp;
  #name: string | undefined;
  #instructions: string | undefined;
  #connection: GroupConnection | undefined;
  #isOnStack = false;
  #closing: Promise<void> | undefined;

  /** @param name its name in the group; undefined to take the name that the server declares */
  constructor(context: GroupContext<GroupServer>, source: ServerSource, name?: string) {
    this.source = source;
    this.#context = context;
    this.#name = name;
    const { clock, options } = context;
    this.#status = new StatusRecord((state) => context.emit({ kind: "server", server: this.name, state }));
    this.#cleanUp = new CleanUp((error) => this.report(error));
    this.#supervision = new Supervision(this, { clock, reconnect: options.reconnect ?? true }, this.#ended.signal);
    this.#aggregation = new Aggregation(this, context);
    this.#watches = new ResourceWatch({
      clock,
      listen: (uri) => {
        if (this.#connection === undefined) return Promise.reject(this.unavailable());
        return this.#connection.listen({ resources: [uri] });
      },
      report: (error) => this.report(error),
    });
  }

  get name(): string {
    return this.#name ?? "server";
  }

  get session(): GroupSession | undefined {
    return this.#connection?.session;
  }

  get connection(): GroupConnection | undefined {
    return this.#connection;
  }

  /** What it says of itself for models, if it is connected and that is approved. */
  get instructions(): string | undefined {
    return this.#connection && this.#instructions;
  }

  /** Judges anew what it says of itself. */
  async judgeInstructions(session: GroupSession | undefined = this.session): Promise<void> {
    const { pins } = this.#context;
    const text = session?.instructions;
    this.#instructions = pins === undefined ? text : await pins.instructionsOf(this.name, text);
  }

  /** Resolves when the first attempt to connect is over. */
  get settled(): Promise<void> | undefined {
    return this.#supervision.starting;
  }

  get status(): ServerStatus {
    const { name, session } = this;
    const { state, since, error, failures } = this.#status;
    return { name, state, since, error, failures, session, serverInfo: this.#aggregation.info };
  }

  get state(): ServerState {
    return this.#status.state;
  }

  set state(state: ServerState) {
    this.#status.state = state;
  }

  report(error: unknown): void {
    this.#context.report(error, this.name);
  }

  // ---- connecting ----

  /** Connects in the background, and stays connected. */
  start(): void {
    this.#status.isKnown = true;
    this.#supervision.start();
  }

  /** Connects once, and stays connected from then on. @throws the reason if it does not connect; then everything is closed */
  async startWith(signal: AbortSignal | undefined): Promise<GroupSession> {
    try {
      const session = await this.join(signal);
      this.#supervision.start();
      return session;
    } catch (error) {
      await this.close().catch((unclosed: unknown) => this.report(unclosed));
      throw error;
    }
  }

  /** Connects again at once. @throws the reason if it does not connect; it is tried again as after any failure */
  reconnect(): Promise<GroupSession> {
    return this.#supervision.restart();
  }

  /** Tries to connect once. @throws the reason of the failure */
  async join(signal?: AbortSignal): Promise<GroupSession> {
    this.state = "connecting";
    const more = this.source.startTimeout + (this.source.mayLogIn ? LOGIN : 0);
    const deadline = deadlineOf(this, this.#context, { more, signals: [signal, this.#ended.signal] });
    try {
      const session = await openSession(this, this.#context, { signal: deadline.signal, cleanUp: this.#cleanUp });
      const connection = new GroupConnection(session, this.#connectionOptions());
      try {
        await this.#enrol(connection, deadline.signal);
      } catch (error) {
        this.#cleanUp.add(connection.close());
        throw error;
      }
      return session;
    } catch (error) {
      this.failed(error);
      throw error;
    } finally {
      deadline.clear();
    }
  }

  /** Adds everything that the server lists to the catalog. If it throws, nothing has changed. */
  async #enrol(connection: GroupConnection, signal: AbortSignal): Promise<void> {
    const { session } = connection;
    const info = this.source.info ?? session.serverInfo;
    this.#name ??= this.#context.nameAfter(info, this);
    this.#aggregation.info = info;
    const listing = await connection.listAll(signal);
    const take = await this.#aggregation.prepare(listing);
    await this.judgeInstructions(session);
    signal.throwIfAborted();
    if (this.#closing !== undefined) throw new McpUsageError(`Server "${this.name}" has left the group`);
    const differences = take();
    this.#status.joined();
    this.#connection = connection;
    this.#context.joined(session, this);
    this.#deferClosing();
    connection.begin(listing);
    this.#watches.reopen();
    this.state = "connected";
    this.#aggregation.tell(differences);
    this.#supervision.connected(session);
  }

  #deferClosing(): void {
    if (!this.source.owned || this.#isOnStack) return;
    this.#isOnStack = true;
    this.#context.options.stack?.defer(() => this.close());
  }

  #connectionOptions(): ConstructorParameters<typeof GroupConnection>[1] {
    const { clock, limits, validator } = this.#context;
    return {
      clock,
      limits,
      validator,
      owned: this.source.owned,
      report: (error) => this.report(error),
      refresh: (connection, changed) => this.#refresh(connection, changed),
    };
  }

  async #refresh(connection: GroupConnection, changed: ReadonlySet<ListName>): Promise<ReadonlySet<ListName>> {
    const isOver = (): boolean => this.#connection !== connection || this.#closing !== undefined;
    const { listing } = connection;
    if (listing === undefined || isOver()) return new Set();
    const deadline = deadlineOf(this, this.#context, { signals: [this.#ended.signal] });
    try {
      return await this.#aggregation.refresh(connection, { known: listing, changed, signal: deadline.signal, isOver });
    } finally {
      deadline.clear();
    }
  }

  /** Tries refused lists again, because another server has freed names. */
  namesFreed(): void {
    this.#aggregation.tryAgain(this.#connection);
  }

  /** Releases what was held back under that key. */
  release(key: string): void {
    this.#aggregation.release(key);
  }

  // ---- losing it ----

  /** Gives up a connection. */
  leave(connection: GroupConnection): void {
    this.#connection = undefined;
    this.#watches.detach();
    this.#aggregation.hide();
    this.#cleanUp.add(connection.close());
  }

  failed(error: unknown): void {
    this.#status.failed(error);
    if (this.#closing === undefined) this.report(error);
    this.#supervision.failed(error);
  }

  /** Stops trying: frees its names. */
  giveUp(): void {
    this.#aggregation.clear();
    this.state = "closed";
  }

  /** Resolves once failed attempts and old connections are closed. */
  cleaned(): Promise<void> {
    return this.#cleanUp.done();
  }

  // ---- using it ----

  /** What asks the client of the calls that it serves now, if all of them are forwarded for one client. */
  get relay(): QuestionRelay | undefined {
    return this.#calls.relay;
  }

  /** Makes a call on its connection. @throws ServerUnavailableError if there is none; what the call throws */
  async call<T>(use: (session: GroupSession) => Promise<T>, relay?: QuestionRelay): Promise<T> {
    const connection = this.#connection;
    if (connection === undefined) throw this.unavailable();
    try {
      const result = await this.#calls.track(() => use(connection.session), relay);
      connection.health.answered();
      return result;
    } catch (error) {
      if (connection.health.failed(error)) this.#supervision.trip(connection, error);
      throw error;
    }
  }

  unavailable(): ServerUnavailableError {
    return new ServerUnavailableError(this.name, this.#status.state, this.#status.error);
  }

  async watch(uri: string): Promise<void> {
    let watched = this.#watched.get(uri);
    if (watched === undefined) {
      watched = this.call(() => this.#watches.add(uri, () => this.#aggregation.tellResource(uri)));
      this.#watched.set(uri, watched);
      watched.catch(() => this.#watched.delete(uri));
    }
    await watched;
  }

  async unwatch(uri: string): Promise<void> {
    const watched = this.#watched.get(uri);
    this.#watched.delete(uri);
    (await watched)?.();
  }

  /**
   * Leaves the group: removes its components at once, and closes its session after pending calls, `drain` ms later at most. Idempotent.
   * @throws the reason if its session cannot be closed
   */
  close(drain = 0): Promise<void> {
    return (this.#closing ??= this.#close(drain));
  }

  async #close(drain: number): Promise<void> {
    this.#cleanUp.keepErrors();
    this.#aggregation.remove();
    await this.#calls.end(this.#context.clock, drain);
    this.#ended.abort(new McpUsageError(`Server "${this.name}" has left the group`));
    await this.#supervision.ended;
    if (this.#connection !== undefined) this.leave(this.#connection);
    await this.#cleanUp.done();
    this.state = "closed";
    await this.#cleanUp.end();
  }
}
