/** Joining modules may rename classes; what a user reads in `error.name` must not depend on it. */
import { expect, test } from "vitest";

test("errors of the built package carry their own names [ER-04]", async () => {
  const built = (await import("../../dist/index.js" as string)) as Record<string, unknown>;
  const errors = Object.entries(built).filter(([name, value]) => typeof value === "function" && name.endsWith("Error"));
  expect(errors.length).toBeGreaterThan(10);
  for (const [name, value] of errors) {
    const error = Reflect.construct(value as new () => Error, [[], "", ""]) as Error;
    expect(error.name).toBe(name);
  }
});
