/**
 * The connection of a lane: opened when it is needed, and again after it was lost for as long as something needs it.
 *
 * What the connection is used for is the lane's own (`lane.ts`).
 */
import { unref, type Clock, type Timer } from "../../base/clock.ts";
import { waits } from "../../base/waits.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Client } from "../../client/client.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";

/** What a connection needs of its lane. */
export interface LaneConnectionHost {
  /** The name of the server. */
  readonly name: string;
  readonly clock: Clock;
  /** Connects to the server. @throws McpError -32603 with the server and the reason */
  connect(): Promise<Client>;
  /** Called with a new connection before it is used. It may end meanwhile. */
  prepare(client: Client): Promise<void>;
  /** Called when it can be used. */
  opened(client: Client): void;
  /** Called when an attempt to open it has ended, in either way. */
  settled(): void;
  /** Called when it was lost. */
  lost(): void;
  /** Whether another connection is needed after one was lost. */
  isNeeded(): boolean;
  /** Called after a lost connection if no other one is needed. */
  unneeded(): void;
  report(error: unknown): void;
}

/** Milliseconds between two connections that were lost, at most. After one that lasted so long the pauses begin anew. */
const LONGEST_PAUSE = 30_000;

export class LaneConnection {
  readonly #host: LaneConnectionHost;
  #client: Client | undefined;
  /** A connection that is prepared. */
  #preparing: Client | undefined;
  #opening: Promise<Client> | undefined;
  #openedAt = -Infinity;
  readonly #pauses = waits({ first: 250, longest: LONGEST_PAUSE });
  /** Whether the next connection after a loss is opened at once. */
  #isFirstLoss = true;
  #reopening: Timer;
  #closed = false;

  constructor(host: LaneConnectionHost) {
    this.#host = host;
  }

  /** The open connection; undefined while there is none. */
  get client(): Client | undefined {
    return this.#client;
  }

  get isOpening(): boolean {
    return this.#opening !== undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The open connection. @throws McpError -32603 if the server cannot be reached */
  open(): MaybePromise<Client> {
    if (this.#client !== undefined) return this.#client;
    if (this.#closed) throw this.#lostError("The connection was closed");
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
      this.#host.settled();
    });
    return this.#opening;
  }

  async #open(): Promise<Client> {
    const { clock } = this.#host;
    const client = await this.#host.connect();
    this.#preparing = client;
    let isLost = false;
    void client.closed.then(() => {
      isLost = true;
      this.lost(client);
    });
    if (!this.#closed) await this.#host.prepare(client);
    this.#preparing = undefined;
    if (this.#closed || isLost) {
      await client.close();
      throw this.#lostError(this.#closed ? "The connection was closed" : "The server has ended the connection while its lists were read");
    }
    this.#openedAt = clock.now();
    this.#client = client;
    this.#host.opened(client);
    return client;
  }

  /** That connection has ended. Called also with one that is not the open one any more. */
  lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#host.lost();
    if (this.#host.clock.now() - this.#openedAt >= LONGEST_PAUSE) {
      this.#isFirstLoss = true;
      this.#pauses.reset();
    }
    this.#reopen();
  }

  /** Opens another connection: at once, and later with pauses, so that a server that always ends is no busy loop. */
  #reopen(): void {
    const { clock } = this.#host;
    if (this.#closed || !this.#host.isNeeded()) return this.#host.unneeded();
    clock.clearTimer(this.#reopening);
    if (this.#isFirstLoss) {
      this.#isFirstLoss = false;
      return void this.#openAgain();
    }
    this.#reopening = clock.setTimer(this.#pauses.next(), () => {
      if (this.#client === undefined && !this.#closed) void this.#openAgain();
    });
    unref(this.#reopening);
  }

  async #openAgain(): Promise<void> {
    try {
      if (this.#host.isNeeded()) await this.open();
    } catch (error) {
      this.#host.report(error);
      this.#reopen();
    }
  }

  /** Closes it for good. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#host.clock.clearTimer(this.#reopening);
    const client = this.#client ?? this.#preparing;
    this.#client = undefined;
    await client?.close();
  }

  #lostError(message: string): McpError {
    return new McpError(ErrorCode.InternalError, message, { server: this.#host.name, reason: "lost" });
  }
}
