import { beforeEach, describe, expect, it } from "vitest";
import { Catalog } from "./catalog.ts";
import { NO_CLAIMS, type Claims } from "./components.ts";

const a = { name: "a" };
const b = { name: "b" };
const claims = (...names: string[]): Claims => ({
  ...NO_CLAIMS,
  tool: new Map(names.map((name) => [name, { name, inputSchema: { type: "object" } }])),
});

describe("The catalog of a group", () => {
  let catalog: Catalog<{ readonly name: string }>;
  const names = (): string[] => [...catalog.view("tool").keys()];
  beforeEach(() => {
    catalog = new Catalog();
    catalog.add(a);
    catalog.add(b);
  });

  it("lists in the order in which servers joined, not in that of their results [SG-07]", () => {
    catalog.commit(b, claims("z"));
    catalog.commit(a, claims("y", "x"));
    expect(names()).toEqual(["y", "x", "z"]);
    catalog.hide(a);
    catalog.commit(a, claims("x"));
    expect(names()).toEqual(["x", "z"]);
  });

  it("refuses what another has, and changes nothing [SG-16 SG-21]", () => {
    catalog.commit(a, claims("x", "y"));
    const before = catalog.view("tool");
    expect(() => catalog.commit(b, claims("v", "x", "y"))).toThrow(
      'x, y already exist in group tools. Server "a" has what server "b" offers: give them other names (option "nameHook")',
    );
    expect(catalog.view("tool")).toBe(before);
    expect(catalog.find("tool", "v")).toBeUndefined();
  });

  it("looks for collisions among prompts, then resources, then tools, and counts the many [SG-21]", () => {
    const many = new Map(Array.from({ length: 12 }, (_, index) => [`p${index}`, { name: `p${index}` }]));
    const all = { ...claims("t"), prompt: many, resource: new Map([["r", { name: "r", uri: "r:" }]]) };
    catalog.commit(a, all);
    expect(() => catalog.commit(b, all)).toThrow(/^p0, .*, p9 and 2 more already exist in group prompts\./);
    expect(() => catalog.commit(b, { ...all, prompt: new Map() })).toThrow(/^r already exist in group resources\./);
    expect(() => catalog.commit(b, claims("t"))).toThrow(/^t already exist in group tools\./);
  });

  it("keeps the names of a server that is down for it alone [fault G2]", () => {
    catalog.commit(a, claims("x"));
    catalog.hide(a);
    expect(names()).toEqual([]);
    expect(catalog.find("tool", "x")).toMatchObject({ owner: a, shown: false });
    expect(() => catalog.commit(b, claims("x"))).toThrow("x already exist in group tools");
    catalog.remove(a);
    catalog.commit(b, claims("x"));
    expect(catalog.find("tool", "x")).toMatchObject({ owner: b, shown: true });
  });

  it("says what is different, and never changes a map it has handed out [SG-29]", () => {
    catalog.commit(a, claims("x", "y"));
    const before = catalog.view("tool");
    const changed = { ...claims("y", "z"), prompt: new Map() };
    (changed.tool as Map<string, object>).set("y", { name: "y", inputSchema: { type: "object" }, description: "new" });
    expect(catalog.commit(a, changed)).toEqual([{ list: "tools", added: ["z"], removed: ["x"], changed: ["y"] }]);
    expect([...before.keys()]).toEqual(["x", "y"]);
    expect(catalog.commit(a, changed)).toEqual([]);
    expect(catalog.remove(a)).toEqual([{ list: "tools", added: [], removed: ["y", "z"], changed: [] }]);
    expect(catalog.remove(b)).toEqual([]);
  });
});
