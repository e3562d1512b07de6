/** PostgreSQL by the package `pg`: a pool for queries, and a connection of its own for notifications, which is renewed when it is lost. */
import { waits } from "../../base/waits.ts";
import type { Client, ClientBase, Pool } from "pg";
import { sleep, systemClock } from "../../base/clock.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { startHeartbeat } from "../heartbeat.ts";
import { answered } from "../store-error.ts";
import type { Database, Queries, Row } from "./database.ts";

export interface PgOptions {
  /** Of the pool and of the connection for notifications. */
  readonly config: Readonly<Record<string, unknown>>;
  /** For notifications: not through a pooler that shares connections between transactions. */
  readonly listenUrl: string | undefined;
  /** Milliseconds a command may take. */
  readonly timeout: number;
  readonly onError: (error: unknown) => void;
}

/** Connections of the pool, if the user named no other number. */
const MAX_CONNECTIONS = 10;
/** The waits before the connection for notifications is renewed, in milliseconds. */
const WAITS = { first: 75, longest: 3_000, jitter: 0.67 };

export class PgDatabase implements Database {
  readonly #options: PgOptions;
  readonly #ended = new AbortController();
  #pool: Promise<Pool> | undefined;
  #listener: Promise<Client> | undefined;
  readonly #channels = new Map<string, (payload: string) => void>();
  readonly #gapListeners = new Set<() => void>();

  constructor(options: PgOptions) {
    this.#options = options;
  }

  async query(text: string, params: readonly unknown[] = []): Promise<readonly Row[]> {
    return rowsOf(await this.#opened(), text, params);
  }

  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await (await this.#opened()).connect();
    let broken: Error | undefined;
    try {
      await client.query("begin");
      const result = await work({ query: (text, params = []) => rowsOf(client, text, params) });
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>> {
    this.#channels.set(channel, listener);
    const isNew = this.#listener === undefined;
    const client = await this.#listening();
    if (!isNew) await this.#heard(client, channel);
    return async () => {
      this.#channels.delete(channel);
      await (await this.#listener)?.query(`unlisten ${quoted(channel)}`);
    };
  }

  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.allSettled([this.#pool?.then((pool) => pool.end()), this.#listener?.then((client) => client.end())]);
  }

  #opened(): Promise<Pool> {
    const { config, timeout, onError } = this.#options;
    return (this.#pool ??= loadPg().then(({ Pool: PoolOfPg }) => {
      const limits = { max: MAX_CONNECTIONS, connectionTimeoutMillis: timeout, query_timeout: timeout, allowExitOnIdle: true };
      const pool = new PoolOfPg({ ...limits, ...config });
      pool.on("error", onError); // without a listener the process ends with its database
      return pool;
    }));
  }

  // ---- notifications ----

  #listening(): Promise<Client> {
    if (this.#listener !== undefined) return this.#listener;
    const connecting = this.#connectListener();
    this.#listener = connecting;
    connecting.catch(() => (this.#listener = undefined)); // the next use tries again
    return connecting;
  }

  async #connectListener(): Promise<Client> {
    const { config, listenUrl, timeout, onError } = this.#options;
    const { Client: ClientOfPg } = await loadPg();
    const own = listenUrl === undefined ? config : { ...config, connectionString: listenUrl };
    const client = new ClientOfPg({ ...own, connectionTimeoutMillis: timeout, keepAlive: true, query_timeout: 0 });
    client.on("notification", ({ channel, payload }) => this.#channels.get(channel)?.(payload ?? ""));
    client.on("error", onError);
    try {
      await client.connect();
      for (const channel of this.#channels.keys()) await this.#heard(client, channel);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    const stop = startHeartbeat({ ask: () => client.query("select 1"), renew: () => client.end(), onError });
    client.once("end", () => {
      stop();
      void this.#renewListener();
    });
    return client;
  }

  #heard(client: Client, channel: string): Promise<unknown> {
    return answered(client.query(`listen ${quoted(channel)}`), this.#options.timeout, "A query of PostgreSQL");
  }

  async #renewListener(): Promise<void> {
    const pauses = waits(WAITS);
    while (!this.#ended.signal.aborted) {
      try {
        await sleep(systemClock, pauses.next(), this.#ended.signal);
        this.#listener = Promise.resolve(await this.#connectListener());
        this.#gapListeners.forEach((listener) => listener());
        return;
      } catch (error) {
        if (!this.#ended.signal.aborted) this.#options.onError(error);
      }
    }
  }
}

async function rowsOf(client: Pool | ClientBase, text: string, params: readonly unknown[]): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>(text, [...params]);
  return rows;
}

const quoted = (name: string): string => `"${name}"`;

async function loadPg(): Promise<Pick<typeof import("pg"), "Client" | "Pool">> {
  try {
    const { default: pg } = await import("pg");
    return pg;
  } catch (error) {
    throw new McpUsageError('postgresStores() needs the package "pg": npm install pg', { cause: error });
  }
}
