/** Keys and values in PostgreSQL: one row for each, which counts as deleted from its time on. */
import { type KeyedEngine, VERSION_LENGTH } from "../keyed-engine.ts";
import type { PostgresConnection } from "./connection.ts";
import type { Sweeper } from "./sweeper.ts";

/** The time of the engine, also inside a transaction, and when an entry ends: never if the parameter is null. */
const NOW = "clock_timestamp()";
const END = `${NOW} + $3 * interval '1 millisecond'`;

/** Whether a row is alive and begins with the version in a parameter. The first parameter is the key. */
const HAS_VERSION = (version: string): string => `key = $1 and left(value, ${VERSION_LENGTH}) = ${version} and until > ${NOW}`;

export class PostgresKeyedEngine implements KeyedEngine {
  readonly #connection: PostgresConnection;
  readonly #table: string;
  readonly #sweeper: Sweeper;

  constructor(connection: PostgresConnection, sweeper: Sweeper) {
    this.#connection = connection;
    this.#table = `${connection.schema}.entry`;
    this.#sweeper = sweeper;
  }

  async put(key: string, value: string, ms: number | undefined): Promise<void> {
    this.#sweeper.sweepSometimes();
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
    this.#sweeper.sweepSometimes();
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

  async swap(key: string, version: string, next: { readonly value: string; readonly ms: number } | undefined): Promise<boolean> {
    this.#sweeper.sweepSometimes();
    if (next === undefined) return this.#removeVersion(key, version);
    const insert = `insert into ${this.#table} as held values ($1, $2, ${END}) on conflict (key) do update
      set value = excluded.value, until = excluded.until where held.until <= ${NOW} returning 1 as done`;
    const update = `update ${this.#table} set value = $2, until = ${END} where ${HAS_VERSION("$4")} returning 1 as done`;
    const { value, ms } = next;
    const rows = await (version === ""
      ? this.#connection.query(insert, [key, value, ms])
      : this.#connection.query(update, [key, value, ms, version]));
    return rows.length === 1;
  }

  async #removeVersion(key: string, version: string): Promise<boolean> {
    if (version === "") return (await this.get(key)) === undefined;
    const rows = await this.#connection.query(`delete from ${this.#table} where ${HAS_VERSION("$2")} returning 1 as done`, [key, version]);
    return rows.length === 1;
  }

  async renewVersion(key: string, version: string, ms: number): Promise<boolean> {
    const rows = await this.#connection.query(`update ${this.#table} set until = ${END} where ${HAS_VERSION("$2")} returning 1 as done`, [
      key,
      version,
      ms,
    ]);
    return rows.length === 1;
  }

  async join(set: string, member: string, ms: number, max: number): Promise<boolean> {
    this.#sweeper.sweepSometimes();
    const [row] = await this.#connection.query(`select ${this.#connection.schema}.join_2($1, $2, $3, $4) as joined`, [
      set,
      member,
      ms,
      max,
    ]);
    return row!["joined"] === true;
  }

  async leave(set: string, member: string): Promise<void> {
    await this.#connection.query(`delete from ${this.#connection.schema}.member where set = $1 and member = $2`, [set, member]);
  }

  async next(counter: string, least: number): Promise<number> {
    const [row] = await this.#connection.query(
      `insert into ${this.#connection.schema}.counter as held values ($1, $2) on conflict (name) do update
         set number = greatest(held.number + 1, excluded.number) returning number`,
      [counter, least],
    );
    return Number(row!["number"]);
  }

  now(): Promise<number> {
    return this.#connection.now();
  }
}
