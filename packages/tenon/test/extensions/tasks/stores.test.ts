/** The checks every store of tasks has to pass, on those there are; and that they can fail. */
import { describe, expect, test } from "vitest";
import { MemoryTaskStore, type TaskRecord, type TaskStore } from "tenon/ext/tasks";
import { taskStoreChecks } from "tenon/testing";

describe("MemoryTaskStore", () => {
  test.each(taskStoreChecks)("$name", ({ run }) => expect(run(new MemoryTaskStore())).resolves.toBeUndefined());

  test("keeps no more than its limit, and counts what tasks release [F8]", () => {
    const store = new MemoryTaskStore({ maxSize: 2_000 });
    const record = (id: string, size: number): TaskRecord => ({
      ...({ id, owner: "", version: 1, status: "working", createdAt: 0, updatedAt: 0, ttl: 10, pollInterval: 1 } as TaskRecord),
      statusMessage: "x".repeat(size),
    });
    const lease = { worker: "a", until: 1 };
    const room = { maxTasks: 9, maxTasksPerOwner: 9 };
    store.insert(record("one", 1_000), lease, room);
    expect(() => store.insert(record("two", 1_000), lease, room)).toThrow('Limit "MemoryTaskStore.maxSize" of 2000 exceeded');
    expect(() => store.replace({ ...record("one", 3_000), version: 2 })).toThrow("MemoryTaskStore.maxSize");
    expect(store.replace({ ...record("one", 10), version: 2 })).toBe(true);
    store.insert(record("two", 1_000), lease, room);
    store.forget(10);
    store.insert(record("three", 1_500), lease, room);
    expect(() => new MemoryTaskStore({ maxSize: 0 })).toThrow(RangeError);
  });
});

describe("The checks find a store that", () => {
  const broken = (changes: (store: MemoryTaskStore) => Partial<TaskStore>): TaskStore => {
    const store = new MemoryTaskStore();
    const whole: TaskStore = {
      insert: (...args) => store.insert(...args),
      get: (id) => store.get(id),
      replace: (record) => store.replace(record),
      lease: (...args) => store.lease(...args),
      release: (...args) => store.release(...args),
      abandoned: (...args) => store.abandoned(...args),
      list: (...args) => store.list(...args),
      forget: (now) => store.forget(now),
      subscribe: (listener) => store.subscribe(listener),
    };
    return { ...whole, ...changes(store) };
  };
  const later = (): Promise<void> => Promise.resolve();
  test.each<[string, (store: MemoryTaskStore) => Partial<TaskStore>]>([
    [
      "replaces any version",
      (store) => ({ replace: (record) => store.replace({ ...record, version: store.get(record.id)!.version + 1 }) }),
    ],
    [
      "compares and sets in two steps",
      (store) => ({
        async replace(record) {
          const right = store.get(record.id)?.version === record.version - 1;
          await later();
          if (right) store.replace({ ...record, version: (store.get(record.id)?.version ?? 0) + 1 });
          return right;
        },
      }),
    ],
    ["gives every lease", () => ({ lease: () => true })],
    ["ignores the owner of a list", (store) => ({ list: (_owner, after, limit) => store.list("principal one", after, limit) })],
    [
      "does not count owners",
      (store) => ({ insert: (record, lease) => store.insert(record, lease, { maxTasks: 99, maxTasksPerOwner: 99 }) }),
    ],
    ["forgets nothing", () => ({ forget: () => undefined })],
    ["calls no listener", () => ({ subscribe: () => () => undefined })],
    [
      "shares what it keeps",
      (store) => {
        const kept = new Map<string, TaskRecord>();
        return { insert: (...args) => (store.insert(...args), void kept.set(args[0].id, args[0])), get: (id) => kept.get(id) };
      },
    ],
    [
      "believes no lease for longer than a minute",
      (store) => ({
        lease: (id, { worker, until }, now) => store.lease(id, { worker, until: Math.min(until, now + 60_000) }, now),
      }),
    ],
    [
      "takes a limit that is left out for 0",
      (store) => ({
        insert: (record, lease, limits) => store.insert(record, lease, { maxTasks: 0, maxTasksPerOwner: 0, ...limits }),
      }),
    ],
    ["forgets how many runs there were", (store) => ({ get: (id) => ({ ...store.get(id)!, tries: 1 }) })],
    ["finds nothing that is abandoned", () => ({ abandoned: () => [] })],
  ])("%s", async (_name, changes) => {
    const verdicts = await Promise.allSettled(taskStoreChecks.map(({ run }) => run(broken(changes))));
    expect(verdicts.some(({ status }) => status === "rejected")).toBe(true);
  });
});
