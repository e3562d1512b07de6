/** What the checks of stores expect. They run under any test runner, so they use none. */
import { canonicalJson } from "../base/json-values.ts";

/** Fails unless both are equal as JSON, in any order of members. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, shouldBe] = [actual, expected].map((value) => (value === undefined ? "undefined" : canonicalJson(value)));
  if (is !== shouldBe) throw new Error(`${what}: expected ${shouldBe}, got ${is}`);
}

/** Milliseconds within which a store must call listeners and end what is over. Long, for machines under load. */
const PATIENCE = 5_000;

/** Waits until something is so. @throws Error if it is not in time */
export async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + PATIENCE; !(await isSo());) {
    if (Date.now() > end) throw new Error(`expected within ${PATIENCE} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
