/** Tasks in PostgreSQL: see `TaskStore`. The condition of each `update` makes it atomic. */
import type { TaskCounts, TaskLease, TaskPlace, TaskRecord, TaskStore } from "../../extensions/tasks/index.ts";
import { hasEnded } from "../../extensions/tasks/store/task-record.ts";
import { tasksFull } from "../../extensions/tasks/store/task-store.ts";
import { hashed } from "../../base/hash.ts";
import { taskIn, tasksIn } from "../stored-task.ts";
import { ListenerSet } from "../listener-set.ts";
import type { PostgresConnection } from "./connection.ts";
import type { Queries } from "./database.ts";
import { Hints } from "./hints.ts";

/** Tasks that one statement removes. */
const FORGET_AT_ONCE = 5_000;
/** A number for the lock under which tasks are counted; any would do. */
const COUNT_LOCK = 7_436_002;

export class PostgresTaskStore implements TaskStore {
  readonly #connection: PostgresConnection;
  readonly #table: string;
  readonly #hints: Hints;
  readonly #onError: (error: unknown) => void;
  readonly #listeners: ListenerSet;

  constructor(connection: PostgresConnection, onError: (error: unknown) => void) {
    this.#connection = connection;
    this.#onError = onError;
    this.#table = `${connection.schema}.task`;
    const channel = `${connection.channelPrefix}task`;
    this.#hints = new Hints(connection, channel, onError);
    let stop: (() => Promise<void>) | undefined;
    this.#listeners = new ListenerSet({
      open: async (tell) => void (stop = await connection.listen(channel, (payload) => payload.split(" ").forEach(tell))),
      close: async () => stop?.(),
      isClosed: () => connection.isClosed,
      onError,
    });
  }

  async insert(record: TaskRecord, lease: TaskLease, limits: TaskCounts): Promise<void> {
    await this.#listeners.ready;
    const { id, createdAt, ttl, version } = record;
    const owner = await hashed(record.owner);
    const values = [
      asId(id),
      owner,
      createdAt,
      createdAt + ttl,
      version,
      hasEnded(record),
      lease.worker,
      lease.until,
      JSON.stringify(record),
    ];
    const insert = `insert into ${this.#table} values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
    if (limits.maxTasks === undefined && limits.maxTasksPerOwner === undefined) await this.#connection.query(insert, values);
    else
      await this.#connection.transaction(async (queries) => {
        await this.#count(queries, owner, limits);
        await queries.query(insert, values);
      });
    this.#hints.send(id);
  }

  /** The lock is taken before the statement that counts, so that the statement sees what others have inserted. */
  async #count(queries: Queries, owner: string, { maxTasks, maxTasksPerOwner }: TaskCounts): Promise<void> {
    await queries.query("select pg_advisory_xact_lock($1, hashtext($2))", [COUNT_LOCK, this.#table]);
    const [row] = await queries.query(
      `select count(*)::int as every, (count(*) filter (where owner = $1))::int as own from ${this.#table}`,
      [owner],
    );
    if (maxTasks !== undefined && Number(row!["every"]) >= maxTasks) throw tasksFull("maxTasks", maxTasks);
    if (maxTasksPerOwner !== undefined && Number(row!["own"]) >= maxTasksPerOwner)
      throw tasksFull("maxTasksPerPrincipal", maxTasksPerOwner);
  }

  async get(id: string): Promise<TaskRecord | undefined> {
    const [row] = await this.#connection.query(`select record from ${this.#table} where id = $1`, [asId(id)]);
    return row && taskIn(String(row["record"]));
  }

  async replace(record: TaskRecord): Promise<boolean> {
    await this.#listeners.ready;
    const { id, version } = record;
    const rows = await this.#connection.query(
      `update ${this.#table} set record = $2, version = $3, ended = $4 where id = $1 and version = $3::bigint - 1 returning 1 as replaced`,
      [asId(id), JSON.stringify(record), version, hasEnded(record)],
    );
    if (rows.length === 1) this.#hints.send(id);
    return rows.length === 1;
  }

  async lease(id: string, { worker, until }: TaskLease, now: number): Promise<boolean> {
    const rows = await this.#connection.query(
      `update ${this.#table} set worker = $2, lease = $3
         where id = $1 and (worker is null or worker = $2 or lease <= $4) returning 1 as leased`,
      [asId(id), worker, until, now],
    );
    return rows.length === 1;
  }

  async release(id: string, worker: string): Promise<void> {
    await this.#connection.query(`update ${this.#table} set worker = null, lease = 0 where id = $1 and worker = $2`, [asId(id), worker]);
  }

  async abandoned(now: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#connection.query(`select id from ${this.#table} where not ended and lease <= $1 order by lease limit $2`, [
      now,
      limit,
    ]);
    return rows.map((row) => String(row["id"]));
  }

  async list(owner: string, after: TaskPlace | undefined, limit: number): Promise<readonly TaskRecord[]> {
    const rows = await this.#connection.query(
      `select record from ${this.#table} where owner = $1 and (created, id) > ($2::bigint, $3::text collate "C") order by created, id limit $4`,
      [await hashed(owner), after?.createdAt ?? -1, asId(after?.id ?? ""), limit],
    );
    return tasksIn(
      rows.map((row) => String(row["record"])),
      this.#onError,
    );
  }

  async forget(now: number): Promise<void> {
    const expired = `select id from ${this.#table} where expires <= $1 limit ${FORGET_AT_ONCE} for update skip locked`;
    for (let rows; rows === undefined || rows.length === FORGET_AT_ONCE;) {
      rows = await this.#connection.query(`delete from ${this.#table} where id in (${expired}) returning id`, [now]);
      for (const row of rows) this.#hints.send(String(row["id"]));
    }
  }

  subscribe(listener: (id: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  now(): Promise<number> {
    return this.#connection.now();
  }
}

/** PostgreSQL has no text with a NUL or half a surrogate pair, and ids may come from clients: such an id is never found. */
function asId(id: string): string {
  return id.replace(/[\0\p{Surrogate}]/gu, "\uFFFD");
}
