// Every input that was ever worth keeping breaks no rule of its target. `npm run fuzz` adds those that do.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { targets } from "./targets/index.ts";

const corpus = new URL("corpus/", import.meta.url);

test("every folder of the corpus belongs to a target, and every target has one", () => {
  expect(readdirSync(corpus).toSorted()).toEqual(targets.map(({ name }) => name).toSorted());
});

describe.each(targets)("$name", (target) => {
  const folder = new URL(`${target.name}/`, corpus);
  test.each(readdirSync(folder))("%s", async (file) => {
    const inputs = [JSON.parse(readFileSync(new URL(file, folder), "utf8")) as string | string[]].flat();
    expect(inputs.length).toBeGreaterThan(0);
    for (const input of inputs) await target.run(input);
  });
});
