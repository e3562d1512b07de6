/**
 * A copy of a value as the peer would receive it: `JSON.parse(JSON.stringify(value))` without the text.
 *
 * This is what stands for the wire where both sides live in one process, so nothing is shared by reference and nothing
 * gets across that would not over a socket. It is not `structuredClone`: a `Date` arrives as a string.
 */
import type { JsonObject } from "./message.ts";

/** Containers inside each other that are copied; deeper than any limit on what is read, so only cycles get there. */
export const MAX_CLONE_DEPTH = 1000;

/**
 * The value as it would be after a trip over the wire. `undefined` where JSON has nothing for it.
 *
 * @throws TypeError for a BigInt, a cycle, or containers nested deeper than {@link MAX_CLONE_DEPTH}
 */
export function cloneJson<T>(value: T): T {
  // The type is the caller's claim, as it is for anything read from a wire.
  return copy(value, "", 0) as T;
}

function copy(value: unknown, key: string, depth: number): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return copyNumber(value);
    case "object":
      return value === null ? null : copyObject(value, key, depth);
    case "bigint":
      return copyBigInt(value, key, depth);
    default:
      return undefined;
  }
}

/** NaN and the infinities become null, -0 becomes 0. */
function copyNumber(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}

function copyObject(value: object, key: string, depth: number): unknown {
  if (depth > MAX_CLONE_DEPTH) throw new TypeError(`Cannot copy a cycle, or more than ${MAX_CLONE_DEPTH} levels`);
  if ("toJSON" in value && typeof value.toJSON === "function") return copyPlain(value.toJSON(key), depth);
  return copyPlain(value, depth);
}

/** What is left when `toJSON` has been asked; it is not asked twice. */
function copyPlain(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "bigint") throw new TypeError("JSON has no BigInt");
    return copy(value, "", depth);
  }
  if (Array.isArray(value)) return copyArray(value, depth + 1);
  if (value instanceof Number) return copyNumber(Number(value));
  if (value instanceof String) return String(value);
  if (value instanceof Boolean) return value.valueOf();
  return copyMembers(value as JsonObject, depth + 1);
}

function copyArray(from: readonly unknown[], depth: number): unknown[] {
  const to: unknown[] = [];
  for (let i = 0; i < from.length; i++) {
    const item = copy(from[i], String(i), depth);
    to.push(item === undefined ? null : item);
  }
  return to;
}

function copyMembers(from: JsonObject, depth: number): JsonObject {
  const to: JsonObject = {};
  for (const key of Object.keys(from)) {
    const member = copy(from[key], key, depth);
    if (member === undefined) continue;
    // Assigning would set the prototype.
    if (key === "__proto__") Object.defineProperty(to, key, { value: member, writable: true, enumerable: true, configurable: true });
    else to[key] = member;
  }
  return to;
}

function copyBigInt(value: bigint, key: string, depth: number): unknown {
  if ("toJSON" in BigInt.prototype && typeof BigInt.prototype.toJSON === "function") return copyPlain(BigInt.prototype.toJSON.call(value, key), depth);
  throw new TypeError("JSON has no BigInt");
}
