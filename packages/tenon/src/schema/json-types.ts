/** The types of JSON Schema: which of them a value has, and which a schema names. */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** The tests of all types, by their names. */
export const TYPE_TESTS: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map<unknown, (value: unknown) => boolean>([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number" && Number.isFinite(value)],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", (value) => Array.isArray(value)],
  ["object", isJsonObject],
]);

/** Whether a value has the type of that name; false for an unknown name. */
export function isOfType(value: unknown, type: unknown): boolean {
  return TYPE_TESTS.get(type)?.(value) === true;
}

/** Whether a schema names that type, alone or among others. */
export function namesType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}
