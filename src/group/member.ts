/**
 * One server of a group, for as long as it is in it: connected, lost, tried again, closed.
 *
 * Its components are in the catalog while it is connected. Everything that goes wrong here is reported, and never holds
 * up another server. When it is tried again is decided in `supervision.ts`.
 */
import { unlessAborted } from "../dispatch/unless-aborted.ts";
import { ErrorCode, McpError, McpUsageError } from "../jsonrpc/mcp-error.ts";
import { Aggregation } from "./aggregation.ts";
import { Calls } from "./calls.ts";
import { connectOptions } from "./connecting.ts";
import { Connection } from "./connection.ts";
import { Deadline } from "./deadline.ts";
import { ServerUnavailableError } from "./errors.ts";
import type { Host } from "./host.ts";
import { ResourceWatches } from "./resource-watches.ts";
import type { GroupSession } from "./session.ts";
import type { Source } from "./source.ts";
import type { ServerState, ServerStatus } from "./status.ts";
import { Supervision } from "./supervision.ts";
import type { ListCapability } from "./watch.ts";

/** Milliseconds a user has to log in. */
const LOGIN = 5 * 60_000;

export class Member {
  readonly source: Source;
  readonly #host: Host;
  readonly #supervision: Supervision;
  readonly #aggregation: Aggregation;
  readonly #watches: ResourceWatches;
  readonly #calls = new Calls();
  /** Aborts when it has left the group. */
  readonly #ended = new AbortController();
  #name: string | undefined;
  #state: ServerState = "connecting";
  #since = new Date();
  #error: Error | undefined;
  #failures = 0;
  /** Whether anybody knows of it: a server that never joined never changed. */
  #isKnown = false;
  #connection: Connection | undefined;
  /** What is still being closed of attempts and connections that are over. */
  #cleaning: Promise<unknown> = Promise.resolve();
  /** Why something could not be closed, for whoever waits for it. */
  readonly #unclosed: unknown[] = [];
  #isOnStack = false;
  #closing: Promise<void> | undefined;

