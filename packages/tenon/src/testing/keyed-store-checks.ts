import { randomId } from "../base/bytes.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import { fails, same, STRANGE, until, type StoreCheck } from "./expectations.ts";

/** One requirement of a `KeyedStore`, as a check on an empty store. */
export type KeyedStoreCheck = StoreCheck<[store: KeyedStore]>;

const LONG = 600_000;
const SHORT = 50;

/**
 * Checks of a `KeyedStore`, for any test runner:
 * `for (const { name, run } of keyedStoreChecks) test(name, async () => run(await createStore()))`.
 * Each needs an empty store. Entries that must expire do so after 50 milliseconds of the store's own clock.
 */
export const keyedStoreChecks: readonly KeyedStoreCheck[] = [
  {
    name: "a value is stored, replaced and removed by its version only",
    async run(store) {
      same(await store.read("one"), undefined, "before it is stored");
      const value = 'text "\\ 😀 \n'.repeat(1_000);
      const first = await made(store, "one", value);
      same(await store.read("one"), { value, version: first }, "the value");
      same(await store.swap("one", undefined, { value: "other", ms: LONG }), undefined, "to store where there is a value");
      const second = (await store.swap("one", first, { value: "second", ms: LONG }))!;
      same(await store.swap("one", first, { value: "third", ms: LONG }), undefined, "to replace a version that is gone");
      same(await store.swap("one", first, undefined), undefined, "to remove a version that is gone");
      same(await store.read("one"), { value: "second", version: second }, "the value that replaced it");
      same(typeof (await store.swap("one", second, undefined)), "string", "to remove it");
      same(await store.read("one"), undefined, "after that");
    },
  },
  {
    name: "of many who replace a version at once, one succeeds",
    async run(store) {
      for (const key of Array.from({ length: 5 }, randomId)) {
        let version: string | undefined;
        for (let round = 0; round < 3; round++) {
          const swaps = Array.from({ length: 20 }, async (_, index) => store.swap(key, version, { value: String(index), ms: LONG }));
          const succeeded = (await Promise.all(swaps)).filter((made) => made !== undefined);
          same(succeeded.length, 1, "how many did");
          version = succeeded[0];
          same((await store.read(key))?.version, version, "the version that is there");
        }
      }
    },
  },
  {
    name: "a version does not come back after its entry expired or was removed",
    async run(store) {
      const versions = [await made(store, "one", "same", SHORT)];
      await until(async () => (await store.read("one")) === undefined, "the entry expires");
      versions.push(await made(store, "one", "same"));
      same(await store.swap("one", versions[0], { value: "x", ms: LONG }), undefined, "to replace the version that expired");
      same(await store.renew("one", versions[0]!, LONG), false, "to renew it");
      await store.swap("one", versions[1], undefined);
      versions.push(await made(store, "one", "same"));
      same(new Set(versions).size, 3, "how many versions there were");
    },
  },
  {
    name: "an entry lives for its time, and longer if it is renewed",
    async run(store) {
      const short = await made(store, "short", "value", SHORT);
      const renewed = await made(store, "renewed", "value", 1_000);
      same(await store.renew("renewed", renewed, LONG), true, "to renew");
      same(await store.read("renewed"), { value: "value", version: renewed }, "what was renewed");
      await until(async () => (await store.read("short")) === undefined, "the other expires");
      same(await store.renew("short", short, LONG), false, "to renew what has expired");
      same(await store.renew("never", renewed, LONG), false, "to renew what never was");
      await store.renew("renewed", renewed, SHORT);
      await until(async () => (await store.read("renewed")) === undefined, "a shorter time counts too");
    },
  },
  {
    name: "a set takes as many members as it may have, however many come at once",
    async run(store) {
      const joined = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => store.join("set", `m${index}`, { ms: LONG, max: 5 })),
      );
      same(joined.filter((success) => success).length, 5, "how many joined");
      const member = `m${joined.indexOf(true)}`;
      same(await store.join("set", member, { ms: LONG, max: 5 }), true, "to renew a member of a full set");
      same(await store.join("set", "another", { ms: LONG, max: 5 }), false, "to join a full set");
      await store.leave("set", member);
      same(await store.join("set", "another", { ms: LONG, max: 5 }), true, "to join after one left");
      same(await store.join("other", "another", { ms: LONG, max: 1 }), true, "to join another set");
    },
  },
  {
    name: "members leave at their time",
    async run(store) {
      same(await store.join("set", "short", { ms: SHORT, max: 2 }), true, "the first");
      same(await store.join("set", "long", { ms: LONG, max: 2 }), true, "the second");
      await until(async () => store.join("set", "third", { ms: LONG, max: 2 }), "there is room when the first has left");
      same(await store.join("set", "fourth", { ms: LONG, max: 2 }), false, "another one");
    },
  },
  {
    name: "a counter never gives a number twice",
    async run(store) {
      const numbers = await Promise.all(Array.from({ length: 30 }, async () => store.next("counter", 1_000)));
      same(new Set(numbers).size, 30, "how many numbers");
      same(Math.min(...numbers) >= 1_000, true, "whether each is at least the least");
      const next = await store.next("counter", 1);
      same(next > Math.max(...numbers), true, "whether the next is greater than all");
      same(await store.next("counter", next + 50), next + 50, "a higher least");
      same(await store.next("counter", 1), next + 51, "the number after it");
    },
  },
  {
    name: "strange keys are kept apart, and so are entries, sets and counters of one name",
    async run(store) {
      for (const [index, key] of STRANGE.entries()) await made(store, key, String(index));
      for (const [index, key] of STRANGE.entries()) same((await store.read(key))?.value, String(index), `the value of key ${index}`);
      for (const key of STRANGE) same(await store.join(key, key, { ms: LONG, max: 1 }), true, "to join a set of that name");
      for (const key of STRANGE) same(await store.join("set", key, { ms: LONG, max: STRANGE.length }), true, "a member of that name");
      same(await store.join("set", "one more", { ms: LONG, max: STRANGE.length }), false, "whether they are different members");
      for (const [index, key] of STRANGE.entries()) same(await store.next(key, index), index, "a counter of that name");
      for (const [index, key] of STRANGE.entries()) same((await store.read(key))?.value, String(index), `key ${index} after that`);
    },
  },
  {
    name: "values that are too long and times that are not above 0 are refused, and change nothing",
    async run(store) {
      const value = "x".repeat(2 ** 20);
      const version = await made(store, "one", value);
      await fails(async () => store.swap("one", version, { value: `${value}y`, ms: LONG }), "LimitExceededError");
      for (const ms of [0, -1, NaN, Infinity]) await fails(async () => store.swap("one", version, { value: "x", ms }), "RangeError");
      await fails(async () => store.renew("one", version, 0), "RangeError");
      await fails(async () => store.join("set", "m", { ms: NaN, max: 1 }), "RangeError");
      same((await store.read("one"))?.version, version, "the version after that");
    },
  },
];

/** Stores a value under a key that holds nothing. */
async function made(store: KeyedStore, key: string, value: string, ms: number = LONG): Promise<string> {
  const version = await store.swap(key, undefined, { value, ms });
  if (version === undefined) throw new Error(`expected to store a value under a key that holds nothing`);
  return version;
}
