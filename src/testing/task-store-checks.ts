/**
 * What every `TaskStore` must do, as checks that any test runner can run:
 *
 *   for (const { name, run } of taskStoreChecks) test(name, async () => run(await createStore()));
 *
 * Each check gets a store of its own, or one that holds no tasks of others. A store that keeps time by itself need not be
 * told of it: no check depends on time that passes.
 */
import type { TaskLease, TaskRecord, TaskStore } from "../extensions/tasks/index.ts";
import { canonicalJson } from "../session/asking/question.ts";

/** One thing that every `TaskStore` must do, to be run by any test runner on a store that is empty. */
export interface TaskStoreCheck {
  readonly name: string;
  /** Rejects where the store does not do what it must. */
  readonly run: (store: TaskStore) => Promise<void>;
}

const NOW = 1_700_000_000_000;
const LEASE: TaskLease = { worker: "a", until: NOW + 1_000 };
const ROOM = { maxTasks: 1_000, maxTasksPerOwner: 1_000 };

/** A task as it is kept, with everything in it that JSON can hold. */
function task(id: string, changes: Partial<TaskRecord> = {}): TaskRecord {
  return {
    id,
    owner: "principal one",
    version: 1,
    status: "working",
    createdAt: NOW,
    updatedAt: NOW,
    ttl: 3_600_000,
    pollInterval: 1_000,
    call: {
      method: "tools/call",
      params: { name: "job", arguments: { text: 'Zoë "\\ \u0000 😀', list: [null, 1.5, true] } },
      version: "2026-07-28",
      client: { info: { name: "c", version: "1" }, capabilities: { elicitation: {} } },
    },
    restart: false,
    run: 1,
    journal: { answers: [["name", "mark", { action: "decline" }]], refusals: [], steps: [["step", [1]], ["nothing"]], keys: ["name"] },
    questions: [{ key: "a", name: "a", mark: "m", request: { method: "roots/list" } }],
    ...changes,
  };
}

const created = (id: string, createdAt: number, owner = "principal one"): TaskRecord => task(id, { createdAt, owner });
const next = (record: TaskRecord, changes: Partial<TaskRecord> = {}): TaskRecord => ({
  ...record,
  ...changes,
  version: record.version + 1,
});

