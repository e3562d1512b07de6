/** The types of JSON Schema: which of them a value has, and which a schema names. */
import type { JsonObject } from "../jsonrpc/message.ts";
import { TYPE_TESTS } from "./value-keywords.ts";

/** Whether a value has the type of that name; false for an unknown name. */
export function isOfType(value: unknown, type: unknown): boolean {
  return TYPE_TESTS.get(type)?.(value) === true;
}

/** Whether a schema names that type, alone or among others. */
export function namesType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}
