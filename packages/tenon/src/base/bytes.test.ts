import { expect, test } from "vitest";
import { randomId } from "./bytes.ts";

test("ids are 22 characters of base64url and differ, also of several requests for random bytes", () => {
  const ids = Array.from({ length: 1_000 }, () => randomId());
  for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/);
  expect(new Set(ids).size).toBe(1_000);
});
