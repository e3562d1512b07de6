// The page for Python users is its table, and the table tells the truth: every name it gives is exported where it says, and every
// symbol of the documents it translates has a row.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { assertHas } from "../support/needs.ts";
import { allDeclared, declaredText } from "./declarations.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const shared = join(root, "../shared/seeds/checklist.md");

interface Row {
  readonly python: string;
  readonly tenon: string | null;
  readonly is?: readonly string[];
  readonly differs: string;
}
const table = JSON.parse(readFileSync(join(root, "docs/moving/from-python.json"), "utf8")) as {
  title: string;
  rows: readonly Row[];
}[]; // our own file
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
  writeFileSync(
    join(folder, "names.ts"),
    names.map((name, index) => `export type T${index} = ${typeOf(name)}; // ${name}\n`).join(""),
  );
  const settings = { extends: "../../tsconfig.examples.json", include: ["*.ts", "../../packages/tenon/src/node/*.d.ts"] };
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
  ...["handle_list_prompts", "handle_tool_call", "MUST", "shutdown", "main", "exc", "req", "KW_ONLY"],
];

/** A class of Python code, or what stands outside of classes as `""`, with the lines below it. */
type PythonClass = readonly [name: string, code: string];

/** The classes of a document, whose lines may have numbers in front. */
function classesIn(document: string): PythonClass[] {
  const parts: [string, string[]][] = [["", []]];
  for (const line of document.replace(/^ ?\d+(?= |$)/gm, "").split("\n")) {
    const name = /^class ([A-Z]\w+)/.exec(line)?.[1];
    const isOutside = name === undefined && /^[a-z@A-Z]/.test(line) && parts.at(-1)![0] !== "";
    if (name !== undefined || isOutside) parts.push([name ?? "", []]);
    parts.at(-1)![1].push(line);
  }
  return parts.map(([name, lines]) => [name, lines.join("\n")]);
}

/**
 * Methods, parameters and attributes in some code, and the attributes that it reads of `server_params`. What a subclass must
 * provide counts as well.
 */
function namesIn(code: string): string[] {
  const found = [
    ...[...code.matchAll(/\bclass ([A-Z]\w+)/g)].map(([, name]) => name!),
    ...[...code.matchAll(/\bdef ((?:__)?[a-z]\w*)\s*\(([^)]*)\)/g)].flatMap(([, name, parameters]) => [
      name!,
      ...[...parameters!.matchAll(/(?:^|[,(])\s*\*{0,2}(\w+)\s*:/g)].map(([, parameter]) => parameter!),
    ]),
    ...[...code.matchAll(/^ {4}(\w+): (?:[^\n]+ = [^\n]+|[\w[\]|., ]+)$/gm)].map(([, name]) => name!),
    ...[...code.matchAll(/\bself\.(\w+)\s*[:=]/g)].map(([, name]) => name!),
    ...[...code.matchAll(/\btypes\.([A-Z]\w+)/g)].map(([, name]) => name!),
    ...[...code.matchAll(/\b[A-Z]+_[A-Z_]*[A-Z]\b/g)].map(([name]) => name),
  ].filter((name) => !name.startsWith("_"));
  const required = [...code.matchAll(/\bdef (_\w+)\(self\)[^:]*:\n(?: +"""[^\n]*"""\n)? +raise NotImplementedError/g)].map(
    ([, name]) => name!,
  );
  return [...new Set([...found, ...required])].filter((name) => !NOT_PUBLIC.includes(name));
}

/** Attributes of the two classes of parameters, which the documents use and do not show. */
function parametersIn(document: string): string[] {
  return [...document.matchAll(/\bserver_params\.(\w+)/g)].map(([, name]) => name!);
}

const PARAMETER_CLASSES = ["SseServerParameters", "StreamableHttpParameters"];

/** The rows that name something, as a word. */
const rowsOf = (name: string): Row[] => rows.filter(({ python }) => new RegExp(`(?<!\\w|\\w\\.)${name}(?!\\w)`).test(python));

/** Whether a row names it, alone or on that class, or its own class has it here by the rule: in one word. */
function isTranslated(owner: string, name: string): boolean {
  // Outside of classes a name may be any class's: documents show members beside the text.
  if (rowsOf(name).length > 0 || rowsOf(`${owner === "" ? "\\w+" : owner}\\.${name}`).length > 0) return true;
  const counterparts =
    owner === "" ? [name] : [owner, ...rowsOf(owner).flatMap(({ is = [] }) => is.map((one) => /#(\w+)/.exec(one)![1]!))];
  const word = name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const own = counterparts.map((one) => declaredText(one, PARAMETER_CLASSES.includes(owner) ? 0 : undefined)).join("\n");
  return new RegExp(`(?<!\\w)${word}(?!\\w)`).test(owner === "" && own === "" ? allDeclared : own);
}

const seeds = join(root, "../shared/seeds");
const documents = existsSync(seeds) ? readdirSync(seeds).filter((name) => name.endsWith(".txt")) : [];

test("every class, method, parameter and attribute of the documents has a row, or the page's rule for its class", (context) => {
  assertHas(context, "papers");
  const texts = documents.map((name) => readFileSync(join(seeds, name), "utf8"));
  const names = texts.flatMap((text) => [
    // Types have names of their own.
    ...classesIn(text).flatMap(([owner, code]) => namesIn(code).map((name) => [/^[A-Z]/.test(name) ? "" : owner, name] as const)),
    ...PARAMETER_CLASSES.flatMap((owner) => parametersIn(text).map((name) => [owner, name] as const)),
  ]);
  expect(new Set(names.map(([, name]) => name)).size).toBeGreaterThan(250);
  const missing = names.filter(([owner, name]) => !isTranslated(owner, name)).map(([owner, name]) => `${owner}.${name}`);
  expect([...new Set(missing)]).toEqual([]);
});

test("a name that is nowhere is found out, also if another class has it, and one that follows the rule is not", () => {
  const [[, outside], [owner, code]] = classesIn(
    "import x\nclass ServerSession:\n    def brew_tea(self, leaf_size: int) -> None: ...\n",
  ) as [PythonClass, PythonClass];
  expect([outside.trim(), owner]).toEqual(["import x", "ServerSession"]);
  expect(namesIn(code)).toEqual(["ServerSession", "brew_tea", "leaf_size"]);
  expect(isTranslated(owner, "brew_tea")).toBe(false);
  expect(isTranslated(owner, "client_capabilities")).toBe(true);
  expect(isTranslated(owner, "idle_timeout")).toBe(false); // a gateway has it
  expect(namesIn("    def _an_adapter(self) -> int:\n        raise NotImplementedError")).toEqual(["_an_adapter"]);
  expect(isTranslated("StdioServerParameters", "timeout")).toBe(false);
  expect(isTranslated("SseServerParameters", "timeout")).toBe(true); // its row
});
