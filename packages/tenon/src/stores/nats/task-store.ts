/**
 * Tasks in NATS: see `TaskStore`. A task is an entry with its record; three kinds of entries beside it lead to it: its owner's by
 * creation, entries of tasks that have not ended, and the sets in which tasks are counted. A crash between two of them leaves one that
 * leads to nothing, and expires.
 */
import type { TaskCounts, TaskLease, TaskPlace, TaskRecord, TaskStore } from "../../extensions/tasks/index.ts";
import { hasEnded } from "../../extensions/tasks/store/task-record.ts";
import { engineKey, type KeyedEngine } from "../keyed-engine.ts";
import { tasksFull } from "../../extensions/tasks/store/task-store.ts";
import { hashed } from "../../base/hash.ts";
import { taskIn, tasksIn } from "../stored-task.ts";
import { ListenerSet } from "../listener-set.ts";
import type { NatsConnection } from "./connection.ts";
import type { TableEntry, NatsTable } from "./table.ts";

/** Milliseconds that a task is kept after it has expired, in case no process removes it. */
const GRACE = 3_600_000;
/** Entries that are read at once. */
const AT_ONCE = 100;

/** What an entry tells beside the record. */
interface TaskFacts {
  readonly version: number;
  readonly ended: boolean;
  readonly worker?: string;
  readonly until: number;
  readonly expires: number;
}

type TaskEntry = TableEntry<TaskFacts>;

export class NatsTaskStore implements TaskStore {
  readonly #connection: NatsConnection;
  readonly #table: NatsTable;
  readonly #sets: KeyedEngine;
  readonly #subject: string;
  readonly #listeners: ListenerSet;
  readonly #onError: (error: unknown) => void;

