/** The value of a step as JSON: a later round must see the same value as this one. */
import { McpUsageError } from "../../../jsonrpc/mcp-error.ts";

/** The value of a step: its JSON text, and the value read back from it. Both undefined if the step returned nothing. */
export interface StepValue {
  readonly text: string | undefined;
  readonly value: unknown;
}

/** @throws McpUsageError naming the step and the member that JSON would change or lose */
export function toStepValue(name: string, value: unknown): StepValue {
  return toJsonValue(`step ${JSON.stringify(name)}`, value);
}

/** @param what names the value, for the error @throws McpUsageError naming the member that JSON would change or lose */
export function toJsonValue(what: string, value: unknown): StepValue {
  if (value === undefined) return { text: undefined, value: undefined };
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new McpUsageError(`The value of ${what} has no JSON form`, { cause });
  }
  const copy: unknown = text === undefined ? undefined : JSON.parse(text);
  const lost = difference(value, copy, "");
  if (lost !== undefined) throw new McpUsageError(`The value of ${what} does not survive JSON${lost && ` at ${lost}`}`);
  return { text, value: copy };
}

/** The path at which `copy` differs from `value`; members that are undefined may be missing. */
function difference(value: unknown, copy: unknown, path: string): string | undefined {
  if (typeof value !== "object" || value === null) return Object.is(value, copy) || (value === 0 && copy === 0) ? undefined : path;
  if (typeof copy !== "object" || copy === null || Array.isArray(value) !== Array.isArray(copy)) return path;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return path;
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined && !Array.isArray(value)) continue;
    const found = difference(member, (copy as Record<string, unknown>)[key], Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`); // any object can be read by key
    if (found !== undefined) return found;
  }
  return undefined;
}
