/** Checks of leases: one process at a time has a task, and abandoned tasks are found. */
import type { TaskStoreCheck } from "./check.ts";
import { same } from "../expectations.ts";
import { LEASE, next, NOW, ROOM, task } from "./support.ts";

export const leaseChecks: readonly TaskStoreCheck[] = [
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