/** The checks; in each the store is its own. */
export const taskStoreChecks: readonly TaskStoreCheck[] = [
  {
    name: "O5 what was put is there, as it was put",
    async run(store) {
      await store.insert(task("one"), LEASE, ROOM);
      same(await store.get("one"), task("one"), "the task");
      same(await store.get("two"), undefined, "a task that never was");
      const ended = next(task("one"), { status: "completed", questions: [], outcome: { result: { content: [], more: { deep: [{}] } } } });
      same(await store.replace(ended), true, "replace");
      same(await store.get("one"), ended, "the task that was replaced");
    },
  },
  {
    name: "R4 what is given out is a copy: changing it changes nothing that is kept",
    async run(store) {
      const put = task("one");
      await store.insert(put, LEASE, ROOM);
      (put.call.params as { name: string }).name = "changed after it was put";
      ((await store.get("one"))!.call.params as { name: string }).name = "changed after it was got";
      same(await store.get("one"), task("one"), "the task");
    },
  },
  {
    name: "N5 only the version before is replaced",
    async run(store) {
      await store.insert(task("one"), LEASE, ROOM);
      const second = next(task("one"), { statusMessage: "second" });
      same(await store.replace(second), true, "the next version");
      same(await store.replace(next(task("one"), { statusMessage: "late" })), false, "a version that is there already");
      same(await store.replace({ ...second, version: 9 }), false, "a version too far ahead");
      same(await store.replace(next(task("none"))), false, "a task that never was");
      same(await store.get("one"), second, "the task");
    },
  },
  {
    name: "N5 of many who replace the same version, one does",
    async run(store) {
      await store.insert(task("one"), LEASE, ROOM);
      const attempts = Array.from({ length: 20 }, async (_, who) => store.replace(next(task("one"), { statusMessage: String(who) })));
      const done = await Promise.all(attempts);
      same(done.filter((success) => success).length, 1, "how many did");
      same((await store.get("one"))?.statusMessage, String(done.indexOf(true)), "what was put");
    },
  },
  {
    name: "a lease has one holder, who may renew it and give it back",
    async run(store) {
      await store.insert(task("one"), LEASE, ROOM);
      const other = { worker: "b", until: NOW + 9_000 };
      same(await store.lease("one", other, NOW), false, "taking what another holds");
      same(await store.lease("one", { worker: "a", until: NOW + 2_000 }, NOW), true, "renewing");
      same(await store.lease("one", other, NOW + 1_500), false, "taking what was renewed");
      same(await store.lease("one", other, NOW + 2_000), true, "taking what has run out");
      same(await store.lease("one", LEASE, NOW + 2_000), false, "taking it back");
      await store.release("one", "a");
      same(await store.lease("one", LEASE, NOW + 2_000), false, "after somebody else gave it back");
      await store.release("one", "b");
      same(await store.lease("one", LEASE, NOW + 2_000), true, "after its holder gave it back");
      same(await store.lease("none", LEASE, NOW), false, "for a task that never was");
    },
  },
  {
    name: "of many who take a lease that has run out, one does",
    async run(store) {
      await store.insert(task("one"), LEASE, ROOM);
      const attempts = Array.from({ length: 20 }, async (_, who) =>
        store.lease("one", { worker: `w${who}`, until: NOW + 9_000 }, NOW + 1_000),
      );
      const taken = await Promise.all(attempts);
      same(taken.filter((success) => success).length, 1, "how many did");
    },
  },
  {
    name: "what nobody works on is found, unless it has ended",
    async run(store) {
      for (const id of ["held", "lost", "given", "ended"]) await store.insert(task(id), LEASE, ROOM);
      await store.lease("held", { worker: "a", until: NOW + 9_000 }, NOW);
      await store.release("given", "a");
      await store.replace(next(task("ended"), { status: "cancelled" }));
      same([...(await store.abandoned(NOW, 10))].sort(), ["given"], "while the leases hold");
      same([...(await store.abandoned(NOW + 1_000, 10))].sort(), ["given", "lost"], "after they have run out");
      same((await store.abandoned(NOW + 1_000, 1)).length, 1, "no more than were asked for");
    },
  },
  {
    name: "N6 R4 lists hold the tasks of one owner, in order, page by page",
    async run(store) {
      for (const record of [created("b", NOW), created("c", NOW + 5), created("a", NOW), created("x", NOW, "principal two")]) {
        await store.insert(record, LEASE, ROOM);
      }
      const ids = async (...page: Parameters<TaskStore["list"]>): Promise<string[]> => (await store.list(...page)).map(({ id }) => id);
      same(await ids("principal one", undefined, 10), ["a", "b", "c"], "all of them");
      same(await ids("principal one", undefined, 2), ["a", "b"], "the first page");
      same(await ids("principal one", { createdAt: NOW, id: "b" }, 2), ["c"], "the page after it");
      same(await ids("principal one", { createdAt: NOW, id: "aa" }, 1), ["b"], "after a place where no task is");
      same(await ids("principal two", { createdAt: NOW, id: "a" }, 9), ["x"], "another owner's");
      same(await ids("nobody", undefined, 9), [], "a stranger's");
      same((await store.list("principal one", undefined, 1))[0], created("a", NOW), "the record");
    },
  },
  {
    name: "there are no more tasks than are allowed, of all and of each owner",
    async run(store) {
      const limits = { maxTasks: 3, maxTasksPerOwner: 2 };
      await store.insert(task("one"), LEASE, limits);
      await store.insert(task("two"), LEASE, limits);
      await refuses(() => store.insert(task("three"), LEASE, limits), "maxTasksPerPrincipal");
      await store.insert(task("three", { owner: "principal two" }), LEASE, limits);
      await refuses(() => store.insert(task("four", { owner: "principal three" }), LEASE, limits), "maxTasks");
      same(await store.get("four"), undefined, "what was refused");
    },
  },
  {
    name: "of many that are put at once, no more get in than are allowed",
    async run(store) {
      const limits = { maxTasks: 5, maxTasksPerOwner: 9 };
      const put = async (id: string): Promise<boolean> => {
        try {
          await store.insert(task(id), LEASE, limits);
          return true;
        } catch {
          return false;
        }
      };
      const done = await Promise.all(Array.from({ length: 12 }, (_, index) => put(`t${index}`)));
      same(done.filter((success) => success).length, 5, "how many got in");
    },
  },
  {
    name: "N4 what has expired is forgotten, and makes room",
    async run(store) {
      const limits = { maxTasks: 2, maxTasksPerOwner: 2 };
      await store.insert(task("short", { ttl: 10 }), LEASE, limits);
      await store.insert(task("long"), LEASE, limits);
      await store.forget(NOW + 9);
      same((await store.get("short"))?.id, "short", "before its time");
      await store.forget(NOW + 10);
      same(await store.get("short"), undefined, "after its time");
      same(await store.replace(next(task("short"))), false, "replacing it");
      same(await store.lease("short", LEASE, NOW), false, "its lease");
      await store.insert(task("another"), LEASE, limits);
      same((await store.get("long"))?.id, "long", "the other one");
    },
  },
  {
    name: "whoever listens is told of each task that is put",
    async run(store) {
      const told: string[] = [];
      const stop = store.subscribe((id) => told.push(id));
      await store.insert(task("one"), LEASE, ROOM);
      await within(() => told.includes("one"), "of a new task");
      told.length = 0;
      await store.replace(next(task("one"), { status: "cancelled" }));
      await within(() => told.includes("one"), "of a change");
      stop();
      told.length = 0;
      await store.insert(task("two"), LEASE, ROOM);
      await within(() => true, "");
      same(told, [], "what a listener is told that has stopped");
    },
  },
];

/** Fails unless both are the same as JSON, whatever the order of their members. */
function same(actual: unknown, expected: unknown, what: string): void {
  const [is, shouldBe] = [actual, expected].map((value) => (value === undefined ? "undefined" : canonicalJson(value)));
  if (is !== shouldBe) throw new Error(`${what}: expected ${shouldBe}, got ${is}`);
}

/** Fails unless it is refused with that limit's name. */
async function refuses(put: () => unknown, limit: string): Promise<void> {
  try {
    await put();
  } catch (error) {
    if (error instanceof Error && "limit" in error && error.limit === limit) return;
    throw new Error(`expected the limit "${limit}"`, { cause: error });
  }
  throw new Error(`more than "${limit}" allows was taken`);
}

/** Milliseconds another process may take to hear of something. */
const PATIENCE = 2_000;

async function within(told: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + PATIENCE; !told();) {
    if (Date.now() > end) throw new Error(`nobody was told ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
