/**
 * Members of a document, which another party has written: only own members are read, and every member is written as an own one.
 *
 * A key such as `__proto__` or `constructor` is a name like any other.
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

/** The own member of a value; undefined if the value is not an object or has no such member. */
export function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The own member if it is an object; otherwise an empty object. */
export function objectIn(value: unknown, key: string): JsonObject {
  const member = memberOf(value, key);
  return isJsonObject(member) ? member : {};
}

/** The items of an own member that is a list; otherwise nothing. */
export function listIn(value: unknown, key: string): readonly unknown[] {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member : [];
}

/** The own member if it is a text that is not empty. */
export function textIn(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === "string" && member !== "" ? member : undefined;
}

/** The strings of an own member that is a list. */
export function textsIn(value: unknown, key: string): string[] {
  return listIn(value, key).filter((item): item is string => typeof item === "string");
}

/** The first `max` characters of a text, with "…" if more follow. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

// ---- media types ----

/** `application/json` of `Application/JSON; charset=utf-8`. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(";", 1)[0]!.trim().toLowerCase();
}

export function isJsonType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return essence === "application/json" || essence === "text/json" || essence.endsWith("+json");
}

export function isTextType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return essence.startsWith("text/") || /[/+](xml|yaml|x-yaml|javascript|jsonl|x-ndjson|x-www-form-urlencoded|graphql)$/.test(essence);
}
