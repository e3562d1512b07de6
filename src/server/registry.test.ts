import { describe, expect, it } from "vitest";
import { encodeCursor } from "./cursor.ts";
import { Registry } from "./registry.ts";

function createRegistry(pageSize: number): { registry: Registry<string>; changes: () => number } {
  let changed = 0;
  const registry = new Registry<string>({
    what: "thing",
    member: "things",
    pageSize,
    describe: (name, value) => ({ name, value }),
    onChange: () => void changed++,
  });
  return { registry, changes: () => changed };
}

describe("Registry", () => {
  it("keeps a page until something changes", () => {
    const { registry } = createRegistry(Infinity);
    const entry = registry.add("a", "A");
    const page = registry.page(undefined);
    expect(page).toMatchObject({ things: [{ name: "a", value: "A" }] });
    expect(registry.page(undefined)).toBe(page);
    entry.definition = "B";
    registry.changed(entry);
    expect(registry.page(undefined)).toMatchObject({ things: [{ name: "a", value: "B" }] });
  });

  it("keeps no more pages than the list has, whatever cursors are made up", () => {
    const { registry } = createRegistry(Infinity);
    for (let index = 0; index < 100; index++) registry.add(String(index), "");
    for (let ordinal = 1; ordinal <= 100; ordinal++) {
      const cursor = encodeCursor(ordinal);
      expect(registry.page(cursor)).not.toBe(registry.page(cursor));
    }
    const paged = createRegistry(10).registry;
    for (let index = 0; index < 100; index++) paged.add(String(index), "");
    let kept = 0;
    for (let ordinal = 1; ordinal <= 100; ordinal++) if (paged.page(encodeCursor(ordinal)) === paged.page(encodeCursor(ordinal))) kept++;
    expect(kept).toBe(10);
  });

  it("tells of changes to what it holds, and of nothing else", () => {
    const { registry, changes } = createRegistry(Infinity);
    const entry = registry.add("a", "A");
    registry.changed(entry);
    registry.remove(entry);
    expect(changes()).toBe(3);
    registry.changed(entry);
    registry.remove(entry);
    expect(changes()).toBe(3);
    const again = registry.add("a", "A");
    registry.remove(entry);
    expect(registry.get("a")).toBe("A");
    registry.remove(again);
    expect([registry.get("a"), registry.used, changes()]).toEqual([undefined, true, 5]);
  });
});
