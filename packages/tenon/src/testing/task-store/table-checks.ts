/** Checks of the whole store: lists, limits, expiry and listeners. */
import type { TaskStore } from "../../extensions/tasks/index.ts";
import { type TaskStoreCheck, created, LEASE, next, NOW, refuses, ROOM, task, within } from "./support.ts";
import { same } from "../expectations.ts";

export const tableChecks: readonly TaskStoreCheck[] = [
  {
    name: "a list holds the tasks of one owner, in order, page by page",
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
      same(await ids("stranger", undefined, 9), [], "a stranger's");
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
    name: "a limit that is left out is no limit",
    async run(store) {
      for (const id of ["one", "two", "three"]) await store.insert(task(id), LEASE, { maxTasks: 3 });
      await refuses(() => store.insert(task("four"), LEASE, { maxTasks: 3 }), "maxTasks");
      await store.insert(task("four"), LEASE, {});
      same((await store.get("four"))?.id, "four", "what no limit refuses");
    },
  },
  {
    name: "concurrent inserts never exceed the limit",
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
    name: "expired tasks are deleted and free their place",
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
    name: "listeners are called for each stored task",
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
      same(told, [], "the calls of a listener that has stopped");
    },
  },
];