  /** @param name what the group calls it; undefined until it says so itself */
  constructor(host: Host, source: Source, name?: string) {
    this.source = source;
    this.#host = host;
    this.#name = name;
    this.#supervision = new Supervision(this, host, this.#ended.signal);
    this.#aggregation = new Aggregation(this, host);
    this.#watches = new ResourceWatches(
      (uri) => this.#aggregation.tellResource(uri),
      (error) => this.report(error),
    );
  }

  get name(): string {
    return this.#name ?? "server";
  }

  get session(): GroupSession | undefined {
    return this.#connection?.session;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Resolves when the first attempt to connect is over. */
  get settled(): Promise<void> | undefined {
    return this.#supervision.starting;
  }

  get status(): ServerStatus {
    const { name, session } = this;
    const serverInfo = this.#aggregation.info;
    return { name, state: this.#state, since: this.#since, error: this.#error, failures: this.#failures, session, serverInfo };
  }

  set state(state: ServerState) {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = new Date();
    if (this.#isKnown) this.#host.emit({ kind: "server", server: this.name, state });
  }

  get state(): ServerState {
    return this.#state;
  }

  report(error: unknown): void {
    this.#host.report(error, this.name);
  }

  // ---- connecting ----

  /** Connects in the background, and stays connected. */
  start(): void {
    this.#isKnown = true;
    this.#supervision.start();
  }

  /** Connects once, and stays connected from then on. @throws why it did not; then nothing of it is left */
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

  /** Connects anew, at once. @throws why it did not; it is tried again like after any failure */
  reconnect(): Promise<GroupSession> {
    return this.#supervision.restart();
  }

  /** One attempt to connect. @throws why it failed */
  async join(signal?: AbortSignal): Promise<GroupSession> {
    this.state = "connecting";
    const deadline = this.#deadline(this.source.mayLogIn ? LOGIN : 0, signal);
    try {
      const session = await this.#open(deadline.signal);
      const connection = new Connection(session, this.#connectionOptions());
      try {
        await this.#enrol(connection, deadline.signal);
      } catch (error) {
        this.#cleanUp(connection.close());
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

  #deadline(more: number, signal?: AbortSignal): Deadline {
    const ms = (this.source.options.connectTimeout ?? this.#host.times.connectTimeout) + more;
    const late = (): Error => {
      const message = `Server "${this.name}" did not answer within ${ms} ms (option "connectTimeout")`;
      return new McpError(ErrorCode.RequestTimeout, message, { server: this.name, timeoutMs: ms });
    };
    return new Deadline(this.#host.clock, ms, late, [signal, this.#ended.signal]);
  }

  /** Gives up at once where it has to; what comes of the attempt all the same is closed. */
  async #open(signal: AbortSignal): Promise<GroupSession> {
    const options = connectOptions(
      this.#host.options,
      this.source.options,
      () => this.name,
      (error) => this.report(error),
    );
    const opening = this.source.open({ ...options, signal });
    try {
      return await unlessAborted(opening, signal);
    } catch (error) {
      if (this.source.owned) this.#cleanUp(opening.then((late) => late.close()).catch(() => undefined)); // it failed, as expected
      throw error;
    }
  }

  /** Takes the server in, with everything it lists. @throws and changes nothing (SG-16) */
  async #enrol(connection: Connection, signal: AbortSignal): Promise<void> {
    const { session } = connection;
    const info = this.source.info ?? session.serverInfo;
    this.#name ??= this.#host.nameAfter(info, this);
    this.#aggregation.info = info;
    const listing = await connection.listAll(signal);
    const take = await this.#aggregation.prepare(listing);
    signal.throwIfAborted();
    if (this.#closing !== undefined) throw new McpUsageError(`Server "${this.name}" has left the group`);
    const differences = take();
    this.#isKnown = true;
    this.#connection = connection;
    this.#error = undefined;
    this.#failures = 0;
    this.#host.joined(session, this);
    this.#deferClosing();
    connection.begin(listing);
    this.#watches.attach(connection);
    this.state = "connected";
    this.#aggregation.tell(differences);
    this.#supervision.connected(session);
  }

  /** A stack of the user's closes sessions too. */
  #deferClosing(): void {
    if (!this.source.owned || this.#isOnStack) return;
    this.#isOnStack = true;
    this.#host.options.stack?.defer(() => this.close());
  }

  #connectionOptions(): ConstructorParameters<typeof Connection>[1] {
    const { clock, limits, validator } = this.#host;
    return {
      clock,
      limits,
      validator,
      owned: this.source.owned,
      report: (error) => this.report(error),
      refresh: (connection, changed) => this.#refresh(connection, changed),
    };
  }

  async #refresh(connection: Connection, changed: ReadonlySet<ListCapability>): Promise<boolean> {
    const isOver = (): boolean => this.#connection !== connection || this.#closing !== undefined;
    const { listing } = connection;
    if (listing === undefined || isOver()) return false;
    const deadline = this.#deadline(0);
    try {
      return await this.#aggregation.refresh(connection, listing, changed, deadline.signal, isOver);
    } finally {
      deadline.clear();
    }
  }

  /** Names of another server are free. */
  namesFreed(): void {
    this.#aggregation.tryAgain(this.#connection);
  }

  /** The tool of that name may be used as it is now. */
  release(tool: string): void {
    this.#aggregation.release(tool);
  }

  // ---- losing it ----

  /** The connection is of no use any more. */
  leave(connection: Connection): void {
    this.#connection = undefined;
    this.#watches.detach();
    this.#aggregation.hide();
    this.#cleanUp(connection.close());
  }

  failed(error: unknown): void {
    this.#error = error instanceof Error ? error : new Error(String(error));
    this.#failures++;
    if (this.#closing === undefined) this.report(error);
    this.#supervision.failed(error);
  }

  /** It will not be tried again by itself: its names are free. */
  giveUp(): void {
    this.#aggregation.clear();
    this.state = "closed";
  }

  #cleanUp(work: Promise<unknown>): void {
    const done = work.catch((error: unknown) => {
      if (this.#closing === undefined) this.report(error);
      else this.#unclosed.push(error);
    });
    this.#cleaning = Promise.all([this.#cleaning, done]);
  }

  /** Resolves once nothing is left of attempts and connections that are over. */
  async cleaned(): Promise<void> {
    await this.#cleaning;
  }

  // ---- using it ----

  /** Makes a call on its connection. @throws ServerUnavailableError where there is none, and whatever the call throws */
  async call<T>(use: (session: GroupSession) => Promise<T>): Promise<T> {
    const connection = this.#connection;
    if (connection === undefined) throw this.unavailable();
    try {
      const result = await this.#calls.track(() => use(connection.session));
      connection.health.answered();
      return result;
    } catch (error) {
      if (connection.health.failed(error)) this.#supervision.trip(connection, error);
      throw error;
    }
  }

  unavailable(): ServerUnavailableError {
    return new ServerUnavailableError(this.name, this.#state, this.#error);
  }

  watch(uri: string): Promise<void> {
    const connection = this.#connection;
    return this.call(() => this.#watches.add(connection!, uri)); // there is one where a call is made
  }

  unwatch(uri: string): Promise<void> {
    return this.#watches.remove(uri);
  }

  /**
   * Leaves the group: its components at once, its session after calls under way, `drain` ms at most. Idempotent.
   * @throws why its session could not be closed
   */
  close(drain = 0): Promise<void> {
    return (this.#closing ??= this.#close(drain));
  }

  async #close(drain: number): Promise<void> {
    this.#aggregation.remove();
    await this.#calls.end(this.#host.clock, drain);
    this.#ended.abort(new McpUsageError(`Server "${this.name}" has left the group`));
    await this.#supervision.ended;
    if (this.#connection !== undefined) this.leave(this.#connection);
    await this.#cleaning;
    this.state = "closed";
    if (this.#unclosed.length > 0) throw this.#unclosed[0];
  }
}
