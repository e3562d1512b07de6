/** A database with its tables, as the stores use it: every query has a deadline, and every failure is a `StoreUnavailableError`. */
import { Circuit } from "../circuit.ts";
import { answered, closedError, StoreUnavailableError } from "../store-error.ts";
import type { Database, Queries, Row } from "./database.ts";
import { migrate } from "./schema.ts";

/** Milliseconds that the tables may take to be made. PGlite makes its files first, which takes long on a busy machine. */
const MIGRATION_TIME = 120_000;

/** Codes of errors: there is no such table, schema or function. */
const MISSING: ReadonlySet<unknown> = new Set(["42P01", "3F000", "42883"]);

export class PostgresConnection {
  /** The name of the schema, quoted for queries: it may be a word of SQL. */
  readonly schema: string;
  /** Begins the names of channels of notifications. */
  readonly channelPrefix: string;
  readonly #database: Database;
  readonly #timeout: number;
  readonly #circuit = new Circuit();
  #migrated: Promise<void> | undefined;
  #closed = false;

  constructor(database: Database, schema: string, timeout: number) {
    this.#database = database;
    this.schema = `"${schema}"`;
    this.channelPrefix = `${schema}_`;
    this.#timeout = timeout;
  }

  /** @throws StoreUnavailableError, McpUsageError */
  ready(): Promise<void> {
    return (this.#migrated ??= answered(migrate(this.#database, this.schema), MIGRATION_TIME, "Creating the tables").catch(
      (error: unknown) => {
        this.#migrated = undefined; // the next use tries again
        throw error;
      },
    ));
  }

  query(text: string, params?: readonly unknown[]): Promise<readonly Row[]> {
    return this.#run(() => this.#database.query(text, params), "A query of PostgreSQL");
  }

  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#run(() => this.#database.transaction(work), "A transaction of PostgreSQL");
  }

  /** If the tables are not there any more, such as after their schema was deleted, the next use makes them again. */
  async #run<T>(work: () => Promise<T>, what: string): Promise<T> {
    if (this.#closed) throw closedError();
    await this.ready();
    const migrated = this.#migrated;
    try {
      return await this.#circuit.run(work, this.#timeout, what);
    } catch (error) {
      if (this.#closed && error instanceof StoreUnavailableError) throw closedError(error);
      const { code } = ((error as Error).cause ?? {}) as { code?: unknown }; // of any library
      if (MISSING.has(code) && this.#migrated === migrated) this.#migrated = undefined;
      throw error;
    }
  }

  /** Milliseconds since 1970 on the clock of PostgreSQL. */
  async now(): Promise<number> {
    const [row] = await this.query("select extract(epoch from clock_timestamp()) * 1000 as now");
    return Number(row!["now"]);
  }

  async listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>> {
    await this.ready();
    return this.#database.listen(channel, listener);
  }

  /** Calls the listener when the connection for notifications was lost and is there again. Returns a function that removes it. */
  onGap(listener: () => void): () => void {
    return this.#database.onGap(listener);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#database.close();
  }
}
