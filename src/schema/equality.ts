/** Equality of JSON values: `1` and `1.0` are the same, `1` and `true` are not, members have no order. */
import { isJsonObject } from "../jsonrpc/message.ts";
import type { Run } from "./run.ts";

/** Costs steps for each pair of values compared. */
export function isEqual(a: unknown, b: unknown, run: Run): boolean {
  if (a === b) return true;
  run.spend(4);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => isEqual(item, b[index], run));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key], run));
}

/** Text that is the same for equal values, and for no others. Costs steps for each value inside. */
export function canonicalText(value: unknown, run: Run): string {
  run.spend(6);
  if (typeof value !== "object" || value === null) return JSON.stringify(value === 0 ? 0 : value) ?? "undefined";
  run.spend(12);
  run.enter();
  const parts = Array.isArray(value)
    ? value.map((item) => canonicalText(item, run))
    : Object.entries(value)
        .sort(byKey)
        .map(([key, member]) => `${JSON.stringify(key)}:${canonicalText(member, run)}`);
  run.leave();
  return Array.isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
