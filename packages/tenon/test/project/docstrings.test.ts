// The check that every name a user sees has a docstring must itself be seen to fail: each test runs it on a package of two files.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../../../scripts/docstrings.mjs", import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "docstrings-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What the check says of a package that exports `thing` of a file with this text: the names without a docstring. */
function missing(text: string): readonly string[] {
  const src = join(root, "src");
  mkdirSync(src);
  writeFileSync(
    join(root, "package.json"),
    JSON.stringify({ exports: { ".": { source: "./src/index.ts" }, "./package.json": "" } }),
  );
  writeFileSync(join(src, "index.ts"), 'export { thing } from "./thing.ts";\nexport { z } from "zod";\n');
  writeFileSync(join(src, "thing.ts"), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: "utf8", timeout: 100_000 });
  const names = [...stderr.matchAll(/^src\/thing\.ts:\d+: (.+) has no docstring$/gm)].map(([, name]) => name!);
  expect(stderr.trimEnd().split("\n").filter(Boolean)).toHaveLength(names.length);
  expect({ status, done: stdout.includes("each with one") }).toEqual({
    status: names.length > 0 ? 1 : 0,
    done: names.length === 0,
  });
  return names;
}

test.each<[what: string, text: string, names: readonly string[]]>([
  ["a function", "export function thing(): void {}", ["thing"]],
  [
    "a class beside names in patterns",
    "const [one, [two = 1], { a, ...rest }]: any = [];\n/** It. */\nexport class thing extends Base {}\n/** It. */\n" +
      "class Base {}",
    [],
  ],
  ["an empty docstring", "/** */\nexport function thing(): void {}", ["thing"]],
  ["a docstring that says only what is thrown", "/** @throws TypeError */\nexport function thing(): void {}", ["thing"]],
  ["a comment that is not a docstring", "// Does it.\nexport function thing(): void {}", ["thing"]],
  [
    "a member of an interface",
    "/** It. */\nexport interface thing {\n  readonly a: string;\n  b(): void;\n}",
    ["thing.a", "thing.b"],
  ],
  [
    "members of literals",
    "/** It. */\nexport type thing = { a: string } & Readonly<{ b: string } | { c: 1 }>;",
    ["thing.a", "thing.b", "thing.c"],
  ],
  ["a member of a table", "/** It. */\nexport const thing = { a: 1 } as const;", ["thing.a"]],
  [
    "members of a class",
    "/** It. */\nexport class thing {\n  a = 1;\n  static b(): void {}\n  get c(): number {\n    return 1;\n  }\n" +
      "  [Symbol.dispose](): void {}\n}",
    ["thing.a", "thing.b", "thing.c", "thing.[Symbol.dispose]"],
  ],
  [
    "a constructor that takes something",
    "/** It. */\nexport class thing {\n  constructor(a: string) {}\n}",
    ["thing.constructor"],
  ],
  [
    "further overloads",
    "/** It. */\nexport function thing(a: 1): void;\nexport function thing(a: 2): void;\n" +
      "export function thing(a: number): void {}",
    ["thing"],
  ],
  [
    "further overloads of a method",
    "/** It. */\nexport class thing {\n  /** A. */\n  a(a: 1): void;\n  a(a: 2): void;\n  a(a: number): void {}\n}",
    ["thing.a"],
  ],
  [
    "a type that a parameter names",
    "interface Options {}\n/** It. */\nexport function thing(options: Options): void {}",
    ["Options"],
  ],
  [
    "a type that a member names",
    "type Kind = 1;\n/** It. */\nexport interface thing {\n  /** Which. */\n  a: readonly Kind[];\n}",
    ["Kind"],
  ],
  ["a base", "class Base {}\n/** It. */\nexport class thing extends Base {}", ["Base"]],
  [
    "a member named by a type that does not say where it is from",
    "/** It, with `a`. */\nexport interface thing {\n  a: string;\n}",
    ["thing.a"],
  ],
  ["a function named by its type", "/** It, with `a` (RFC 8414). */\nexport interface thing {\n  a: () => void;\n}", ["thing.a"]],
  [
    "data of a type that names a code instead of a source",
    "/** It, with `a` (TY-54). */\nexport type thing = { a: string };",
    ["thing.a"],
  ],
])("docstrings are missed: %s", (_what, text, names) => {
  expect(missing(text)).toEqual(names);
});

test.each<[what: string, text: string]>([
  [
    "what is not exported and not named",
    "interface Other {}\n/** It. */\nexport function thing(): void {\n  const other: Other = {};\n}",
  ],
  [
    "private members, and what only they name",
    "class Other {}\n/** It. */\nexport class thing {\n  #a = 1;\n  private b?: Other;\n}",
  ],
  [
    "what is internal",
    "interface Other {\n  a: 1;\n}\n/** It. */\nexport class thing {\n  /** @internal */\n  constructor(a: Other) {}\n}",
  ],
  ["a constructor that takes nothing", "/** It. */\nexport class thing {\n  constructor() {}\n}"],
  [
    "what implements overloads",
    "/** It. */\nexport function thing(a: 1): void;\n/** It too. */\nexport function thing(a: 2): void;\n" +
      "export function thing(a: number): void {}",
  ],
  [
    "a setter beside its getter",
    "/** It. */\nexport class thing {\n  /** A. */\n  get a(): 1 {\n    return 1;\n  }\n  set a(a: 1) {}\n}",
  ],
  ["an override", '/** It. */\nexport class thing extends Error {\n  override name = "thing";\n}'],
  [
    "what an interface says",
    "/** B. */\ninterface Base {\n  /** A. */\n  a: 1;\n}\n/** It. */\nexport class thing implements Base {\n" +
      "  a = 1 as const;\n}",
  ],
  ["data of a type that says where it is from", "/** It, with `a` (RFC 8414). */\nexport type thing = { a: string };"],
  ["a remark for the linter in between", "/** It. */\n// oxlint-disable-next-line x -- y\nexport type thing = 1;"],
])("docstrings are not asked for: %s", (_what, text) => {
  expect(missing(text)).toEqual([]);
});

test("a docstring must begin with its purpose in a short sentence", () => {
  const long = `It ${"is long and ".repeat(17)}ends.`;
  const check = (doc: string): string => {
    const src = join(root, "src");
    mkdirSync(src, { recursive: true });
    writeFileSync(join(root, "package.json"), JSON.stringify({ exports: { ".": { source: "./src/index.ts" } } }));
    writeFileSync(join(src, "index.ts"), `/** ${doc} */\nexport interface thing {\n  /** ${doc} */\n  a: string;\n}`);
    return spawnSync(process.execPath, [script, root], { encoding: "utf8", timeout: 100_000 }).stderr;
  };
  expect(check(`It is short. ${long}`)).toBe("");
  const demand = "must begin with its purpose in one sentence of at most 200 characters";
  expect(check(long).trimEnd().split("\n").toSorted()).toEqual([
    `src/index.ts:2: the docstring of thing ${demand}`,
    `src/index.ts:4: the docstring of thing.a ${demand}`,
  ]);
});
