/** What counts as a difference between the answers of the server on both packages. */
import { expect, test } from "vitest";
import type { Answers } from "./answers.ts";
import { compare } from "./compare.ts";

const answers = (protocolVersion: string, tools: readonly string[]): Answers => ({
  plan: [],
  answers: [
    { title: "initialize", answer: { protocolVersion, serverInfo: { name: "s" } } },
    { title: "tools/list", answer: { tools } },
  ],
});

test("an older SDK's revision is shown, and is no difference", () => {
  const old = answers("2025-03-26", ["a"]);
  expect(compare(old, old, answers("2025-11-25", ["a"]))).toEqual({
    requests: 2,
    same: 2,
    varying: [],
    changed: [],
    revision: { official: "2025-03-26", tenon: "2025-11-25" },
  });
  expect(compare(old, old, answers("2025-11-25", ["b"]))).toMatchObject({ same: 1, changed: [{ title: "tools/list" }] });
  expect(compare(old, old, old).revision).toBeUndefined();
});
