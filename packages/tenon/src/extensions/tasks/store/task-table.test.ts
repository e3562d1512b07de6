// Waiting for a task: nothing that happens meanwhile is missed, and nothing is left behind.
import { expect, test } from "vitest";
import { McpError } from "../../../jsonrpc/mcp-error.ts";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { MemoryTaskStore } from "./memory-task-store.ts";
import { asCancelled, hasEnded, type TaskCall, type TaskRecord } from "./task-record.ts";
import type { TaskStore } from "./task-store.ts";
import { TaskTable, type NewTask } from "./task-table.ts";

const call: TaskCall = { method: "tools/call", params: {}, version: "2026-07-28", client: { capabilities: {} } };
const NEW: NewTask = { owner: "me", ttl: 3_600_000, pollInterval: 1_000, call, restart: false };

function tableOf(store: TaskStore, clock: VirtualClock, shared = false): TaskTable {
  const limits = { maxTasks: 9, maxTasksPerOwner: 9 };
  return new TaskTable({ store, clock, lease: 30_000, shared, ...limits, report: (error) => expect.unreachable(String(error)) });
}

const whenEnded = (record: TaskRecord | undefined): TaskRecord | undefined => (record && hasEnded(record) ? record : undefined);

test("a change between the look and the wait is not lost [TK-18]", async () => {
  const store = new MemoryTaskStore();
  const clock = new VirtualClock();
  const other = tableOf(store, clock);
  const { id } = await other.create(NEW);
  let looks = 0;
  // The task ends after the look was made, and before the waiter knows what it saw.
  const slow: TaskStore = new Proxy(store, {
    get(target, name) {
      if (name !== "get") return (target[name as keyof MemoryTaskStore] as (() => unknown) | undefined)?.bind(target);
      return async (wanted: string) => {
        const seen = target.get(wanted);
        if (++looks === 1) await other.change(id, asCancelled);
        return seen;
      };
    },
  });
  expect(await tableOf(slow, clock).until(id, new AbortController().signal, whenEnded)).toMatchObject({ status: "cancelled" });
  expect(looks).toBe(2);
});

test("a change without a notification is seen in the next sweep [TK-18]", async () => {
  const store = new MemoryTaskStore();
  const clock = new VirtualClock();
  const silent: TaskStore = Object.assign(Object.create(store) as MemoryTaskStore, {
    get: (id: string) => store.get(id),
    subscribe: () => () => undefined,
  });
  const table = tableOf(store, clock);
  const { id } = await table.create(NEW);
  const waiting = tableOf(silent, clock).until(id, new AbortController().signal, whenEnded);
  await table.change(id, asCancelled);
  await clock.advance(10_000);
  expect(await waiting).toMatchObject({ status: "cancelled" });
});

test("a wait that is given up leaves no timer and no listener", async () => {
  const store = new MemoryTaskStore();
  const clock = new VirtualClock();
  const table = tableOf(store, clock);
  const { id } = await table.create(NEW);
  const before = clock.pending;
  const abort = new AbortController();
  const waiting = table.until(id, abort.signal, whenEnded);
  await clock.advance(0);
  abort.abort(new Error("Enough"));
  await expect(waiting).rejects.toThrow("Enough");
  await clock.advance(0);
  expect(clock.pending).toBe(before);
});

test("a task that has ended never changes; a change that others overtake too often fails [N5]", async () => {
  const store = new MemoryTaskStore();
  const table = tableOf(store, new VirtualClock());
  const { id } = await table.create(NEW);
  expect(await table.change(id, (record) => record)).toBeUndefined();
  expect(await table.change(id, asCancelled)).toMatchObject({ status: "cancelled", version: 2 });
  expect(await table.change(id, (record) => ({ ...record, status: "working" }))).toBeUndefined();
  expect(store.get(id)).toMatchObject({ status: "cancelled", version: 2 });
  const busy = Object.assign(Object.create(store) as MemoryTaskStore, {
    get: () => ({ ...store.get(id), status: "working" }),
    replace: () => false,
  });
  await expect(tableOf(busy, new VirtualClock()).change(id, asCancelled)).rejects.toThrow(McpError);
});

test("houses are kept while there are tasks, and no longer [N4]", async () => {
  const clock = new VirtualClock();
  const store = new MemoryTaskStore();
  const table = tableOf(store, clock);
  table.beginIfShared();
  expect(clock.pending).toBe(0);
  const { id } = await table.create({ ...NEW, ttl: 25_000 });
  await clock.advance(25_000);
  expect(await table.get(id)).toBeUndefined();
  await clock.advance(10_000);
  expect(store.get(id)).toBeUndefined();
  await clock.advance(20_000);
  expect(clock.pending).toBe(0);
});

test("where other processes have tasks, rounds are made from the beginning until the table is closed [N4]", async () => {
  const clock = new VirtualClock();
  const table = tableOf(new MemoryTaskStore(), clock, true);
  let rounds = 0;
  table.onRound = () => Promise.resolve(void rounds++);
  table.beginIfShared();
  await clock.advance(60_000);
  expect(rounds).toBe(6);
  table.close();
  await clock.advance(60_000);
  expect(rounds).toBe(6);
  expect(clock.pending).toBe(0);
});
