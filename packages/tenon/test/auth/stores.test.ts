import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MemoryStore, type AuthStore } from "tenon/auth";
import { fileStore } from "tenon/node";
import { gate } from "../support/gate.ts";

const KEY = new Uint8Array(32).fill(7);

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "tenon-store-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

const MAKE_A_KEY = 'To make one: openssl rand -base64 32. To pass it: Buffer.from(process.env.KEY, "base64")';

const STORES: readonly (readonly [string, () => AuthStore])[] = [
  ["memory", () => new MemoryStore()],
  ["files", () => fileStore({ directory: temporary() })],
  ["sealed files", () => fileStore({ directory: temporary(), key: KEY })],
];

describe.each(STORES)("%s", (_, open) => {
  test("keeps records as they were, replaces and forgets them", async () => {
    const store = open();
    expect(await store.get("a")).toBeUndefined();
    const record = { text: "é\u0000", list: [1, null], more: { a: true } };
    await store.set("a", record);
    await store.set("b", {});
    expect([await store.get("a"), await store.get("b")]).toEqual([record, {}]);
    record.list.push(2);
    expect(await store.get("a")).toMatchObject({ list: [1, null] });
    await store.set("a", { other: 1 });
    expect(await store.get("a")).toEqual({ other: 1 });
    await store.delete("a");
    await store.delete("a");
    expect([await store.get("a"), await store.get("b")]).toEqual([undefined, {}]);
  });

  test("forgets what has expired [rule R5]", async () => {
    const store = open();
    await store.set("past", {}, Date.now() - 1);
    await store.set("future", { a: 1 }, Date.now() + 60_000);
    expect([await store.get("past"), await store.get("future")]).toEqual([undefined, { a: 1 }]);
  });

  test("runs one at a time under a key, in order, and others beside it [M5.3]", async () => {
    const store = open();
    const order: string[] = [];
    const { opened: held, open: release } = gate();
    const first = store.lock("a", async () => {
      order.push("first");
      await held;
      order.push("first ends");
    });
    const second = store.lock("a", () => Promise.resolve(void order.push("second")));
    await expect.poll(() => order).toEqual(["first"]);
    await store.lock("b", () => Promise.resolve(void order.push("other")));
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "other", "first ends", "second"]);
  });

  test("what the work throws is thrown, and the next has its turn; who waits may leave", async () => {
    const store = open();
    let release!: () => void;
    const held = store.lock("a", () => new Promise<void>((resolve) => void (release = resolve)));
    await expect.poll(() => release).toBeDefined();
    const abort = new AbortController();
    const left = store.lock("a", () => Promise.reject(new Error("must not run")), abort.signal);
    const failing = store.lock("a", () => Promise.reject(new Error("broken")));
    const last = store.lock("a", () => Promise.resolve("last"));
    abort.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    release();
    await held;
    await expect(failing).rejects.toThrow("broken");
    expect(await last).toBe("last");
  });
});

describe("files", () => {
  test("are their owner's alone, show nothing by their names, and are never half written", async () => {
    const directory = join(temporary(), "new", "folder");
    const store = fileStore({ directory });
    await store.set('["tokens","","https://as.example"]', { secret: "canary" });
    await Promise.all(Array.from({ length: 20 }, async (_, index) => store.set("many", { index })));
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(directory)) {
      expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
      expect(() => JSON.parse(readFileSync(join(directory, name), "utf8")) as unknown).not.toThrow();
    }
  });

  test("a folder that others may look into is not used", async () => {
    const directory = temporary();
    chmodSync(directory, 0o755);
    await expect(fileStore({ directory }).set("a", {})).rejects.toMatchObject({
      hop: "store",
      remedy: expect.stringContaining("chmod 700") as string,
    });
    expect(readdirSync(directory)).toEqual([]);
    await expect(fileStore({ directory }).lock("a", () => Promise.resolve())).rejects.toMatchObject({ hop: "store" });
  });

  test("with a key nothing can be read from them, moved, or put in their place [R21]", async () => {
    const directory = temporary();
    const store = fileStore({ directory, key: KEY });
    await store.set("a", { secret: "canary" });
    await store.set("b", { secret: "canary" }, Date.now() + 60_000);
    const [one, other] = readdirSync(directory).map((name) => join(directory, name)) as [string, string];
    const [text, second] = [readFileSync(one, "utf8"), readFileSync(other, "utf8")];
    expect(text + second).not.toContain("canary");
    const refused = {
      hop: "store",
      message: expect.stringContaining('is not sealed with the key. Pass the key it was written with (option "key")') as string,
    };

    writeFileSync(one, second);
    writeFileSync(other, text);
    for (const key of ["a", "b"]) await expect(store.get(key)).rejects.toMatchObject(refused);
    writeFileSync(one, JSON.stringify({ record: { secret: "planted" } }));
    writeFileSync(other, JSON.stringify({ record: { secret: "planted" } }));
    for (const key of ["a", "b"]) await expect(store.get(key)).rejects.toMatchObject(refused);
    await store.set("a", { secret: "canary" });
    await expect(fileStore({ directory, key: new Uint8Array(32) }).get("a")).rejects.toMatchObject(refused);
    await expect(fileStore({ directory }).get("a")).rejects.toThrow("is sealed with a key");
  });

  test("one that is damaged is an error that names it", async () => {
    const directory = temporary();
    const store = fileStore({ directory });
    await store.set("a", {});
    const path = join(directory, readdirSync(directory)[0]!);
    for (const text of ["", "{", "[]", "{}"]) {
      writeFileSync(path, text);
      await expect(store.get("a")).rejects.toThrow(`${path} is damaged`);
    }
  });

  test("what has expired is removed with the next use of the folder", async () => {
    const directory = temporary();
    await fileStore({ directory }).set("past", {}, Date.now() - 1);
    writeFileSync(join(directory, "README.txt"), "mine");
    await fileStore({ directory }).set("a", {});
    expect(readdirSync(directory).filter((name) => name.endsWith(".json"))).toHaveLength(1);
    expect(readdirSync(directory)).toContain("README.txt");
  });

  test("a short key is refused", () => {
    expect(() => fileStore({ directory: temporary(), key: new Uint8Array(31) })).toThrow(
      new RangeError(`Option "key" must be a Uint8Array of at least 32 random bytes, not 31. ${MAKE_A_KEY}`),
    );
    expect(() => fileStore({ key: "k".repeat(32) as never })).toThrow(
      new TypeError(`Option "key" must be a Uint8Array of at least 32 random bytes, not a text. ${MAKE_A_KEY}`),
    );
  });

  test("without a folder of its own it is the user's configuration's, closed to others", async () => {
    const home = temporary();
    vi.stubEnv("XDG_CONFIG_HOME", home);
    const store = fileStore();
    expect(readdirSync(home)).toEqual([]);
    await store.set("key", { a: 1 });
    const directory = join(home, "tenon", "auth");
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory).map((file) => statSync(join(directory, file)).mode & 0o777)).toEqual([0o600]);
  });
});

test("memory is bounded: the oldest goes, what has expired first [rule R5]", () => {
  const store = new MemoryStore();
  store.set("first", {});
  for (let index = 0; index < 9_998; index++) store.set(`login ${index}`, {}, Date.now() - 1);
  store.set("second", {});
  store.set("third", {});
  expect([store.get("first"), store.get("second"), store.get("third")]).toEqual([{}, {}, {}]);
  for (let index = 0; index < 10_000; index++) store.set(`server ${index}`, {});
  expect(store.get("third")).toBeUndefined();
  expect(store.get("server 0")).toEqual({});
});
