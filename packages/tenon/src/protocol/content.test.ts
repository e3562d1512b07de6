import { expect, test } from "vitest";
import { contentAsList, type TextContent } from "./content.ts";
import type { SamplingMessage } from "./sampling.ts";

const block: TextContent = { type: "text", text: "" };

test("one block or several, the list is a list [TY-73]", () => {
  const single: SamplingMessage = { role: "user", content: block };
  const blocks = [block, block];
  expect(contentAsList(single)).toEqual([block]);
  expect(contentAsList({ content: blocks })).toBe(blocks);
  expect(contentAsList({ content: [] })).toEqual([]);
});
