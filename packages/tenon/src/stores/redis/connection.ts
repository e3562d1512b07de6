/**
 * The connection to Redis or Valkey: one for commands, one more for messages once there is a listener.
 *
 * Every command has a deadline. Nothing waits in a queue while the engine is away: such a command fails at once.
 */
import { waits } from "../../base/waits.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { Circuit } from "../circuit.ts";
import { startHeartbeat } from "../heartbeat.ts";
import { answered, closedError, StoreUnavailableError } from "../store-error.ts";
import type { RedisScript } from "./script.ts";

/** What this file uses of a client of the `redis` package. */
interface Client {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  sendCommand(args: readonly string[]): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "ready", listener: () => void): unknown;
  close(): Promise<unknown>;
  destroy(): void;
}

export interface ConnectionOptions {
  /** Of `createClient` of the package. */
  readonly client: Readonly<Record<string, unknown>>;
  /** Milliseconds a command may take. */
  readonly timeout: number;
  readonly evicting: "refuse" | "accept";
  readonly onError: (error: unknown) => void;
}

/** The first and the longest wait before a lost connection is renewed, in milliseconds. */
const WAITS = { first: 50, longest: 2_000, jitter: 0.5 };

export class RedisConnection {
  readonly #options: ConnectionOptions;
  #commands: Promise<Client> | undefined;
  #messages: Promise<Client> | undefined;
  readonly #circuit = new Circuit();
  readonly #gapListeners = new Set<() => void>();
  readonly #heartbeats: (() => void)[] = [];
  #closed = false;
  /** Rejects when the connection is closed. */
  readonly #closing: Promise<never>;
  #stopOpening!: () => void;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#closing = new Promise((_resolve, reject) => (this.#stopOpening = () => reject(closedError())));
    this.#closing.catch(() => undefined);
  }

  /** Connects and checks the configuration, once. @throws StoreUnavailableError, McpUsageError */
  async ready(): Promise<void> {
    await loadRedis(); // outside of the deadline, which bounds the engine: a busy machine may take longer to load a package
    await answered(this.#client(), this.#options.timeout, "Connecting to Redis");
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** @throws StoreUnavailableError if the engine does not carry it out in time */
  async command(...args: readonly string[]): Promise<unknown> {
    if (this.#closed) throw closedError();
    try {
      return await this.#send(args);
    } catch (error) {
      throw this.#closed && error instanceof StoreUnavailableError ? closedError(error) : error;
    }
  }

  async #send(args: readonly string[]): Promise<unknown> {
    const { timeout } = this.#options;
    const client = await answered(this.#client(), timeout, "Connecting to Redis", "not-sent");
    if (!client.isReady) throw new StoreUnavailableError("not-sent", new Error("Redis is not connected"));
    return this.#circuit.run(() => client.sendCommand(args), timeout, `Redis command ${args[0]}`);
  }

  /** Runs a script. It is sent as a whole only if the engine does not know it: at first, and after a restart. */
  async run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    try {
      return await this.command("EVALSHA", await script.digest, ...rest);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || !String((error.cause as Error | undefined)?.message).startsWith("NOSCRIPT"))
        throw error;
      return this.command("EVAL", script.source, ...rest);
    }
  }

  /** Milliseconds since 1970 on the clock of Redis. */
  async now(): Promise<number> {
    const [seconds, micros] = (await this.command("TIME")) as [string, string]; // as Redis documents it
    return Number(seconds) * 1_000 + Number(micros) / 1_000;
  }

  /** Resolves when the channel is subscribed to. Subscriptions last through reconnects. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    this.#messages ??= this.#openMessages().catch((error: unknown) => {
      this.#messages = undefined; // the next use tries again
      throw error;
    });
    await (await this.#messages).subscribe(channel, listener);
  }

  /** Calls the listener when the connection for messages was lost and is there again. Returns a function that removes it. */
  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  async unsubscribe(channel: string): Promise<void> {
    await (await this.#messages)?.unsubscribe(channel);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopOpening();
    for (const stop of this.#heartbeats) stop();
    for (const opening of [this.#commands, this.#messages]) (await opening?.catch(() => undefined))?.destroy();
  }

  // ---- opening ----

  #client(): Promise<Client> {
    if (this.#commands !== undefined) return this.#commands;
    const opening = this.#openChecked();
    this.#commands = opening;
    // The next use tries again.
    opening.catch(() => (this.#commands = undefined));
    return opening;
  }

  async #openChecked(): Promise<Client> {
    const client = await this.#open();
    try {
      const info = String(await client.sendCommand(["INFO"]));
      this.#check(info);
      if (factOf(info, "cluster_enabled") === "1") assertOneShard(String(await client.sendCommand(["CLUSTER", "INFO"])));
      this.#watch(client);
      return client;
    } catch (error) {
      client.destroy();
      throw error;
    }
  }

  /** The library subscribes again after a lost connection, and says nothing of what was missed. */
  async #openMessages(): Promise<Client> {
    const client = await this.#open();
    client.on("ready", () => this.#gapListeners.forEach((listener) => listener()));
    this.#watch(client);
    return client;
  }

  async #open(): Promise<Client> {
    if (this.#closed) throw closedError();
    const { createClient } = await loadRedis();
    let connected = false;
    const pauses = waits(WAITS);
    /** The first attempt fails at once, so that its caller learns it; a lost connection is renewed for as long as it takes. */
    const reconnectStrategy = (attempts: number, cause: Error): number | Error => {
      if (attempts === 0) pauses.reset();
      return connected ? pauses.next() : cause;
    };
    const { client } = this.#options;
    const made = createClient({
      ...client,
      socket: { reconnectStrategy, ...(client["socket"] as object | undefined) }, // the library checks it
      disableOfflineQueue: true,
    }) as unknown as Client; // the library's type depends on modules that are not used here
    made.on("error", this.#options.onError);
    try {
      await Promise.race([answered(made.connect(), this.#options.timeout, "Connecting to Redis", "not-sent"), this.#closing]);
    } catch (error) {
      if (made.isOpen) made.destroy(); // the library waits without end for an address that accepts connections and responds to nothing
      throw error;
    }
    connected = true;
    return made;
  }

  /** The library asks too, but does not notice that no response comes. A client that was destroyed keeps its subscriptions when it connects again. */
  #watch(client: Client): void {
    const renew = (): Promise<unknown> => {
      client.destroy();
      return client.connect();
    };
    const ask = async (): Promise<unknown> => client.isReady && client.sendCommand(["PING"]);
    this.#heartbeats.push(startHeartbeat({ ask, renew, onError: this.#options.onError }));
  }

  /** An engine that evicts live entries forgets claims: what must happen once happens twice. */
  #check(info: string): void {
    const policy = factOf(info, "maxmemory_policy");
    if (factOf(info, "role") === "slave")
      throw new McpUsageError('Redis is a replica, which takes no writes or loses them: name the primary in the option "url"');
    const evicts = policy !== undefined && policy !== "noeviction" && factOf(info, "maxmemory") !== "0";
    if (evicts && this.#options.evicting === "refuse") {
      throw new McpUsageError(
        `Redis evicts live entries when its memory is full (maxmemory-policy ${policy}), and forgets then what was done. ` +
          `Set maxmemory-policy noeviction, or accept it with the option evicting: "accept"`,
      );
    }
    if (factOf(info, "aof_enabled") === "0") {
      this.#options.onError(new Error("Redis keeps no append-only file (appendonly no): tasks and claims are lost when it ends"));
    }
  }
}

function factOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}

/** The scripts read and write several keys in one step, which Redis can do only if one primary has them all. @throws McpUsageError */
function assertOneShard(info: string): void {
  const shards = factOf(info, "cluster_size");
  if (shards === "0" || shards === "1") return;
  throw new McpUsageError(
    `Redis is a cluster of ${shards} shards, and these stores need one primary with all keys: name a Redis without cluster mode, or a cluster of one shard`,
  );
}

async function loadRedis(): Promise<typeof import("redis")> {
  try {
    return await import("redis");
  } catch (error) {
    throw new McpUsageError('redisStores() needs the package "redis": npm install redis', { cause: error });
  }
}
