import { expect, test } from "vitest";
import { randomId } from "./bytes.ts";

test("ids are 22 characters of base64url and differ, also of several requests for random bytes", () => {
  const ids = Array.from({ length: 1_000 }, () => randomId());
  for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/);
  expect(new Set(ids).size).toBe(1_000);
});

test("each bit of an id is set in about half of all ids: they cannot be counted or guessed [O14]", () => {
  const ids = Array.from({ length: 2_000 }, () => Buffer.from(randomId(), "base64url"));
  for (let bit = 0; bit < 128; bit++) {
    const set = ids.filter((id) => (id[bit >> 3]! >> (bit & 7)) & 1).length;
    // Ten standard deviations.
    expect(Math.abs(set - 1_000), `bit ${bit}`).toBeLessThan(224);
  }
});
