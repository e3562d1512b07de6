/**
 * PGlite: PostgreSQL inside this process, with its files in a folder. One process only: PGlite has no lock against a second one.
 *
 * It is described here and not by its own types, because those need types that most projects do not have.
 */
import type { Database, Queries, Row } from "./database.ts";

/** What runs queries in PGlite. */
interface PgliteQueries {
  /** Runs one statement with its parameters. Resolves with the rows. */
  query(text: string, params?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A database of `@electric-sql/pglite`: `new PGlite("./data")`. */
export interface PgliteInstance extends PgliteQueries {
  /** Runs `work` in one transaction. */
  transaction<T>(work: (transaction: PgliteQueries) => Promise<T>): Promise<T>;
  /** Receives notifications of a channel. Resolves with a function that ends it. */
  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
}

export class PgliteDatabase implements Database {
  readonly #database: PgliteInstance;

  /** The user made it, and closes it. */
  constructor(database: PgliteInstance) {
    this.#database = database;
  }

  query(text: string, params?: readonly unknown[]): Promise<readonly Row[]> {
    return rowsOf(this.#database, text, params);
  }

  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#database.transaction((transaction) => work({ query: (text, params) => rowsOf(transaction, text, params) }));
  }

  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>> {
    return this.#database.listen(`"${channel}"`, listener);
  }

  /** Nothing is ever missed inside a process. */
  onGap(): () => void {
    return () => undefined;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function rowsOf(database: PgliteQueries, text: string, params: readonly unknown[] = []): Promise<readonly Row[]> {
  const { rows } = await database.query(text, [...params]);
  return rows as readonly Row[]; // PGlite makes an object of each row
}
