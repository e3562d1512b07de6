/** Recognises what a peer writes for "nothing in it" in a language that cannot tell an empty list from an empty object. */
import { isJsonObject } from "../jsonrpc/message.ts";

export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

export function isEmptyObject(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  for (const _key in value) return false;
  return true;
}
