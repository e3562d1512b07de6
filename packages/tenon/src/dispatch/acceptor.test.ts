import { expect, it } from "vitest";
import { isAcceptor } from "./acceptor.ts";

it.each([
  [{ accept: () => Promise.resolve() }, true],
  [{ accept: "yes" }, false],
  [{}, false],
  [null, false],
  [undefined, false],
  ["accept", false],
  [Object.assign(() => undefined, { accept: () => Promise.resolve() }), false],
])("%j is an acceptor: %s", (value, is) => {
  expect(isAcceptor(value)).toBe(is);
});
