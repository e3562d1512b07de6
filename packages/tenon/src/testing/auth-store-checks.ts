import type { AuthStore } from "../auth/login/auth-store.ts";
import { same, until, type StoreCheck } from "./expectations.ts";

/** One requirement of an `AuthStore`, as a check on an empty store. */
export type AuthStoreCheck = StoreCheck<[store: AuthStore]>;

const RECORD = { token: 'Zoë "\\ \u0000', scopes: ["a", null, 1.5, { deep: true }] };

/**
 * Checks of an `AuthStore`, for any test runner:
 * `for (const { name, run } of authStoreChecks) test(name, async () => run(await createStore()))`.
 * Each needs an empty store.
 */
export const authStoreChecks: readonly AuthStoreCheck[] = [
  {
    name: "a record is returned unchanged until it is replaced or deleted",
    async run(store) {
      same(await store.get("https://a"), undefined, "before it is set");
      await store.set("https://a", RECORD);
      same(await store.get("https://a"), RECORD, "the record");
      await store.set("https://a", { other: true });
      same(await store.get("https://a"), { other: true }, "the record that replaced it");
      same(await store.get("https://b"), undefined, "another key");
      await store.delete("https://a");
      await store.delete("https://a");
      same(await store.get("https://a"), undefined, "the record that was deleted");
    },
  },
  {
    name: "a record ends at its time",
    async run(store) {
      await store.set("one", RECORD, Date.now() + 600_000);
      same(await store.get("one"), RECORD, "before its time");
      await store.set("one", RECORD, Date.now() + 50);
      await until(async () => (await store.get("one")) === undefined, "the record ends");
      await store.set("two", RECORD, Date.now() - 1);
      same(await store.get("two"), undefined, "a record that has ended already");
    },
  },
  {
    name: "a lock has one holder, and the next one gets it when the work ends",
    async run(store) {
      let [inside, most] = [0, 0];
      const work = async (): Promise<void> => {
        most = Math.max(most, ++inside);
        await store.set("count", { value: Number((await store.get("count"))?.["value"] ?? 0) + 1 });
        inside--;
      };
      await Promise.all(Array.from({ length: 10 }, () => store.lock("one", work)));
      same(most, 1, "how many worked at once");
      same(await store.get("count"), { value: 10 }, "what they did");
    },
  },
  {
    name: "locks of two keys do not wait for each other, and work that fails gives its lock back",
    async run(store) {
      same(await store.lock("one", () => store.lock("two", async () => "inner")), "inner", "a lock inside another");
      const failure = new Error("failed");
      const outcome = await store.lock("one", () => Promise.reject(failure)).catch((error: unknown) => error);
      if (outcome !== failure) throw new Error("the failure of the work was lost", { cause: outcome });
      same(await store.lock("one", async (lost) => lost.aborted), false, "the lock after it");
    },
  },
  {
    name: "a caller that waits for a lock can give up",
    async run(store) {
      const reason = new Error("given up");
      const outcome = await store.lock("one", async () => {
        const waiting = new AbortController();
        const second = store.lock("one", async () => "got it", waiting.signal).catch((error: unknown) => error);
        waiting.abort(reason);
        return second;
      });
      if (outcome !== reason) throw new Error("the second caller did not give up", { cause: outcome });
    },
  },
];
