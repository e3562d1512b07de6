/** PGlite: PostgreSQL inside this process, with its files in a folder. One process only: PGlite has no lock against a second one. */
import type { PGlite, Transaction } from "@electric-sql/pglite";
import type { Database, Queries, Row } from "./database.ts";

export class PgliteDatabase implements Database {
  readonly #database: PGlite;

  /** The user made it, and closes it. */
  constructor(database: PGlite) {
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

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function rowsOf(database: PGlite | Transaction, text: string, params: readonly unknown[] = []): Promise<readonly Row[]> {
  const { rows } = await database.query<Row>(text, [...params]);
  return rows;
}
