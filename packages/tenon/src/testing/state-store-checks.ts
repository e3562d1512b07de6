import { randomId } from "../base/bytes.ts";
import type { StateStore } from "../storage/state-store.ts";
import { same, until, type StoreCheck } from "./expectations.ts";

/** One requirement of a `StateStore`, as a check on an empty store. */
export type StateStoreCheck = StoreCheck<[store: StateStore]>;

const LONG = 600_000;
const SHORT = 50;
/** Keys that a program or a peer may choose. */
const STRANGE = ["", "a b", "*", "x".repeat(9_000), "Zoë \u0000 \ud800", "__proto__", "a:b{c}"];

/** Entries of one owner. */
const MANY = 60;

async function succeeds(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks of a `StateStore`, for any test runner:
 * `for (const { name, run } of stateStoreChecks) test(name, async () => run(await createStore()))`.
 * Each needs an empty store. Entries that must end do so after 50 milliseconds of the store's own clock.
 */
export const stateStoreChecks: readonly StateStoreCheck[] = [
  {
    name: "a value is returned unchanged until it is replaced",
    async run(store) {
      same(await store.get("one"), undefined, "before it is put");
      const value = 'text "\\ 😀 \n'.repeat(1_000);
      await store.put("one", value, LONG);
      same(await store.get("one"), value, "the value");
      await store.put("one", "second", LONG);
      same(await store.get("one"), "second", "the value that replaced it");
      same(await store.get("two"), undefined, "another key");
    },
  },
  {
    name: "strange keys are kept apart",
    async run(store) {
      for (const [index, key] of STRANGE.entries()) await store.put(key, String(index), LONG);
      for (const [index, key] of STRANGE.entries()) same(await store.get(key), String(index), `the value of key ${index}`);
      for (const key of STRANGE) same(await store.claim(key, LONG), true, "the first claim of each");
    },
  },
  {
    name: "a value and a claim end at their time",
    async run(store) {
      await store.put("one", "value", SHORT);
      same(await store.claim("one", SHORT), true, "the first claim");
      await until(async () => (await store.get("one")) === undefined, "the value ends");
      await until(async () => await store.claim("one", LONG), "the claim ends");
      same(await store.claim("one", LONG), false, "the claim after it");
    },
  },
  {
    name: "of many who claim a key at once, one succeeds",
    async run(store) {
      for (const key of Array.from({ length: 5 }, randomId)) {
        const claims = await Promise.all(Array.from({ length: 20 }, async () => store.claim(key, LONG)));
        same(claims.filter((success) => success).length, 1, "how many did");
      }
    },
  },
  {
    name: "claims and values do not touch each other",
    async run(store) {
      await store.put("one", "value", LONG);
      same(await store.claim("one", LONG), true, "a claim of a key with a value");
      same(await store.get("one"), "value", "the value of a key that is claimed");
      await store.put("one", "again", LONG);
      same(await store.claim("one", LONG), false, "a claim after the value was replaced");
    },
  },
  {
    name: "an owner who stores much keeps no other out, and what is refused is not stored",
    async run(store) {
      let isClaimed = true;
      for (let index = 0; index < MANY; index++) {
        const [key, value] = [`of one ${index}`, "x".repeat(1_000)];
        const isKept = await succeeds(() => store.put(key, value, LONG, "one"));
        same(await store.get(key), isKept ? value : undefined, `value ${index} of the owner`);
        isClaimed = await succeeds(() => store.claim(key, LONG, "one"));
      }
      same(await store.claim(`of one ${MANY - 1}`, LONG, "two"), !isClaimed, "a claim of the owner's last key");
      await store.put("of two", "value", LONG, "two");
      same(await store.get("of two"), "value", "the value of another owner");
      same(await store.claim("claim of two", LONG, "two"), true, "the claim of another owner");
    },
  },
];
