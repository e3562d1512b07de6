/** What the stores use of a database. PostgreSQL and PGlite implement it. */

/** One row, by the names of its columns. */
export type Row = { readonly [column: string]: unknown };

export interface Queries {
  query(text: string, params?: readonly unknown[]): Promise<readonly Row[]>;
}

export interface Database extends Queries {
  /** Runs `work` in one transaction. @throws what `work` throws, after a rollback */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Receives notifications of a channel until the function that it resolves with is called. */
  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
  /** Calls the listener when notifications may have been missed. Returns a function that removes it. */
  onGap(listener: () => void): () => void;
  close(): Promise<void>;
}
