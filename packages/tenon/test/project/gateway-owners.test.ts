// docs/internals/gateway-owners.md cannot rot: it names each collection that a gateway keeps, and no other one.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const gateway = join(root, "packages/tenon/src/gateway");
const page = readFileSync(join(root, "docs/internals/gateway-owners.md"), "utf8");

const COLLECTION = "(?:(?:Readonly|Weak|Bounded|Passing)?(?:Map|Set)|CallerBuckets|OutcomeWaits|KeyedStore|AuthStore)\\b";
/** A collection by its type or its value, or a list that grows: `#a: Type`, `#a = new Type`, `#a: Item[] = []`. */
const KINDS = [`\\??: ${COLLECTION}`, `(?:: [^=;\\n]*)? = new ${COLLECTION}`, String.raw`: .*\[\][^=;\n]* = \[\]`];
const FIELD = new RegExp(`^ {2}(?:readonly )?(?<field>#?\\w+)(?:${KINDS.join("|")})`, "gm");
/** A collection of a module. Constants in capitals are tables of the code. */
const CONSTANT = new RegExp(`^const (?<field>[a-z]\\w+)(?:: [^=\\n]*)? = new ${COLLECTION}`, "gm");

function kept(): string[] {
  // The file of the options says what the operator gives.
  const files = readdirSync(gateway, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test|^options)\.ts$/.test(name),
  );
  return files.flatMap((name) => {
    const file = join(gateway, name);
    const source = readFileSync(file, "utf8");
    const fields = [FIELD, CONSTANT].flatMap((pattern) => [...source.matchAll(pattern)].map(({ groups }) => groups!["field"]!));
    return fields.map((field) => `${relative(gateway, file).replaceAll("\\", "/")} ${field}`);
  });
}

/** What the table of the page names, with its owner and when it ends. */
function named(): (readonly [where: string, owner: string, end: string])[] {
  const rows = [...page.matchAll(/^\| `(?<file>[\w/.-]+\.ts)` \| (?<fields>[^|]+) \| (?<owner>[^|]+) \| (?<end>[^|]+) \|$/gm)];
  return rows.flatMap(({ groups }) => {
    const { file = "", fields = "", owner = "", end = "" } = groups ?? {};
    return fields.split(", ").map((field) => [`${file} ${field.replaceAll("`", "").trim()}`, owner.trim(), end.trim()] as const);
  });
}

test("each field that the first table of the page names exists", () => {
  const sources = ["gateway", "upstream"].flatMap((folder) =>
    readdirSync(join(root, "packages/tenon/src", folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(root, "packages/tenon/src", folder, name), "utf8")),
  );
  const fields = [...page.slice(0, page.indexOf("## Every table")).matchAll(/`([A-Z]\w+)\.(#?\w+)`/g)];
  expect(fields.length).toBeGreaterThan(10);
  const hasField = (owner: string, field: string): boolean =>
    sources.some((text) => text.includes(`class ${owner} `) && new RegExp(`^ {2}(?:readonly |get )?${field}\\b`, "m").test(text));
  expect(fields.filter(([, owner, field]) => !hasField(owner!, field!)).map(([name]) => name)).toEqual([]);
});

test("each collection of a gateway has an owner and an end on the page, and the page has no other one", () => {
  const found = kept();
  expect(found.length).toBeGreaterThan(70);
  expect(
    named()
      .map(([where]) => where)
      .toSorted(),
  ).toEqual(found.toSorted());
  for (const [where, owner, end] of named()) {
    expect(owner, where).not.toBe("");
    expect(end, where).not.toBe("");
  }
});
