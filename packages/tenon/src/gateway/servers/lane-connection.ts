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

export interface LaneConnectionHost {
  /** The name of the server. */
  readonly name: string;
  readonly clock: Clock;
  /** Connects to the server. @throws McpError -32603 with the server and the reason; `signal.reason` */
  connect(signal: AbortSignal): Promise<Client>;
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
  /** Aborts when it closes. */
  readonly #ended = new AbortController();

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
    return this.#ended.signal.aborted;
  }

  /** The open connection. @throws McpError -32603 if the server cannot be reached */
  open(): MaybePromise<Client> {
    if (this.#client !== undefined) return this.#client;
    this.#ended.signal.throwIfAborted();
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
      this.#host.settled();
    });
    return this.#opening;
  }

  async #open(): Promise<Client> {
    const { clock } = this.#host;
    const client = await this.#host.connect(this.#ended.signal);
    this.#preparing = client;
    let isLost = false;
    void client.closed.then(() => {
      isLost = true;
      this.lost(client);
    });
    if (!this.isClosed) await this.#host.prepare(client);
    this.#preparing = undefined;
    if (this.isClosed || isLost) {
      await client.close();
      this.#ended.signal.throwIfAborted();
      throw this.#lostError("The server has ended the connection while its lists were read");
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
    if (this.isClosed || !this.#host.isNeeded()) return this.#host.unneeded();
    clock.clearTimer(this.#reopening);
    if (this.#isFirstLoss) {
      this.#isFirstLoss = false;
      return void this.#openAgain();
    }
    this.#reopening = clock.setTimer(this.#pauses.next(), () => {
      if (this.#client === undefined && !this.isClosed) void this.#openAgain();
    });
    unref(this.#reopening);
  }

  async #openAgain(): Promise<void> {
    try {
      if (this.#host.isNeeded()) await this.open();
    } catch (error) {
      if (!this.isClosed) this.#host.report(error);
      this.#reopen();
    }
  }

  /** Closes it for good. What is opening is given up. Resolves when both have ended. */
  async close(): Promise<void> {
    this.#ended.abort(this.#lostError("The connection was closed"));
    this.#host.clock.clearTimer(this.#reopening);
    const client = this.#client ?? this.#preparing;
    this.#client = undefined;
    await Promise.all([client?.close(), this.#opening?.catch(() => undefined)]);
  }

  #lostError(message: string): McpError {
    return new McpError(ErrorCode.InternalError, message, { server: this.#host.name, reason: "lost" });
  }
}
