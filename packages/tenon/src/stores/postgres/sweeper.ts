/** Removes rows whose time is over. Each process does that now and then, while it stores; rows count as removed before. */
import type { PostgresConnection } from "./connection.ts";

/** Milliseconds between two removals. */
const SWEEP_INTERVAL = 15_000;
const TABLES = ["entry", "member", "room", "dropped", "stream"];
/** Rows that one statement removes, so that no other waits long for it. A stream takes up to 1 000 events along. */
const ROWS = 100;
/** Statements for one table in a row. */
const MAX_ROUNDS = 200;

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
    for (const name of TABLES) {
      const table = `${this.#connection.schema}.${name}`;
      for (let round = 0; round < MAX_ROUNDS && (await this.#removeSome(table)) === ROWS; round++);
    }
  }

  /** Returns how many rows it has removed. */
  async #removeSome(table: string): Promise<number> {
    const over = `select ctid from ${table} where until <= clock_timestamp() limit ${ROWS} for update skip locked`;
    const removal = `delete from ${table} where ctid = any(array(${over})) returning 1`;
    const [row] = await this.#connection.query(`with removed as (${removal}) select count(*)::int as count from removed`);
    return Number(row!["count"]);
  }
}
