/** Checks of records: they are stored unchanged, and replaced version by version. */
import type { TaskStoreCheck } from "./check.ts";
import { same } from "../expectations.ts";
import { LEASE, next, ROOM, task } from "./support.ts";

export const recordChecks: readonly TaskStoreCheck[] = [
  {
    name: "a stored task is returned unchanged",
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
    name: "a returned task is a copy: changing it does not change the stored task",
    async run(store) {
      const put = task("one");
      await store.insert(put, LEASE, ROOM);
      (put.call.params as { name: string }).name = "changed after it was put";
      ((await store.get("one"))!.call.params as { name: string }).name = "changed after it was got";
      same(await store.get("one"), task("one"), "the task");
    },
  },
  {
    name: "a task replaces only the version before it",
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
    name: "one of many concurrent replacements of the same version succeeds",
    async run(store) {
      await store.insert(task("one"), LEASE, ROOM);
      const attempts = Array.from({ length: 20 }, async (_, who) => store.replace(next(task("one"), { statusMessage: String(who) })));
      const done = await Promise.all(attempts);
      same(done.filter((success) => success).length, 1, "how many did");
      same((await store.get("one"))?.statusMessage, String(done.indexOf(true)), "what was put");
    },
  },
];
