import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { Registry, type Definition } from "./registry.ts";

interface Thing extends Definition {
  readonly options: { readonly value: string; readonly more?: string };
}

interface Things {
  readonly registry: Registry<Thing>;
  readonly add: (name: string, value?: string) => ReturnType<Registry<Thing>["add"]>;
  readonly page: (cursor?: string) => JsonObject;
  readonly changes: () => number;
}

function createThings(pageSize: number): Things {
  let changed = 0;
  const registry = new Registry<Thing>({
    what: "thing",
    keys: { value: 1, more: 1 },
    pageSize,
    define: (_key, options, handler) => {
      if (options.value === "bad") throw new TypeError("bad");
      return { options, handler };
    },
    onChange: () => void changed++,
  });
  return {
    registry,
    add: (name, value = "") => registry.add(name, { value }, () => undefined),
    page: (cursor) => registry.page(cursor, "things", ({ key, definition }) => ({ name: key, ...definition.options })),
    changes: () => changed,
  };
}

describe("Registry", () => {
  it("keeps a page until something changes", () => {
    const { add, page } = createThings(Infinity);
    const handle = add("a", "A");
    const kept = page();
    expect(kept).toMatchObject({ things: [{ name: "a", value: "A" }] });
    expect(page()).toBe(kept);
    handle.update({ value: "B" });
    expect(page()).toMatchObject({ things: [{ name: "a", value: "B" }] });
  });

  /** A cursor that a client has made up. */
  const encodeCursor = (ordinal: number): string => btoa(`after:${ordinal}`);

  it("keeps no more pages than the list has, whatever cursors are made up", () => {
    const { add, page } = createThings(Infinity);
    for (let index = 0; index < 100; index++) add(String(index));
    for (let ordinal = 1; ordinal <= 100; ordinal++) {
      const cursor = encodeCursor(ordinal);
      expect(page(cursor)).not.toBe(page(cursor));
    }
    const paged = createThings(10);
    for (let index = 0; index < 100; index++) paged.add(String(index));
    let kept = 0;
    for (let ordinal = 1; ordinal <= 100; ordinal++)
      if (paged.page(encodeCursor(ordinal)) === paged.page(encodeCursor(ordinal))) kept++;
    expect(kept).toBe(10);
  });

  it("tells of changes to what it holds, and of nothing else", () => {
    const { registry, add, changes } = createThings(Infinity);
    const handle = add("a", "A");
    handle.update({ more: "M" });
    expect(registry.get("a")?.options).toEqual({ value: "A", more: "M" });
    handle.remove();
    expect(changes()).toBe(3);
    handle.update({ value: "B" });
    handle.disable();
    handle.remove();
    expect(changes()).toBe(3);
    const again = add("a", "A");
    handle.remove();
    expect(registry.get("a")?.options.value).toBe("A");
    again.remove();
    expect([registry.get("a"), registry.used, changes()]).toEqual([undefined, true, 5]);
  });

  it("refuses what could never be served, and keeps what there was", () => {
    const { registry, add, changes } = createThings(Infinity);
    expect(() => add("a", "bad")).toThrow("bad");
    expect([registry.used, changes()]).toEqual([false, 0]);
    const handle = add("a", "A");
    expect(() => handle.update({ value: "bad" })).toThrow("bad");
    expect(() => add("a", "B")).toThrow('The thing "a" is registered already');
    expect([registry.get("a")?.options.value, changes()]).toEqual(["A", 1]);
  });

  it("keeps what is made of those that are enabled until they change", () => {
    const { registry, add } = createThings(Infinity);
    let made = 0;
    const names = (): string => registry.derived("names", () => (made++, registry.entries.map(({ key }) => key).join()));
    const first = add("a");
    add("b");
    expect([names(), names(), made]).toEqual(["a,b", "a,b", 1]);
    first.disable();
    expect([names(), made]).toEqual(["b", 2]);
    first.enable();
    expect([names(), made]).toEqual(["a,b", 3]);
  });
});
