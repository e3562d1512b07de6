// The page for Python users is its table, and the table tells the truth: every name it gives is exported where it says, and every symbol
// of the documents it translates has a row.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { assertHas } from "../support/needs.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const shared = join(root, "../shared/seeds/checklist.md");

interface Row {
  readonly python: string;
  readonly tenon: string | null;
  readonly is?: readonly string[];
  readonly differs: string;
}
const table = JSON.parse(readFileSync(join(root, "docs/moving/from-python.json"), "utf8")) as { title: string; rows: readonly Row[] }[]; // our own file
const rows = table.flatMap((section) => section.rows);

/** The TypeScript type of `entry#Type.member`, `entry#Type::static` or `entry#value`. */
function typeOf(name: string): string {
  const [, entry, first, separator, member] = /^([\w/]+)#(\w+)(?:(\.|::)(\w+))?$/.exec(name) ?? [];
  if (entry === undefined || first === undefined) throw new Error(`${name} is no name`);
  const isValue = separator === "::" || /^[a-z]|^[A-Z_]+$/.test(first);
  const from = isValue ? `(typeof import("${entry}"))["${first}"]` : `import("${entry}").${first}`;
  return member === undefined ? from : `${from}["${member}"]`;
}

test("the page is made from the table", () => {
  const { stdout } = spawnSync(process.execPath, [join(root, "scripts/from-python.mjs"), "--print"], { encoding: "utf8" });
  expect(readFileSync(join(root, "docs/moving/from-python.md"), "utf8"), "run: npm run docs:from-python").toBe(stdout);
});

test("every Tenon name is exported from the entry that is named, with the member that is named", () => {
  const folder = join(root, "out", "from-python");
  mkdirSync(folder, { recursive: true });
  const names = rows.flatMap((row) => row.is ?? []);
  expect(names.length).toBeGreaterThan(150);
  writeFileSync(join(folder, "names.ts"), names.map((name, index) => `export type T${index} = ${typeOf(name)}; // ${name}\n`).join(""));
  const settings = { extends: "../../examples/tsconfig.json", include: ["*.ts", "../../packages/tenon/src/node/*.d.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  expect(spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", timeout: 100_000 }).stdout).toBe("");
});

test("a row says what it is called here, or why there is nothing", () => {
  for (const { python, tenon, is, differs } of rows) {
    if (tenon === null) expect(differs, python).not.toBe("");
    else expect(is?.length, python).toBeGreaterThan(0);
  }
});

test("every symbol of the documents has a row", (context) => {
  assertHas(context, "papers");
  const appendix = readFileSync(shared, "utf8").split("## Appendix A.")[1]!;
  const symbols = [...appendix.matchAll(/`([^`]+)`/g)].map((match) => match[1]!).filter((symbol) => !symbol.endsWith(".py"));
  expect(symbols.length).toBeGreaterThan(80);
  const named = rows.map((row) => row.python).join(" ");
  /** `ListToolsRequest/Result` are two. */
  const each = symbols.flatMap((symbol) =>
    symbol.includes("/") ? [symbol.split("/")[0]!, symbol.replace(/Request\/Result$/, "Result")] : [symbol],
  );
  const missing = each.filter(
    (symbol) => !new RegExp(`(?<![\\w])${symbol.replace(/^.*\./, "").replaceAll("*", "\\*")}(?![\\w])`).test(named),
  );
  expect(missing).toEqual([]);
});

// ---- the documents themselves ----

/** Names in the documents that no program of a user can have: functions inside functions, examples, words of prose. */
const NOT_PUBLIC = [
  ...["stdin_reader", "stdin_writer", "stdout_reader", "stdout_writer", "opts"],
  ...["handle_list_prompts", "handle_tool_call", "MUST", "shutdown"],
];

/** Classes, methods, parameters and attributes of Python code, whose lines may have numbers in front. */
function namesIn(document: string): string[] {
  const code = document.replace(/^ ?\d+(?= |$)/gm, "");
  const found = [
    ...[...code.matchAll(/\bclass ([A-Z]\w+)/g)].map(([, name]) => name!),
    ...[...code.matchAll(/\bdef ((?:__)?[a-z]\w*)\s*\(([^)]*)\)/g)].flatMap(([, name, parameters]) => [
      name!,
      ...[...parameters!.matchAll(/(?:^|[,(])\s*\*{0,2}(\w+)\s*:/g)].map(([, parameter]) => parameter!),
    ]),
    ...[...code.matchAll(/^ {4}(\w+): (?:[^\n]+ = [^\n]+|[\w[\]|., ]+)$/gm)].map(([, name]) => name!),
    ...[...code.matchAll(/\bself\.(\w+)\s*[:=]/g)].map(([, name]) => name!),
    ...[...code.matchAll(/\btypes\.([A-Z]\w+)/g)].map(([, name]) => name!),
  ];
  return [...new Set(found)].filter((name) => !name.startsWith("_") && !NOT_PUBLIC.includes(name));
}

/** Whether the page has a name, or its rule does: the source declares it, in one word. */
function isTranslated(name: string, declared: ReadonlySet<string>): boolean {
  if (new RegExp(`(?<!\\w)${name}(?!\\w)`).test(rows.map((row) => row.python).join(" "))) return true;
  return declared.has(name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()));
}

/** What the source declares: classes, types and functions, their members and parameters. */
function declaredNames(): ReadonlySet<string> {
  const files = readdirSync(join(root, "packages/tenon/src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const code = files.map((name) => readFileSync(join(root, "packages/tenon/src", name), "utf8")).join("\n");
  const names = code.matchAll(
    /\b(?:class|interface|type|function|const|get) (\w+)|^ +(?:readonly |async |static )*(\w+)[?!]?[(:<]|[(,] ?(\w+)\??: /gm,
  );
  return new Set([...names].flatMap(([, ...parts]) => parts.filter((name) => name !== undefined)));
}

const seeds = join(root, "../shared/seeds");
const documents = existsSync(seeds) ? readdirSync(seeds).filter((name) => name.endsWith(".txt")) : [];

test("every class, method, parameter and attribute of the documents has a row, or follows the rule of the page", (context) => {
  assertHas(context, "papers");
  const names = documents.flatMap((name) => namesIn(readFileSync(join(seeds, name), "utf8")));
  expect(new Set(names).size).toBeGreaterThan(250);
  const declared = declaredNames();
  expect([...new Set(names)].filter((name) => !isTranslated(name, declared))).toEqual([]);
});

test("a name that is nowhere is found out, and one that follows the rule is not", () => {
  const declared = declaredNames();
  const [method, parameter] = namesIn("    def brew_tea(self, leaf_size: int) -> None: ...");
  expect([method, parameter]).toEqual(["brew_tea", "leaf_size"]);
  expect([isTranslated("brew_tea", declared), isTranslated("protocol_version", declared), isTranslated("errlog", declared)]).toEqual([
    false,
    true,
    true,
  ]);
});
