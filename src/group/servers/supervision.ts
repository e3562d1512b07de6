/**
 * Keeps one server connected: waits until its connection is lost, and tries again, soon, then later and later.
 *
 * A server that fails too often in a row is left alone for a while (its circuit is broken) and then gets one attempt at a
 * time. What cannot get better by itself is not tried again: wrong options, a connection that cannot be opened twice, a
 * server that wants other credentials.
 */
import { AuthorizationError } from "../../auth/authorization-error.ts";
import { LinkedAbort, unlessAborted } from "../../base/abort.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { statusOf } from "../../client/http/errors.ts";
import type { GroupConnection } from "../connection/group-connection.ts";

import { Retry } from "./retry.ts";
import type { GroupSession } from "../group-session.ts";
import type { ServerSource } from "./server-source.ts";
import type { ServerState } from "./server-state.ts";

/** A server as its supervision sees it. */
export interface SupervisedServer {
  readonly name: string;
  readonly source: ServerSource;
  readonly connection: GroupConnection | undefined;
  state: ServerState;
  /** One attempt to connect. @throws why it failed */
  join(): Promise<GroupSession>;
  /** The connection is of no use any more. */
  leave(connection: GroupConnection): void;
  failed(error: unknown): void;
  /** It will not be tried again by itself. */
  giveUp(): void;
  /** Resolves once nothing is left of attempts and connections that are over. */
  cleaned(): Promise<void>;
  unavailable(): Error;
}

export interface SupervisionOptions {
  readonly clock: Clock;
  /** Whether servers are tried again, where they do not say so themselves. */
  readonly reconnect: boolean;
}

interface Waiter {
  readonly resolve: (session: GroupSession) => void;
  readonly reject: (error: unknown) => void;
}

export class Supervision {
  /** Settles when it has stopped, whatever for; there is nothing to wait for before it starts. */
  ended: Promise<void> | undefined;
  /** Resolves when the first attempt is over; undefined from then on. */
  starting: Promise<void> | undefined;
  readonly #server: SupervisedServer;
  readonly #options: SupervisionOptions;
  /** Aborts when the server leaves the group. */
  readonly #left: AbortSignal;
  readonly #retry: Retry;
  #isRunning = false;
  /** Ends a pause. */
  #wake: LinkedAbort | undefined;
  /** Somebody wants the next attempt at once. */
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

  /** A new connection, whatever there is now. @throws why there is none */
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

  /** Too many calls failed: the connection is given up, and nothing is tried for a while. */
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

  /** Waits until it is time. False where that will never be. */
  async #mayTryAgain({ error }: { readonly error: unknown }): Promise<boolean> {
    if (!this.#isUrgent && !this.#isWorthIt(error)) {
      this.#server.giveUp();
      return false;
    }
    const { wait, broken } = this.#isUrgent ? { wait: 0, broken: false } : this.#retry.next();
    this.#server.state = broken ? "broken" : "waiting";
    // A program that still runs may hold what the next one needs.
    await this.#server.cleaned();
    if (this.#isUrgent || this.#left.aborted) return true;
    this.#wake = new LinkedAbort(this.#left);
    await sleep(this.#options.clock, wait, this.#wake.signal).catch(() => undefined); // woken
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

/** The server, or who authorizes for it, was reached and said no: only the user can help. */
function needsOtherCredentials(error: unknown): boolean {
  const status = statusOf(error);
  if (!(error instanceof AuthorizationError)) return status === 401 || status === 403;
  return error.error !== undefined || error.hop === "authorization" || error.hop === "callback" || error.hop === "access";
}
