/** Checks values by the JSON Schemas of servers, in this process and within its limits: a schema must not stall the page. */
import { defaultJsonSchemaValidator, isJsonObject, pointerStep } from "tenon/internal";
import type { JsonSchema } from "tenon";
import type { Issue } from "../entries.ts";

/** Most issues that the page gets. */
const MAX_ISSUES = 100;

/** What is wrong with a value. A schema that cannot be used is an issue of the whole value. */
export async function issuesOf(schema: unknown, value: unknown): Promise<readonly Issue[]> {
  if (!isJsonObject(schema) && typeof schema !== "boolean") return [];
  try {
    const check = await defaultJsonSchemaValidator.compile(schema as JsonSchema); // the validator checks its form
    const { issues = [] } = check(value);
    return issues.slice(0, MAX_ISSUES).map(({ path = [], message }) => ({ path: pointerOf(path), message }));
  } catch (error) {
    return [{ path: "", message: `The schema cannot be used: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

function pointerOf(path: readonly unknown[]): string {
  return path
    .map((part) => (typeof part === "object" && part !== null && "key" in part ? part.key : part))
    .map((part) => `/${pointerStep(String(part))}`)
    .join("");
}
