// Every security check that `npm run mutants` removes is still in the source, once, the source is a program without it, and its
// tests are where they should be.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { guards } from "../../../../lab/mutation/guards/index.mjs";
import { brokenWithout, placesOf } from "../../../../lab/mutation/places.mjs";

const project = new URL("../../../../", import.meta.url);
const rules = readFileSync(new URL("../coverage/rows/rules.md", import.meta.url), "utf8");

describe("the guards that are removed", () => {
  test.each(guards.map((guard) => [`${guard.rule} ${guard.name}`, guard] as const))(
    "%s",
    (_name, { rule, folder, find, replace, tests }) => {
      expect(rules).toMatch(new RegExp(`\\b${rule}\\b`));
      expect(placesOf(fileURLToPath(project), { folder, find }), find).toHaveLength(1);
      expect(brokenWithout(fileURLToPath(project), { folder, find, replace }), "the file without it").toBeUndefined();
      expect(replace).not.toBe(find);
      expect(tests.length).toBeGreaterThan(0);
      for (const one of tests) expect(existsSync(new URL(one, project)), one).toBe(true);
    },
  );

  test("are no two alike, and there are at least 80", () => {
    expect(new Set(guards.map(({ folder, find, replace }) => JSON.stringify([folder, find, replace]))).size).toBe(guards.length);
    expect(guards.length).toBeGreaterThanOrEqual(80);
  });
});
