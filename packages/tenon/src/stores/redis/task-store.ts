/** Tasks in Redis: see `TaskStore`. All keys have one hash tag, so that a cluster keeps them together. */
import type { TaskCounts, TaskLease, TaskPlace, TaskRecord, TaskStore } from "../../extensions/tasks/index.ts";
import { hasEnded } from "../../extensions/tasks/store/task-record.ts";
import { tasksFull } from "../../extensions/tasks/store/task-store.ts";
import { hashed } from "../../base/hash.ts";
import { taskIn, tasksIn } from "../stored-task.ts";
import { ListenerSet } from "../listener-set.ts";
import type { RedisConnection } from "./connection.ts";
import { FORGET, INSERT, LEASE, LIST, RELEASE, REPLACE } from "./task-scripts.ts";

/** Milliseconds that Redis keeps a task after it has expired, in case no process removes it. */
const GRACE = 3_600_000;
/** Characters of a hashed owner. */
const OWNER_LENGTH = 43;
/** Tasks that one call of `forget` removes at once. Redis serves no other command meanwhile. */
const FORGET_AT_ONCE = 500;

export class RedisTaskStore implements TaskStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #channel: string;
  readonly #onError: (error: unknown) => void;
  readonly #listeners: ListenerSet;

  constructor(connection: RedisConnection, prefix: string, onError: (error: unknown) => void) {
    this.#connection = connection;
    this.#onError = onError;
    this.#prefix = `${prefix}{tasks}:`;
    this.#channel = `${this.#prefix}changed`;
    this.#listeners = new ListenerSet({
      open: (tell) => connection.subscribe(this.#channel, tell),
      close: () => connection.unsubscribe(this.#channel),
      isClosed: () => connection.isClosed,
      onError,
    });
  }

  async insert(record: TaskRecord, lease: TaskLease, { maxTasks, maxTasksPerOwner }: TaskCounts): Promise<void> {
    await this.#listeners.ready;
    const { id, createdAt, ttl, version } = record;
    const owner = await hashed(record.owner);
    const outcome = await this.#connection.run(
      INSERT,
      [this.#task(id), this.#all, this.#open, this.#owner(owner)],
      [
        ...[id, JSON.stringify(record), version, hasEnded(record) ? 1 : 0, lease.worker, lease.until],
        ...[createdAt, createdAt + ttl, owner, Math.ceil(ttl) + GRACE, maxTasks ?? "", maxTasksPerOwner ?? "", this.#channel],
      ],
    );
    if (outcome === "maxTasks") throw tasksFull(outcome, maxTasks!);
    if (outcome === "maxTasksPerPrincipal") throw tasksFull(outcome, maxTasksPerOwner!);
    if (outcome !== "ok") throw new Error(`There is another task with the id ${id}`);
  }

  async get(id: string): Promise<TaskRecord | undefined> {
    const text = await this.#connection.command("HGET", this.#task(id), "record");
    return typeof text === "string" ? taskIn(text) : undefined;
  }

  async replace(record: TaskRecord): Promise<boolean> {
    await this.#listeners.ready;
    const { id, version } = record;
    const args = [id, JSON.stringify(record), version, hasEnded(record) ? 1 : 0, this.#channel];
    return (await this.#connection.run(REPLACE, [this.#task(id), this.#open], args)) === 1;
  }

  async lease(id: string, { worker, until }: TaskLease, now: number): Promise<boolean> {
    return (await this.#connection.run(LEASE, [this.#task(id), this.#open], [id, worker, until, now])) === 1;
  }

  async release(id: string, worker: string): Promise<void> {
    await this.#connection.run(RELEASE, [this.#task(id), this.#open], [id, worker]);
  }

  async abandoned(now: number, limit: number): Promise<readonly string[]> {
    const range = ["-inf", String(now), "BYSCORE", "LIMIT", "0", String(limit)];
    return (await this.#connection.command("ZRANGE", this.#open, ...range)) as string[]; // members of a sorted set
  }

  async list(owner: string, after: TaskPlace | undefined, limit: number): Promise<readonly TaskRecord[]> {
    const args = [after?.createdAt ?? "-inf", after?.id ?? "", limit, `${this.#prefix}task:`];
    const texts = (await this.#connection.run(LIST, [this.#owner(await hashed(owner))], args)) as string[]; // records
    return tasksIn(texts, this.#onError);
  }

  async forget(now: number): Promise<void> {
    const args = [now, `${this.#prefix}task:`, `${this.#prefix}owner:`, OWNER_LENGTH, FORGET_AT_ONCE, this.#channel];
    while ((await this.#connection.run(FORGET, [this.#all, this.#open], args)) === FORGET_AT_ONCE);
  }

  subscribe(listener: (id: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  now(): Promise<number> {
    return this.#connection.now();
  }

  // ---- names ----

  get #all(): string {
    return `${this.#prefix}all`;
  }

  get #open(): string {
    return `${this.#prefix}open`;
  }

  #task(id: string): string {
    return `${this.#prefix}task:${id}`;
  }

  #owner(hash: string): string {
    return `${this.#prefix}owner:${hash}`;
  }
}
