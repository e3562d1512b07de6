import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../protocol/tools.ts";
import { NO_CLAIMS, type Listing } from "./components.ts";
import { MAX_NAME_LENGTH, prefixOf } from "../../base/text/naming.ts";
import { defaultNameHook, Naming } from "./naming.ts";

const info = { name: "self", version: "1" };
const nameOf = (server: string, name: string): string => defaultNameHook(name, info, "tool", server);
const tool = (name: string, description?: string): Tool => ({
  name,
  inputSchema: { type: "object" },
  ...(description !== undefined && { description }),
});
const listing = (...tools: Tool[]): Listing => ({ prompt: [], resource: [], template: [], tool: tools });

describe("Names by default", () => {
  it("are server__tool, and what hosts take whatever a server calls its tools [fault G2]", () => {
    expect(nameOf("files", "read_file")).toBe("files__read_file");
    expect(nameOf("My Files!", "a-b")).toBe("My_Files__a-b");
    expect(nameOf("files", "read.file")).toMatch(/^files__read_file_[0-9a-z]{7}$/);
    expect(nameOf("files", "")).toMatch(/^files___[0-9a-z]{7}$/);
    expect(nameOf("日本", "x")).toMatch(/^server-[0-9a-z]{7}__x$/);
    expect(nameOf("s".repeat(100), "t".repeat(100))).toHaveLength(MAX_NAME_LENGTH);
    fc.assert(
      fc.property(fc.string(), fc.string(), (server, name) => {
        expect(nameOf(server, name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });

  it("leave URIs and templates as they are, behind the prefix [fault G2]", () => {
    expect(defaultNameHook("file:///a b?#é", info, "resource", "files")).toBe("files__file:///a b?#é");
    expect(defaultNameHook("db://{+path}", info, "resourceTemplate", "a__b")).toBe("a_b__db://{+path}");
  });

  it("tell look-alikes apart: other letters, other cases of the same cut [fault G2]", () => {
    expect(nameOf("s", "раy")).not.toBe(nameOf("s", "pay")); // the first is Cyrillic
    expect(nameOf("s", `${"x".repeat(80)}1`)).not.toBe(nameOf("s", `${"x".repeat(80)}2`));
  });

  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "b", "_", "-"), maxLength: 8 }),
    fc.string({ unit: fc.constantFrom("a", "_", ".", "é"), maxLength: 70 }),
  );

  it("are injective: no two tools of servers with different prefixes ever meet, nor two of one server [fault G2]", () => {
    fc.assert(
      fc.property(part, part, part, part, (server, name, other, otherName) => {
        if (prefixOf(server) !== prefixOf(other)) expect(nameOf(server, name)).not.toBe(nameOf(other, otherName));
        else if (name !== otherName) expect(nameOf(server, name)).not.toBe(nameOf(server, otherName));
      }),
      { numRuns: 5_000 },
    );
  });

  it("no prefix contains or ends in what ends it [fault G2]", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), part), (server) => {
        expect(prefixOf(server)).toMatch(/^(?!.*__)[A-Za-z0-9_-]*[A-Za-z0-9-]$/);
        expect(prefixOf(server).length).toBeLessThanOrEqual(32);
      }),
    );
  });
});

describe("Naming what a server lists", () => {
  it("refuses two different components of a server with one name, and says which [SG-19]", () => {
    const naming = new Naming(() => "same", info, "s");
    expect(() => naming.claims(listing(tool("one"), tool("two")))).toThrow(
      'Two tools of server "s" are called "same" in the group: "one" and "two"',
    );
    const own = new Naming(defaultNameHook, info, "s");
    expect(() => own.claims(listing(tool("t", "first"), tool("t", "second")))).toThrow('called "s__t" in the group: "t" and "t"');
  });

  it("takes a component that is listed twice as one [SG-19]", () => {
    const naming = new Naming(defaultNameHook, info, "s");
    expect(naming.claims(listing(tool("t"), tool("u"), tool("t")))).toEqual({
      ...NO_CLAIMS,
      tool: new Map([
        ["s__t", tool("t")],
        ["s__u", tool("u")],
      ]),
    });
  });

  it.each([undefined, "", 5])("refuses a hook that returns %j [SG-03]", (name) => {
    const naming = new Naming(() => name as string, info, "s");
    expect(() => naming.claims(listing(tool("t")))).toThrow(
      /Option "nameHook" must return a name for the tool "t" of server "s"/,
    );
  });
});
