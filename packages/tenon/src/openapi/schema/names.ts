/**
 * Names of tools: at most 64 letters, digits, `_` and `-`, which all models accept.
 *
 * The name of an operation depends on the document's set of operations and not on their order. If two operations want one name,
 * both get a hash, so that a new operation never takes the name of another one.
 */
import { shortHash } from "../../base/hash.ts";
import { lineOf, type OpenApiOperation } from "../document/operation.ts";

const MAX_NAME = 64;

export function namesOf(operations: readonly OpenApiOperation[]): ReadonlyMap<OpenApiOperation, string> {
  return toolNames(operations, plainName, lineOf);
}

/** The names of tools. `wish` is the text that each would be named by, and `identify` is a text that no other one has. */
export function toolNames<T>(all: readonly T[], wish: (each: T) => string, identify: (each: T) => string): ReadonlyMap<T, string> {
  const wanted = new Map<string, number>();
  const plain = new Map(all.map((each) => [each, wish(each).replace(/[^A-Za-z0-9_-]/g, "_") || "_"]));
  for (const name of plain.values()) wanted.set(name, (wanted.get(name) ?? 0) + 1);
  const isFree = (name: string): boolean => name.length <= MAX_NAME && wanted.get(name) === 1;
  return new Map([...plain].map(([each, name]) => [each, isFree(name) ? name : hashed(name, identify(each))]));
}

function plainName({ operationId, method, path }: OpenApiOperation): string {
  if (operationId !== undefined) return operationId;
  const name = `${method.toLowerCase()}_${path}`.replace(/[^A-Za-z0-9_-]/g, "_");
  return name.replace(/_+/g, "_").replace(/_$/, "");
}

function hashed(name: string, line: string): string {
  const hash = `_${shortHash(line)}`;
  return name.slice(0, MAX_NAME - hash.length) + hash;
}

/** @throws TypeError if a name that a user's hook returned cannot be used. `line` is what it names */
export function assertName(name: unknown, line: string): asserts name is string {
  if (typeof name === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  throw new TypeError(`Option "name" must return 1 to 64 letters, digits, "_" or "-" for ${line}, not ${JSON.stringify(name)}`);
}
