// Edits of configurations: every byte but those of the entry stays, whatever the file looks like.
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { editJson, serversInJson } from "./json-edit.ts";
import { editToml, serversInToml } from "./toml-edit.ts";

const entry = { command: "node", args: ["/a b/server.js"], env: { MODE: "x" } };

describe("JSON with comments", () => {
  test.each([
    ["nothing", ""],
    ["blanks", "\n \n"],
    ["an empty object", "{}"],
    ["no list of servers", '{\n\t"theme": "dark" // dark\n}\n'],
    ["null for a list", '{"mcpServers": null}'],
    ["CRLF, a BOM and a trailing comma", '\uFEFF{\r\n  "mcpServers": {\r\n    "a": { "command": "x" }, // one\r\n  },\r\n}\r\n'],
    ["a comment behind the last one", '{\n  "mcpServers": {\n    "a": {} /* a */ // why\n    // end\n  }\n}'],
    ["a comma on the next line", '{\n  "mcpServers": {\n    "a": {}\n    , "b": {}\n  }\n}'],
    ["a comment like an end", '{ "mcpServers": { "a": { "command": "}" } /* } */ } }'],
  ])("an entry is put into %s, and taken out again", (_name, before) => {
    const after = editJson(before, "mcpServers", "sums", entry);
    expect(Object.fromEntries(serversInJson(after, "mcpServers"))).toMatchObject({ sums: entry });
    expect(serversInJson(editJson(after, "mcpServers", "sums", undefined), "mcpServers").has("sums")).toBe(false);
  });

  test("the layout of the neighbours is kept, and the comment stays with its line", () => {
    const before = '{\n\t"mcpServers": {\n\t\t// the old one\n\t\t"a": {"command":"x"} // keep\n\t},\n\t"z": 1\n}\n';
    expect(editJson(before, "mcpServers", "b", { url: "http://x/" })).toBe(
      '{\n\t"mcpServers": {\n\t\t// the old one\n\t\t"a": {"command":"x"}, // keep\n\t\t"b": {\n' +
        '\t\t\t"url": "http://x/"\n\t\t}\n\t},\n\t"z": 1\n}\n',
    );
  });

  test.each([
    ['{"mcpServers": {"a": 1}} x', "line 1, column 26"],
    ['{\n  "mcpServers": {"a": }\n}', "line 2, column 23"],
    ['{"mcpServers": {}, "mcpServers": {}}', "twice"],
    ['{"mcpServers": {"sums": 1, "sums": 2}}', "twice"],
    ['{"mcpServers": []}', "not an object"],
    ["[]", "not a JSON object"],
    ["// only a comment", "not JSON"],
  ])("%s is left alone", (before, why) => {
    expect(() => editJson(before, "mcpServers", "sums", entry)).toThrow(why);
  });

  test("an arbitrary file keeps every byte but those that are put in, and gets them back", () => {
    fc.assert(
      fc.property(jsoncFile(), (before) => {
        const after = editJson(before, "mcpServers", "sums", entry);
        expect(isSubsequenceByPieces(before, after)).toBe(true);
        expect(Object.fromEntries(serversInJson(after, "mcpServers"))["sums"]).toEqual(entry);
        expect(editJson(after, "mcpServers", "sums", undefined)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
});

/** Whether `after` is `before` with at most two pieces put in: the comma and the entry. */
function isSubsequenceByPieces(before: string, after: string): boolean {
  const start = commonPrefix(before, after);
  const end = Math.min(commonPrefix(reversed(before), reversed(after)), before.length - start);
  const middle = before.slice(start, before.length - end);
  return after.slice(start, after.length - end).includes(middle) && /^\s*(?:\/\/.*|\/\*.*\*\/|,|\s)*$/.test(middle);
}
const reversed = (text: string): string => text.split("").reverse().join("");
function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** A configuration with servers, comments, blanks, line ends and trailing commas at every place. */
function jsoncFile(): fc.Arbitrary<string> {
  const eol = fc.constantFrom("\n", "\r\n");
  const indent = fc.constantFrom("  ", "    ", "\t");
  const comment = fc.constantFrom("", " // why, {not} this", ' /* a "b", c */');
  const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string()).map((value) => JSON.stringify(value));
  const nested = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value));
  const name = fc.stringMatching(/^[a-z]{1,6}$/).filter((text) => text !== "sums" && text !== "mcpServers");
  const members = (value: fc.Arbitrary<string>): fc.Arbitrary<[string, string, string][]> =>
    fc.uniqueArray(fc.tuple(name, value, comment), { selector: ([key]) => key, minLength: 1, maxLength: 4 });
  const parts = {
    eol,
    indent,
    servers: members(nested),
    before: members(scalar),
    after: members(scalar),
    trailing: fc.boolean(),
    bom: fc.boolean(),
  };
  return fc.record(parts).map(({ eol, indent, servers, before, after, trailing, bom }) => {
    const known = new Set(before.map(([key]) => key));
    const rest = after.filter(([key]) => !known.has(key));
    const row = ([key, value, note]: readonly [string, string, string], deep: number, last: boolean): string =>
      `${indent.repeat(deep)}${JSON.stringify(key)}: ${value}${last && !trailing ? "" : ","}${note}`;
    const rows = servers.map((member, index) => row(member, 2, index === servers.length - 1));
    const list = ["{", ...rows, `${indent}}`].join(eol);
    const all: [string, string, string][] = [...before, ["mcpServers", list, ""], ...rest];
    const lines = all.map((member, index) => row(member, 1, index === all.length - 1)).join(eol);
    return `${bom ? "\uFEFF" : ""}{${eol}${lines}${eol}}${eol}`;
  });
}

describe("TOML", () => {
  const before =
    '# mine\r\nmodel = "o" # why\r\n\r\n[mcp_servers.old]\r\ncommand = "x"\r\nargs = [\r\n  "[a]",\r\n]\r\n\r\n' +
    '# next\r\n[tui]\r\ntheme = "d"\r\n';

  test("a table is appended, and taken out again, without another byte changed", () => {
    const after = editToml(before, "mcp_servers", "sums", entry);
    expect(after.startsWith(before)).toBe(true);
    expect(parseToml(after)).toMatchObject({ mcp_servers: { sums: entry } });
    expect(editToml(after, "mcp_servers", "sums", undefined)).toBe(before);
  });

  test("a table in the middle goes with its own tables, and comments of the next one stay", () => {
    const text = `[mcp_servers.sums]\ncommand = "x"\n[mcp_servers.sums.env]\nA = "1"\n\n# next\n[tui]\nx = 1\n`;
    expect(editToml(text, "mcp_servers", "sums", undefined)).toBe("\n# next\n[tui]\nx = 1\n");
    expect(serversInToml(editToml(text, "mcp_servers", "sums", entry), "mcp_servers").get("sums")).toEqual(entry);
  });

  test.each([
    ['mcp_servers = { sums = { command = "x" } }', "by hand"],
    ["mcp_servers = { other = {} }", "not TOML"],
    ['mcp_servers = "x"', "not a table"],
    ['text = """\n[mcp_servers.sums]\n"""\n[mcp_servers]\nsums.command = "x"\n', "not"],
    ["a = ", "line 1"],
  ])("%s is left alone", (text, why) => {
    expect(() => editToml(text, "mcp_servers", "sums", entry)).toThrow(why);
  });
});
