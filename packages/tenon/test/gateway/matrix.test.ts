/**
 * What a gateway bridges: each feature, every client revision × every server revision. The page says what is measured here.
 *
 * `UPDATE_BRIDGES=1 npx vitest run test/gateway/matrix.test.ts` writes the tables of the page.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { FEATURES } from "./matrix/features.ts";
import { measure, namesIn, rowOf, tablesOf } from "./matrix/table.ts";

const PAGE = new URL("../../../../docs/project/gateway-bridges.md", import.meta.url);
const [BEGIN, END] = ["<!-- measured: begin -->", "<!-- measured: end -->"];

let page: string;

beforeAll(async () => {
  if (process.env["UPDATE_BRIDGES"]) await writeTables();
  page = readFileSync(PAGE, "utf8");
});

async function writeTables(): Promise<void> {
  const rows = new Map<string, string>();
  for (const feature of FEATURES) rows.set(feature.name, rowOf(feature, await measure(feature)));
  const [before, rest] = readFileSync(PAGE, "utf8").split(BEGIN) as [string, string];
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${tablesOf(rows)}\n\n${END}${rest.split(END)[1]}`);
}

it.each(FEATURES)("$name: the page says what every pair of revisions does", async (feature) => {
  const row = rowOf(feature, await measure(feature));
  expect(page.split("\n")).toContain(row);
});

it("the page has the rows of the features, and no others", () => {
  expect(namesIn(page)).toEqual(FEATURES.map(({ name }) => name));
});
