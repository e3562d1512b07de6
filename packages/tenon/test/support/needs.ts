/**
 * What a test needs beside Node, npm, git and a shell. Where a part is missing its tests are left out, and the end of the run
 * says which and how to get them (left-out.mjs); in continuous integration they fail. No test is skipped in another way.
 *
 * The parts, and where they are looked for: scripts/setup/parts.mjs.
 */
import { beforeEach, describe, test, type TestContext } from "vitest";
import { has, howToGet, isDoneWithout } from "../../../../scripts/setup/find.mjs";
import type { PartName } from "../../../../scripts/setup/parts.mjs";

export { folderOf, has, programOf } from "../../../../scripts/setup/find.mjs";
export type { PartName } from "../../../../scripts/setup/parts.mjs";

/** Every test of this file, or of the `describe` that this stands in, needs these parts. True where all of them are here. */
export function needs(...parts: readonly PartName[]): boolean {
  const lacking = parts.filter((part) => !has(part));
  if (lacking.length > 0) beforeEach((context) => leaveOut(lacking, context));
  return lacking.length === 0;
}

/** Leaves a test out if one of these parts is not here. */
export function assertHas(context: Pick<TestContext, "skip">, ...parts: readonly PartName[]): void {
  const lacking = parts.filter((part) => !has(part));
  if (lacking.length > 0) leaveOut(lacking, context);
}

// oxlint-disable vitest/expect-expect, vitest/no-conditional-tests, vitest/valid-title -- it makes tests of what it is given
// oxlint-disable vitest/valid-describe-callback, vitest/require-top-level-describe -- the same
/**
 * Tests that cannot even be listed without these parts: where one is missing, one test with this title stands for all of them.
 */
export function describeWith(parts: readonly PartName[], title: string, body: () => void): void {
  const lacking = parts.filter((part) => !has(part));
  if (lacking.length === 0) describe(title, body);
  else test(title, (context) => leaveOut(lacking, context));
}

/** Leaves a test out because these parts are not here, or fails it where nothing may be missing. */
export function leaveOut(parts: readonly PartName[], { skip }: Pick<TestContext, "skip">): never {
  if (process.env["CI"] && !parts.some(isDoneWithout)) throw new Error(`Not here: ${parts.join(", ")}. ${howToGet(parts)}`);
  return skip(`needs ${parts.join(" ")}`);
}
