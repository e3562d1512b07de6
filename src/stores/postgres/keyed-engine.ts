/** Keys and values in PostgreSQL: one row for each, which counts as deleted from its time on. */
import type { KeyedEngine } from "../keyed-engine.ts";
import type { PostgresConnection } from "./connection.ts";

/** Milliseconds between two removals of rows whose time is over. */
const SWEEP_INTERVAL = 15_000;
/** Rows that are removed at once. */
const SWEEP_ROWS = 5_000;
/** The time of the engine, also inside a transaction, and when an entry ends: never if the parameter is null. */
const NOW = "clock_timestamp()";
const END = `${NOW} + $3 * interval '1 millisecond'`;

export class PostgresKeyedEngine implements KeyedEngine {
  readonly #connection: PostgresConnection;
  readonly #table: string;
  readonly #onError: (error: unknown) => void;
  #sweptAt = -Infinity;

  constructor(connection: PostgresConnection, onError: (error: unknown) => void) {
    this.#connection = connection;
    this.#table = `${connection.schema}.entry`;
    this.#onError = onError;
  }

  async put(key: string, value: string, ms: number | undefined): Promise<void> {
    this.#sweepSometimes();
    await this.#connection.query(
      `insert into ${this.#table} values ($1, $2, ${END}) on conflict (key) do update set value = excluded.value, until = excluded.until`,
      [key, value, ms ?? null],
    );
  }

  async get(key: string): Promise<string | undefined> {
    const [row] = await this.#connection.query(`select value from ${this.#table} where key = $1 and (until is null or until > ${NOW})`, [
      key,
    ]);
    return row === undefined ? undefined : String(row["value"]);
  }

  async remove(key: string): Promise<void> {
    await this.#connection.query(`delete from ${this.#table} where key = $1`, [key]);
  }

  async claim(key: string, by: string, ms: number): Promise<boolean> {
    this.#sweepSometimes();
    const rows = await this.#connection.query(
      `insert into ${this.#table} as held values ($1, $2, ${END}) on conflict (key) do update set value = excluded.value, until = excluded.until
         where held.until <= ${NOW} or held.value = $2 returning 1 as taken`,
      [key, by, ms],
    );
    return rows.length === 1;
  }

  async renew(key: string, by: string, ms: number): Promise<boolean> {
    const rows = await this.#connection.query(
      `update ${this.#table} set until = ${END} where key = $1 and value = $2 and until > ${NOW} returning 1 as renewed`,
      [key, by, ms],
    );
    return rows.length === 1;
  }

  async release(key: string, by: string): Promise<void> {
    await this.#connection.query(`delete from ${this.#table} where key = $1 and value = $2`, [key, by]);
  }

  /** Each process removes what is over, now and then, while it stores. */
  #sweepSometimes(): void {
    if (performance.now() - this.#sweptAt < SWEEP_INTERVAL) return;
    this.#sweptAt = performance.now();
    const over = `select key from ${this.#table} where until <= ${NOW} limit ${SWEEP_ROWS} for update skip locked`;
    this.#connection.query(`delete from ${this.#table} where key in (${over})`).catch(this.#onError);
  }
}
