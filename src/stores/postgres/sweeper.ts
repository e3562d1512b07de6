/** Removes rows whose time is over. Each process does that now and then, while it stores; rows count as removed before. */
import type { PostgresConnection } from "./connection.ts";

/** Milliseconds between two removals. */
const SWEEP_INTERVAL = 15_000;
/** Rows of each table that are removed at once. A stream takes up to 1 000 events along. */
const ROWS: Readonly<Record<string, number>> = { entry: 5_000, member: 5_000, dropped: 5_000, stream: 100 };

export class Sweeper {
  readonly #connection: PostgresConnection;
  readonly #onError: (error: unknown) => void;
  #sweptAt = -Infinity;

  constructor(connection: PostgresConnection, onError: (error: unknown) => void) {
    this.#connection = connection;
    this.#onError = onError;
  }

  sweepSometimes(): void {
    if (performance.now() - this.#sweptAt < SWEEP_INTERVAL) return;
    this.#sweptAt = performance.now();
    this.#sweep().catch(this.#onError);
  }

  async #sweep(): Promise<void> {
    for (const [name, rows] of Object.entries(ROWS)) {
      const table = `${this.#connection.schema}.${name}`;
      const over = `select ctid from ${table} where until <= clock_timestamp() limit ${rows} for update skip locked`;
      await this.#connection.query(`delete from ${table} where ctid = any(array(${over}))`);
    }
  }
}
