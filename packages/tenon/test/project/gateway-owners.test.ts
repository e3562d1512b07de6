// docs/internals/gateway-owners.md cannot rot: it names each collection that a gateway keeps, and no other one.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const gateway = join(root, "packages/tenon/src/gateway");
const page = readFileSync(join(root, "docs/internals/gateway-owners.md"), "utf8");

/**
 * A field of a class, or a constant of a module in small letters, that is a
 * collection. Constants in capitals are tables of the code.
 */
const FIELD = /^ {2}(?:readonly )?(?<field>#?\w+)(?:: [^=\n]*)? = new (?:Map|Set|WeakMap|WeakSet|BoundedMap|PassingSet)\b/gm;
const CONSTANT = /^const (?<field>[a-z]\w+)(?:: [^=\n]*)? = new (?:Map|Set|WeakMap|WeakSet|BoundedMap)\b/gm;

function kept(): string[] {
  const files = readdirSync(gateway, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.test)\.ts$/.test(name));
  return files.flatMap((name) => {
    const file = join(gateway, name);
    const source = readFileSync(file, "utf8");
    const fields = [FIELD, CONSTANT].flatMap((pattern) => [...source.matchAll(pattern)].map(({ groups }) => groups!["field"]!));
    return fields.map((field) => `${relative(gateway, file).replaceAll("\\", "/")} ${field}`);
  });
}

/** What the table of the page names, and the owner that it gives. */
function named(): (readonly [where: string, owner: string])[] {
  const rows = [...page.matchAll(/^\| `(?<file>[\w/.-]+\.ts)` \| (?<fields>[^|]+) \| (?<owner>[^|]+) \|$/gm)];
  return rows.flatMap(({ groups }) => {
    const { file = "", fields = "", owner = "" } = groups ?? {};
    return fields.split(", ").map((field) => [`${file} ${field.replaceAll("`", "").trim()}`, owner.trim()] as const);
  });
}

test("each collection of a gateway has an owner on the page, and the page has no other one", () => {
  const found = kept();
  expect(found.length).toBeGreaterThan(50);
  expect(
    named()
      .map(([where]) => where)
      .toSorted(),
  ).toEqual(found.toSorted());
  for (const [where, owner] of named()) expect(owner, where).not.toBe("");
});
