/** The differences of two JSON values: what the page and `tenon move` show. */
import { pointerStep } from "tenon/internal";

export function equal(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

export interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Most differences that are found. */
const MAX = 500;

/** The differences of two values by their JSON pointers; undefined means that a member is absent. */
export function differences(before: unknown, after: unknown, path = "", found: Difference[] = []): Difference[] {
  if (found.length >= MAX || equal(before, after)) return found;
  if (!hasMembers(before) || !hasMembers(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push({ path, before, after });
    return found;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    differences(before[key], after[key], `${path}/${pointerStep(key)}`, found);
  return found;
}

/** Whether a value is an object or a list, which is read by its indexes. */
function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
