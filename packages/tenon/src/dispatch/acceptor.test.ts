import { expect, it } from "vitest";
import { isServable } from "./acceptor.ts";

it.each([
  [{ accept: () => Promise.resolve() }, true],
  [{ accept: "yes" }, false],
  [{}, false],
  [null, false],
  [undefined, false],
  ["accept", false],
  [Object.assign(() => undefined, { accept: () => Promise.resolve() }), false],
])("%j can be served: %s", (value, is) => {
  expect(isServable(value)).toBe(is);
});
