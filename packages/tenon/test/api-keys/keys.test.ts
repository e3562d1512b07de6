/** API keys over every engine: what opens the endpoint, what does not, and what several processes see. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiKeys, type ApiKeysOptions } from "tenon/auth/keys";
import { memoryStores } from "tenon/stores/memory";
import type { Stores } from "tenon/stores/redis";
import { taking, timeStandsStill, reasonOf } from "../auth-server/tokens.ts";
import { gate } from "../support/gate.ts";
import { assertStarted, ENGINES, startEngine, type Engine } from "../stores/engines.ts";
import { vi } from "vitest";

const DAY = 86_400_000;
let space = 0;

describe.each(["memory", ...ENGINES] as const)("%s", (name) => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = name === "memory" ? undefined : await startEngine(name)));
  afterAll(() => engine?.stop());

  const withStores = async (
    context: Parameters<typeof assertStarted>[2],
    work: (store: Stores["keyed"]) => Promise<void>,
  ): Promise<void> => {
    const stores = name === "memory" ? memoryStores() : assertStarted(engine, name, context).stores(`keys${++space}`);
    try {
      await work(stores.keyed);
    } finally {
      await stores.close();
    }
  };

  test("a key opens the endpoint as its subject with its scopes; another text does not", async (context) => {
    await withStores(context, async (store) => {
      const keys = apiKeys({ store, scopes: ["read"] });
      const { key, id } = await keys.mint({ subject: "nightly", name: "the nightly job", scopes: ["read", "write"] });
      expect(key).toMatch(new RegExp(`^mcp_${id}_[a-z2-7]{52}$`));
      const take = taking(keys);
      expect(await take(key)).toMatchObject({
        auth: {
          issuer: "urn:tenon:keys:mcp",
          subject: "nightly",
          scopes: ["read", "write"],
          claims: { key: id, name: "the nightly job" },
        },
      });
      const last = key.endsWith("a") ? "b" : "a";
      expect(await reasonOf(take(key.slice(0, -1) + last))).toBe(`401 API key refused: wrong secret of the id "${id}"`);
      expect(await reasonOf(take(`mcp_${"a".repeat(12)}_${"a".repeat(52)}`))).toMatch(/^401 API key refused: there is no key/);
      expect(await reasonOf(take("eyJ.eyJ.sig"))).toMatch(/^401 API key refused: it has not the form/);
    });
  });

  test("a key without a scope that every request needs is refused with 403", async (context) => {
    await withStores(context, async (store) => {
      const keys = apiKeys({ store, scopes: ["read"] });
      const { key } = await keys.mint({ subject: "nightly" });
      expect(await reasonOf(taking(keys)(key))).toBe('403 Insufficient scope: read needed,  granted ({"subject":"nightly"})');
      expect(await taking(keys)(key)).toMatchObject({
        message: 'Forbidden: the API key needs the scope "read"',
        headers: ["WWW-Authenticate", 'Bearer realm="mcp", error="insufficient_scope", scope="read"'],
      });
    });
  });

  test("another process sees keys that were made and revoked, and the store has no key in it", async (context) => {
    await withStores(context, async (store) => {
      const [one, other] = [apiKeys({ store, cacheTtl: 0 }), apiKeys({ store, cacheTtl: 0 })];
      const [first, second] = [await one.mint({ subject: "ann" }), await one.mint({ subject: "bob" })];
      expect((await other.list()).map(({ id }) => id)).toEqual([first.id, second.id]);
      expect((await other.list("bob")).map(({ subject }) => subject)).toEqual(["bob"]);
      expect(JSON.stringify(await other.list())).not.toContain(first.key);
      expect(JSON.stringify(await store.read(`api key mcp ${first.id}`))).not.toContain(first.key.slice(17));
      expect(await other.revoke(first.id)).toBe(true);
      expect(await other.revoke(first.id)).toBe(false);
      expect(await reasonOf(taking(one)(first.key))).toMatch(/^401/);
      expect(await reasonOf(taking(one)(second.key))).toBe("taken");
      expect((await one.list()).map(({ id }) => id)).toEqual([second.id]);
    });
  });

  test("a rotated key has another secret and the same rights, and the old one ends", async (context) => {
    await withStores(context, async (store) => {
      const keys = apiKeys({ store });
      const old = await keys.mint({ subject: "ann", scopes: ["read"], expiresIn: 3 * DAY });
      expect(await reasonOf(taking(keys)(old.key))).toBe("taken");
      const next = await keys.rotate(old.id);
      expect(next).toMatchObject({ id: old.id, subject: "ann", scopes: ["read"] });
      expect(next.expiresAt - next.createdAt).toBe(3 * DAY);
      expect(await reasonOf(taking(keys)(old.key))).toMatch(/^401/);
      expect(await reasonOf(taking(keys)(next.key))).toBe("taken");
      await expect(keys.rotate("none")).rejects.toThrow('There is no API key with the id "none"');
    });
  });

  test("keys that are made at the same time are all in the list", async (context) => {
    await withStores(context, async (store) => {
      const all = await Promise.all(Array.from({ length: 8 }, (_, at) => apiKeys({ store }).mint({ subject: `s${at}` })));
      expect((await apiKeys({ store }).list()).map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
    });
  });

  test("more keys are listed than an engine takes commands at once", async (context) => {
    await withStores(context, async (store) => {
      const keys = apiKeys({ store });
      const { id } = await keys.mint({ subject: "a" });
      const index = await store.read("api keys mcp");
      const value = JSON.stringify([...Array.from({ length: 2_500 }, (_, at) => `gone${at}`), id]);
      await store.swap("api keys mcp", index?.version, { value, ms: DAY });
      expect((await keys.list()).map(({ subject }) => subject)).toEqual(["a"]);
    });
  });

  test("when the room is used up a new key is refused, and a revoked one makes room", async (context) => {
    await withStores(context, async (store) => {
      const keys = apiKeys({ store, maxKeys: 2 });
      const [first] = [await keys.mint({ subject: "a" }), await keys.mint({ subject: "b" })];
      await expect(keys.mint({ subject: "c" })).rejects.toMatchObject({ limit: "maxKeys", max: 2 });
      await keys.revoke(first.id);
      await keys.mint({ subject: "c" });
      expect((await keys.list()).map(({ subject }) => subject)).toEqual(["b", "c"]);
    });
  });

  test("keys of another prefix are others", async (context) => {
    await withStores(context, async (store) => {
      const [here, there] = [apiKeys({ store, prefix: "files" }), apiKeys({ store, prefix: "mail" })];
      const { key } = await here.mint({ subject: "a" });
      expect(key).toMatch(/^files_/);
      expect([await there.list(), await reasonOf(taking(there)(key))]).toEqual([[], expect.stringMatching(/^401 /)]);
      expect(await reasonOf(taking(there)(key.replace("files", "mail")))).toMatch(/^401 /);
    });
  });
});

test.each(["revoke", "rotate"] as const)("a request that came before %s is not let in by the old key after it", async (end) => {
  const { keyed } = memoryStores();
  const { key, id } = await apiKeys({ store: keyed }).mint({ subject: "ann" });
  const [hasRead, mayGoOn] = [gate(), gate()];
  let isFirst = true;
  const read: typeof keyed.read = async (name) => {
    const [entry, waits] = [await keyed.read(name), isFirst];
    isFirst = false;
    hasRead.open();
    if (waits) await mayGoOn.opened;
    return entry;
  };
  const store = new Proxy(keyed, {
    get: (target, name) => (name === "read" ? read : (Reflect.get(target, name) as () => void).bind(target)),
  });
  const keys = apiKeys({ store });
  const late = reasonOf(taking(keys)(key));
  await hasRead.opened;
  await keys[end](id);
  mayGoOn.open();
  expect([await late, await reasonOf(taking(keys)(key))]).toEqual(Array(2).fill(expect.stringMatching(/^401/)));
});

test("of keys that are made at the same time no more exist than there is room for, and the list has each", async () => {
  const { keyed } = memoryStores();
  const [writes, mayGoOn] = [gate(), gate()];
  let isFirst = true;
  const swap: typeof keyed.swap = async (name, ...rest) => {
    if (name.startsWith("api key ") && isFirst) {
      isFirst = false;
      writes.open();
      await mayGoOn.opened;
    }
    return keyed.swap(name, ...rest);
  };
  const store = new Proxy(keyed, {
    get: (target, name) => (name === "swap" ? swap : (Reflect.get(target, name) as () => void).bind(target)),
  });
  const keys = apiKeys({ store, maxKeys: 1 });
  const first = keys.mint({ subject: "ann" });
  await writes.opened;
  const second = await keys.mint({ subject: "bob" });
  mayGoOn.open();
  await expect(first).rejects.toMatchObject({ limit: "maxKeys", max: 1 });
  expect((await keys.list()).map(({ id }) => id)).toEqual([second.id]);
});

test("a key that has expired is refused, also while it is known, and leaves the list", async () => {
  timeStandsStill();
  const keys = apiKeys({ store: memoryStores().keyed, cacheTtl: DAY });
  const { key } = await keys.mint({ subject: "ann", expiresIn: 60_000 });
  expect(await reasonOf(taking(keys)(key))).toBe("taken");
  vi.setSystemTime(Date.now() + 60_001);
  expect(await reasonOf(taking(keys)(key))).toMatch(/^401 /);
  expect(await keys.list()).toEqual([]);
  vi.useRealTimers();
});

test("the list says when a key was used", async () => {
  const keys = apiKeys({ store: memoryStores().keyed, cacheTtl: 0 });
  const { key } = await keys.mint({ subject: "ann" });
  expect((await keys.list())[0]?.usedAt).toBeUndefined();
  await taking(keys)(key);
  await expect.poll(async () => (await keys.list())[0]?.usedAt).toBeTypeOf("number");
});

test("a use is noted once a minute", async () => {
  timeStandsStill();
  const keys = apiKeys({ store: memoryStores().keyed, cacheTtl: 0 });
  const { key } = await keys.mint({ subject: "ann" });
  const began = Date.now();
  const noted: unknown[] = [];
  for (const ms of [0, 30_000, 60_000]) {
    vi.setSystemTime(began + ms);
    await taking(keys)(key);
    noted.push((await keys.list())[0]!.usedAt! - began);
  }
  expect(noted).toEqual([0, 0, 60_000]);
  vi.useRealTimers();
});

test("a key lives a millisecond at least, and ten years at most", async () => {
  const keys = apiKeys({ store: memoryStores().keyed });
  for (const expiresIn of [1, 3_650 * DAY]) await keys.mint({ subject: "ann", expiresIn });
  for (const expiresIn of [0, 0.5, 3_650 * DAY + 1, Number.NaN])
    await expect(keys.mint({ subject: "ann", expiresIn })).rejects.toThrow(RangeError);
});

test("what is open with a key ends when the key is revoked, for as many keys as there may be", async () => {
  const keys = apiKeys({ store: memoryStores().keyed, maxKeys: 2, cacheTtl: 0 });
  const made = [await keys.mint({ subject: "ann" }), await keys.mint({ subject: "bob" })];
  const open: AbortSignal[] = [];
  for (const { key } of made) open.push(((await taking(keys)(key)) as { ended: AbortSignal }).ended);
  await keys.revoke(made[0]!.id);
  expect(await reasonOf(taking(keys)(made[0]!.key))).toMatch(/^401 /);
  expect(open.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test("a store that does not answer is no refusal of the key", async () => {
  const { keyed } = memoryStores();
  const broken = { ...keyed, swap: () => undefined, read: () => Promise.reject(new Error("The engine is away")) } as typeof keyed;
  const { key } = await apiKeys({ store: keyed }).mint({ subject: "ann" });
  expect(await reasonOf(taking(apiKeys({ store: broken }))(key))).toBe("503 API keys cannot be checked");
});

test.each<[string, Partial<ApiKeysOptions>]>([
  ["prefix", { prefix: "A_b" }],
  ["prefix", { prefix: "x" }],
  ["maxKeys", { maxKeys: 0 }],
  ["cacheTtl", { cacheTtl: -1 }],
  ["store", { store: undefined as never }],
  ["prefixes", { prefixes: "a" } as never],
])("a wrong %s is refused by its name", (option, wrong) => {
  expect(() => apiKeys({ store: memoryStores().keyed, ...wrong })).toThrow(`"${option}"`);
});

test.each([
  ["subject", { subject: "" }],
  ["name", { subject: "a", name: "x".repeat(201) }],
  ["expiresIn", { subject: "a", expiresIn: Infinity }],
  ["expiresIn", { subject: "a", expiresIn: "86400000" as never }],
  ["scopes", { subject: "a", scopes: ["a b"] }],
  ["scopes", { subject: "a", scopes: [7] as never }],
])("a key with a wrong %s is not made", async (member, wanted) => {
  const keys = apiKeys({ store: memoryStores().keyed });
  await expect(keys.mint(wanted)).rejects.toThrow(`"${member}"`);
  expect(await keys.list()).toEqual([]);
});
