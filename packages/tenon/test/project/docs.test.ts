// Links between documents lead somewhere, and every npm script the documents name exists.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "bench/README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md") && !name.startsWith("docs/reference/"));
// our own file
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

test.each(documents)("%s links to files that exist", (document) => {
  const text = readFileSync(join(root, document), "utf8");
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1]!);
  const missing = targets.filter((target) => !existsSync(join(root, dirname(document), target)));
  expect(missing).toEqual([]);
});

test.each(documents)("%s names npm scripts that exist", (document) => {
  const text = readFileSync(join(root, document), "utf8");
  // `deploy` is a script of the projects that `tenon init --template` writes; its test runs them
  // (tenon-cli/test/cli/templates.test.ts).
  const known = new Set([...Object.keys(scripts), "deploy"]);
  const named = [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(test))\b/g)].map((match) => match[1] ?? match[2]!);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