  /** `subject`: on which processes tell each other of changes. */
  constructor(connection: NatsConnection, table: NatsTable, sets: KeyedEngine, subject: string, onError: (error: unknown) => void) {
    this.#connection = connection;
    this.#onError = onError;
    this.#table = table;
    this.#sets = sets;
    this.#subject = subject;
    this.#listeners = new ListenerSet({
      open: (tell) => connection.subscribe(subject, tell),
      close: () => connection.unsubscribe(subject),
      isClosed: () => connection.isClosed,
      onError,
    });
  }

  async insert(record: TaskRecord, { worker, until }: TaskLease, counts: TaskCounts): Promise<void> {
    await this.#listeners.ready;
    const { id, version, createdAt, ttl } = record;
    const name = await hashed(id);
    const more: TaskFacts = { version, ended: hasEnded(record), worker, until, expires: createdAt + ttl };
    const ms = ttl + GRACE;
    await this.#count(record, counts);
    await this.#table.change(await ownerKey(record), () => ({ text: "", more: {}, ms }));
    if (!more.ended) await this.#table.change(`open.${name}`, () => ({ text: id, more: {}, ms }));
    const text = JSON.stringify(record);
    const isNew = await this.#table.create(`task.${name}`, { text, more, ms });
    if (!isNew && (await this.#table.read(`task.${name}`))?.text !== text) throw new Error(`There is another task with the id ${id}`);
    await this.#tell(id);
  }

  /** Reserves the place of a task. @throws LimitExceededError if there is none */
  async #count(record: TaskRecord, { maxTasks, maxTasksPerOwner }: TaskCounts): Promise<void> {
    const [member, ms] = [await hashed(record.id), record.ttl + GRACE];
    const own = await ownerSet(record.owner);
    if (maxTasksPerOwner !== undefined && !(await this.#sets.join(own, member, ms, maxTasksPerOwner))) {
      throw tasksFull("maxTasksPerPrincipal", maxTasksPerOwner);
    }
    if (maxTasks === undefined || (await this.#sets.join(await everyTask(), member, ms, maxTasks))) return;
    await this.#sets.leave(own, member);
    throw tasksFull("maxTasks", maxTasks);
  }

  async get(id: string): Promise<TaskRecord | undefined> {
    const entry = await this.#table.read(`task.${await hashed(id)}`);
    return entry && taskIn(entry.text);
  }

  async replace(record: TaskRecord): Promise<boolean> {
    await this.#listeners.ready;
    const { id, version } = record;
    const name = await hashed(id);
    const ended = hasEnded(record);
    const replaced = await this.#table.change<TaskFacts>(`task.${name}`, (held) => {
      if (held?.more.version !== version - 1) return "keep";
      return { text: JSON.stringify(record), more: { ...held.more, version, ended }, ms: held.ms };
    });
    if (!replaced) return false;
    if (ended) await this.#table.remove(`open.${name}`);
    await this.#tell(id);
    return true;
  }

  async lease(id: string, { worker, until }: TaskLease, now: number): Promise<boolean> {
    return this.#table.change<TaskFacts>(`task.${await hashed(id)}`, (held) => {
      if (held === undefined || (held.more.worker !== undefined && held.more.worker !== worker && held.more.until > now)) return "keep";
      return { ...held, more: { ...held.more, worker, until } };
    });
  }

  async release(id: string, worker: string): Promise<void> {
    await this.#table.change<TaskFacts>(`task.${await hashed(id)}`, (held) => {
      if (held?.more.worker !== worker) return "keep";
      const { worker: _released, ...more } = held.more;
      return { ...held, more: { ...more, until: 0 } };
    });
  }

  async abandoned(now: number, limit: number): Promise<readonly string[]> {
    const found: string[] = [];
    const names = await this.#table.keys("open");
    for await (const [name, entry] of this.#entries(names)) {
      if (entry.more.ended) await this.#table.remove(`open.${name}`);
      else if (entry.more.until <= now) found.push(...tasksIn([entry.text], this.#onError).map(({ id }) => id));
      if (found.length === limit) break;
    }
    return found;
  }

  async list(owner: string, after: TaskPlace | undefined, limit: number): Promise<readonly TaskRecord[]> {
    const prefix = `owner.${await hashed(owner)}`;
    const last = after && placeOf(after);
    const isAfter = (place: string): boolean => last === undefined || (place > last && !place.startsWith(last));
    const places = (await this.#table.keys(prefix)).filter(isAfter).sort();
    const names = places.map((place) => place.slice(place.lastIndexOf(".") + 1));
    const found: TaskRecord[] = [];
    for await (const [, entry] of this.#entries(names)) {
      found.push(...tasksIn([entry.text], this.#onError));
      if (found.length === limit) break;
    }
    return found.slice(0, limit);
  }

  async forget(now: number): Promise<void> {
    const names = await this.#table.keys("task");
    for await (const [name, entry] of this.#entries(names)) {
      if (entry.more.expires > now) continue;
      await this.#table.remove(`open.${name}`);
      for (const record of tasksIn([entry.text], this.#onError)) await this.#leave(record, name);
      await this.#table.remove(`task.${name}`);
      await this.#sets.leave(await everyTask(), name);
    }
  }

  /** Removes what its owner has of a task. Of a damaged one that is not known: it expires. */
  async #leave(record: TaskRecord, name: string): Promise<void> {
    await this.#table.remove(await ownerKey(record));
    await this.#sets.leave(await ownerSet(record.owner), name);
    await this.#tell(record.id);
  }

  subscribe(listener: (id: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  now(): Promise<number> {
    return this.#sets.now();
  }

  /** The tasks that are there, in the order of their names. */
  async *#entries(names: readonly string[]): AsyncGenerator<readonly [string, TaskEntry]> {
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const part = names.slice(at, at + AT_ONCE);
      const entries = await Promise.all(part.map((name) => this.#table.read<TaskFacts>(`task.${name}`)));
      for (const [index, entry] of entries.entries()) if (entry !== undefined) yield [part[index]!, entry] as const;
    }
  }

  async #tell(id: string): Promise<void> {
    await this.#connection.publish(this.#subject, id).catch(() => undefined); // listeners only wait longer
  }
}

const everyTask = (): Promise<string> => engineKey("set", "tasks of all owners");
const ownerSet = (owner: string): Promise<string> => engineKey("set", `tasks of owner ${owner}`);

/** Sorts by creation, then by id: numbers of one length, and the bytes of the id in hexadecimal digits. */
function placeOf({ createdAt, id }: TaskPlace): string {
  const bytes = new TextEncoder().encode(id);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${String(Math.max(0, Math.floor(createdAt))).padStart(16, "0")}.${hex}.`;
}

async function ownerKey(record: TaskRecord): Promise<string> {
  return `owner.${await hashed(record.owner)}.${placeOf(record)}${await hashed(record.id)}`;
}
