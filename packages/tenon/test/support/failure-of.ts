/** What a call fails with: for tests that look at several members of an error. */
import { expect } from "vitest";
import { McpError } from "tenon";

/** The `McpError` a call rejects with; fails the test for anything else. */
export async function failureOf(call: Promise<unknown>): Promise<McpError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("value" in outcome) throw new Error(`Expected a rejection, got ${JSON.stringify(outcome.value)}`);
  expect(outcome.error).toBeInstanceOf(McpError);
  return outcome.error as McpError; // just checked
}
