/**
 * Keeps one server connected: waits until its connection is lost, and tries again, soon at first, then with growing pauses.
 *
 * After too many failures in a row its circuit is broken, and one attempt is made at a time. Nothing is tried again that
 * cannot recover by itself: wrong options, a connection that cannot be opened twice, a server that refuses the credentials.
 */
import { AuthorizationError } from "../../auth/authorization-error.ts";
import { LinkedAbort, unlessAborted } from "../../base/abort.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { statusOf } from "../../client/http/errors.ts";
import type { GroupConnection } from "../connection/group-connection.ts";
import { Retry } from "./retry.ts";
import type { GroupSession } from "../../upstream/session.ts";
import type { ServerSource } from "../../upstream/entry.ts";
import type { ServerState } from "./server-state.ts";

export interface SupervisedServer {
  readonly name: string;
  readonly source: ServerSource;
  readonly connection: GroupConnection | undefined;
  state: ServerState;
  join(): Promise<GroupSession>;
  /** Gives up a connection. */
  leave(connection: GroupConnection): void;
  failed(error: unknown): void;
  giveUp(): void;
  cleaned(): Promise<void>;
  unavailable(): Error;
}

export interface SupervisionOptions {
  readonly clock: Clock;
  /** Whether servers are tried again, if their own options do not say. */
  readonly reconnect: boolean;
}

interface Waiter {
  readonly resolve: (session: GroupSession) => void;
  readonly reject: (error: unknown) => void;
}

export class Supervision {
  /** Settles when supervision has ended; undefined before it starts. */
  ended: Promise<void> | undefined;
  /** Resolves when the first attempt is over; undefined from then on. */
  starting: Promise<void> | undefined;
  readonly #server: SupervisedServer;
  readonly #options: SupervisionOptions;
  /** Aborts when the server leaves the group. */
  readonly #left: AbortSignal;
  readonly #retry: Retry;
  #isRunning = false;
  #wake: LinkedAbort | undefined;
  /** Whether the next attempt is made at once. */
  #isUrgent = false;
  #waiters: Waiter[] = [];
  #started: (() => void) | undefined;

  constructor(server: SupervisedServer, options: SupervisionOptions, left: AbortSignal) {
    this.#server = server;
    this.#options = options;
    this.#left = left;
    this.#retry = new Retry(options.clock);
  }

  start(): void {
    if (this.#isRunning || this.#left.aborted) return;
    this.#isRunning = true;
    this.ended = this.#run().finally(() => (this.#isRunning = false));
  }

  /** Opens a new connection, also if there is one. @throws the reason if that fails */
  restart(): Promise<GroupSession> {
    const server = this.#server;
    if (!server.source.reopens())
      return Promise.reject(new McpUsageError(`The connection to server "${server.name}" cannot be opened again`));
    if (this.#left.aborted) return Promise.reject(this.#left.reason as Error);
    const outcome = new Promise<GroupSession>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    if (server.state === "connecting") return outcome;
    this.#retry.reset();
    this.#isUrgent = true;
    this.#wake?.abort();
    server.connection?.lose(new McpUsageError(`Server "${server.name}" is connected anew`));
    this.start();
    return outcome;
  }

  connected(session: GroupSession): void {
    this.#retry.connected();
    for (const { resolve } of this.#waiters.splice(0)) resolve(session);
  }

  failed(error: unknown): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  /** Gives up the connection and opens the circuit, because too many calls failed. */
  trip(connection: GroupConnection, error: unknown): void {
    this.#retry.trip();
    connection.lose(error);
  }

  async #run(): Promise<void> {
    this.starting = this.#server.connection === undefined ? new Promise((resolve) => (this.#started = resolve)) : undefined;
    while (!this.#left.aborted) {
      const { connection } = this.#server;
      const failure = connection === undefined ? await this.#try() : await this.#hold(connection);
      this.#started?.();
      this.starting = undefined;
      if (failure !== undefined && !(await this.#mayTryAgain(failure))) break;
    }
    this.failed(this.#server.unavailable());
  }

  async #try(): Promise<{ readonly error: unknown } | undefined> {
    this.#isUrgent = false;
    try {
      await this.#server.join();
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  async #hold(connection: GroupConnection): Promise<{ readonly error: unknown } | undefined> {
    const error = await unlessAborted(connection.lost, this.#left).catch((left: unknown) => left);
    this.#retry.lost();
    this.#server.leave(connection);
    if (this.#left.aborted) return undefined;
    if (!this.#isUrgent) this.#server.failed(error);
    return { error };
  }

  /** Waits until the next attempt is due. Returns false if there is none. */
  async #mayTryAgain({ error }: { readonly error: unknown }): Promise<boolean> {
    if (!this.#isUrgent && !this.#isWorthIt(error)) {
      this.#server.giveUp();
      return false;
    }
    const { wait, broken } = this.#isUrgent ? { wait: 0, broken: false } : this.#retry.next();
    this.#server.state = broken ? "broken" : "waiting";
    // The old program may still hold what the next one needs.
    await this.#server.cleaned();
    if (this.#isUrgent || this.#left.aborted) return true;
    this.#wake = new LinkedAbort(this.#left);
    await sleep(this.#options.clock, wait, this.#wake.signal).catch(() => undefined); // woken early
    this.#wake.unlink();
    return true;
  }

  #isWorthIt(error: unknown): boolean {
    const { options, reopens } = this.#server.source;
    if (!reopens() || !(options.reconnect ?? this.#options.reconnect)) return false;
    if (error instanceof TypeError || error instanceof RangeError || error instanceof McpUsageError) return false;
    return !needsOtherCredentials(error);
  }
}

/** Whether the server or its authorization server refused the credentials, so that only the user can help. */
function needsOtherCredentials(error: unknown): boolean {
  const status = statusOf(error);
  if (!(error instanceof AuthorizationError)) return status === 401 || status === 403;
  return error.error !== undefined || error.hop === "authorization" || error.hop === "callback" || error.hop === "access";
}
