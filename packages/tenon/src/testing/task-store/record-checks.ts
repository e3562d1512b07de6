/**
 * Checks of records: they are stored unchanged, and replaced version by version; and of their leases: one process at a time has a task, and
 * abandoned tasks are found.
 */
import { type TaskStoreCheck, LEASE, next, NOW, ROOM, task } from "./support.ts";
import { same } from "../expectations.ts";

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
      same(await store.lease("one", LEASE, NOW + 2_000), false, "after another worker released it");
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
    name: "a lease holds until the time it says, however long that is",
    async run(store) {
      await store.insert(task("one"), LEASE, ROOM);
      const day = NOW + 86_400_000;
      same(await store.lease("one", { worker: "b", until: day }, NOW + 1_000), true, "taking what has run out");
      same(await store.lease("one", { worker: "a", until: day }, day - 1), false, "taking it before its time");
      same(await store.abandoned(day - 1, 10), [], "what is found before its time");
      same(await store.abandoned(day, 10), ["one"], "what is found after its time");
    },
  },
  {
    name: "abandoned tasks are found, unless they have ended",
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
];
