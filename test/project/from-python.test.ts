// The page for Python users is its table, and the table tells the truth: every name it gives is exported where it says, and every symbol
// of the documents it translates has a row.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
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
  const settings = { extends: "../../examples/tsconfig.json", include: ["*.ts", "../../src/node/*.d.ts"] };
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

test.runIf(existsSync(shared))("every symbol of the documents has a row", () => {
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
