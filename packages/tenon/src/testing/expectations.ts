/** What the checks of stores expect. They run under any test runner, so they use none. */
import { canonicalJson } from "../base/json-values.ts";

/** One requirement of a store, as a check on what is empty. */
export interface StoreCheck<Given extends readonly unknown[]> {
  /** What is checked, for the title of a test. */
  readonly name: string;
  /** Rejects if the requirement is violated. */
  readonly run: (...given: Given) => Promise<void>;
}

/** Fails unless both are equal as JSON, in any order of members. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, shouldBe] = [actual, expected].map((value) => (value === undefined ? "undefined" : canonicalJson(value)));
  if (is !== shouldBe) throw new Error(`${what}: expected ${shouldBe}, got ${is}`);
}

/** Keys that a program or a peer may choose. */
export const STRANGE: readonly string[] = [
  "",
  "a b",
  "*",
  "x".repeat(9_000),
  "Zoë \u0000 \ud800",
  "\ud801",
  "__proto__",
  "a:b{c}",
  "..",
  ">",
];

export async function fails(work: () => Promise<unknown>, name: string): Promise<void> {
  const failure = await work().then(
    () => undefined,
    (error: unknown) => error,
  );
  const got = failure instanceof Error ? failure.name : failure;
  if (got !== name) throw new Error(`expected a ${name}, got ${String(got)}`, { cause: failure });
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
