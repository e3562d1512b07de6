/**
 * Names of tools: at most 64 letters, digits, `_` and `-`, which all models accept.
 *
 * The name of an operation depends on the document's set of operations and not on their order. If two operations want one name,
 * both get a hash, so that a new operation never takes the name of another one.
 */
import { fnv1a } from "../../base/hash.ts";
import { lineOf, type OpenApiOperation } from "../document/operation.ts";

const MAX_NAME = 64;

/** The names of all operations of a document. */
export function namesOf(operations: readonly OpenApiOperation[]): ReadonlyMap<OpenApiOperation, string> {
  const wanted = new Map<string, number>();
  for (const operation of operations) {
    const name = plainName(operation);
    wanted.set(name, (wanted.get(name) ?? 0) + 1);
  }
  const isFree = (name: string): boolean => name.length <= MAX_NAME && wanted.get(name) === 1;
  return new Map(
    operations.map((operation) => {
      const name = plainName(operation);
      return [operation, isFree(name) ? name : hashed(name, lineOf(operation))];
    }),
  );
}

function plainName({ operationId, method, path }: OpenApiOperation): string {
  const wanted = operationId ?? `${method.toLowerCase()}_${path}`;
  const name = wanted.replace(/[^A-Za-z0-9_-]/g, "_");
  return (operationId === undefined ? name.replace(/_+/g, "_").replace(/_$/, "") : name) || "_";
}

function hashed(name: string, line: string): string {
  const hash = `_${fnv1a(line).toString(36).padStart(7, "0")}`;
  return name.slice(0, MAX_NAME - hash.length) + hash;
}

/** @throws TypeError if a name that a user's hook returned cannot be used */
export function assertName(name: unknown, operation: OpenApiOperation): asserts name is string {
  if (typeof name === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  throw new TypeError(
    `Option "name" must return 1 to 64 letters, digits, "_" or "-" for ${lineOf(operation)}, not ${JSON.stringify(name)}`,
  );
}
