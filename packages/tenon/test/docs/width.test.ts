// Code on pages fits the columns that a reader sees without scrolling. `node
// scripts/narrow-code.mjs` breaks what a formatter can.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readBlocks } from "../support/doc-blocks.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const COLUMNS = 78;
/** A line that cannot be broken: the name of a module. */
const OF_ONE_WORD = /^(?:import .*|\}) from "[^"]+";$/;

const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md") && !name.startsWith("reference/"))
  .map((name) => `docs/${name}`);
const skills = readdirSync(join(root, "packages/tenon/skills")).map((name) => `packages/tenon/skills/${name}/SKILL.md`);

test.each(["README.md", ...docs.sort(), ...skills])("the code of %s fits 78 columns", (page) => {
  const { blocks } = readBlocks(readFileSync(join(root, page), "utf8"));
  const wide = blocks.flatMap(({ code, line }) =>
    code
      .split("\n")
      .flatMap((text, at) => (text.length > COLUMNS && !OF_ONE_WORD.test(text) ? [`line ${line + at}: ${text}`] : [])),
  );
  expect(wide).toEqual([]);
});
