/**
 * A copy of a value as the peer would receive it: `JSON.parse(JSON.stringify(value))` without the text.
 *
 * It replaces the wire if client and server are in one process, so that they share nothing by reference and receive only what a
 * socket could carry. It is not `structuredClone`: a `Date` arrives as a string.
 */
import { isExactToJson, withExactNumbersOf } from "./exact-numbers.ts";
import { HeadedResult } from "./serialise.ts";
import { setMember, type JsonObject } from "./message.ts";

/** Nesting depth of a copy; it is higher than any limit on parsed JSON, so only a cycle reaches it. */
export const MAX_CLONE_DEPTH = 1000;

/**
 * The value as it would arrive over a wire; `undefined` if JSON has no form for it.
 *
 * @throws TypeError for a BigInt, a cycle, or containers nested deeper than {@link MAX_CLONE_DEPTH}
 */
export function cloneJson<T>(value: T): T {
  // The type is the caller's claim, as for anything read from a wire.
  return copy(value, "", 0) as T;
}

/** Calls `toJSON` once where JSON would: on objects, functions and BigInts. */
function copy(value: unknown, key: string | number, depth: number): unknown {
  const type = typeof value;
  if (type === "string" || value === null || value === undefined) return value;
  if (type === "object" || type === "function" || type === "bigint") {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") {
      if (value instanceof HeadedResult) return copyHeaded(value, depth + 1);
      if (isExactToJson(toJSON)) return withExactNumbersOf(value, copyContainer(value, depth + 1) as object); // containers only have it
      return copyPlain(toJSON.call(value, String(key)), depth);
    }
  }
  return copyPlain(value, depth);
}

function copyHeaded({ parts }: HeadedResult, depth: number): JsonObject {
  const copied: JsonObject = {};
  for (const part of parts) copyInto(copied, part, depth);
  return copied;
}

function copyPlain(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // NaN and the infinities become null, -0 becomes 0.
      return Number.isFinite(value) ? value + 0 : null;
    case "bigint":
      throw new TypeError("JSON has no BigInt");
    case "object":
      return value === null ? null : copyContainer(value, depth + 1);
    default:
      return undefined;
  }
}

function copyContainer(value: object, depth: number): unknown {
  if (depth > MAX_CLONE_DEPTH) throw new TypeError(`Cannot copy a cycle, or more than ${MAX_CLONE_DEPTH} levels`);
  if (Array.isArray(value)) return copyArray(value, depth);
  if (Object.getPrototypeOf(value) !== Object.prototype && isBoxed(value)) return copyPlain(value.valueOf(), depth);
  return copyMembers(value as JsonObject, depth);
}

/** Whether a value is a wrapper such as `new Number(1)`, which JSON writes as its primitive. */
function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt;
}

function copyArray(from: readonly unknown[], depth: number): unknown[] {
  const to: unknown[] = [];
  for (let i = 0; i < from.length; i++) {
    const item = copy(from[i], i, depth);
    to.push(item === undefined ? null : item);
  }
  return to;
}

function copyMembers(from: JsonObject, depth: number): JsonObject {
  const to: JsonObject = {};
  copyInto(to, from, depth);
  return to;
}

function copyInto(to: JsonObject, from: JsonObject, depth: number): void {
  for (const key of Object.keys(from)) {
    const member = copy(from[key], key, depth);
    if (member !== undefined) setMember(to, key, member);
  }
}
