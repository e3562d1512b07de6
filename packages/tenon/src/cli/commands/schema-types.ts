/** Reads the JSON types that a schema allows, to convert typed arguments and to show signatures. */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

/** Most references and alternatives to follow, because a schema may refer to itself. */
const MAX_DEPTH = 8;

/** The types that `schema` allows; empty if it does not say. @param root the document that its references point into */
export function typesOf(schema: unknown, root: JsonObject, depth = 0): string[] {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return [];
  const { type, $ref: ref, const: constant, enum: choices } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  if ("const" in schema) return [typeOf(constant)];
  if (Array.isArray(choices)) return unique(choices.map(typeOf));
  if (typeof ref === "string") return typesOf(lookUp(ref, root), root, depth + 1);
  const options = [schema["anyOf"], schema["oneOf"], schema["allOf"]].find((list) => Array.isArray(list)) as unknown[] | undefined;
  return unique((options ?? []).flatMap((option) => typesOf(option, root, depth + 1)));
}

/** The texts that `schema` allows; undefined if it allows other values too. */
export function choicesOf(schema: unknown, root: JsonObject, depth = 0): string[] | undefined {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return undefined;
  const { $ref: ref, const: constant, enum: choices, anyOf, oneOf } = schema;
  if (typeof ref === "string") return choicesOf(lookUp(ref, root), root, depth + 1);
  if (typeof constant === "string") return [constant];
  if (Array.isArray(choices)) return choices.every((choice) => typeof choice === "string") ? choices : undefined;
  const options: unknown = anyOf ?? oneOf;
  if (!Array.isArray(options)) return undefined;
  const lists = options.map((option) => choicesOf(option, root, depth + 1));
  return lists.every((list) => list !== undefined) ? unique(lists.flat()) : undefined;
}

/** Resolves a reference within the document. Others are not followed. */
function lookUp(ref: string, root: JsonObject): unknown {
  if (!ref.startsWith("#/")) return undefined;
  let place: unknown = root;
  for (const step of ref.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    place = isJsonObject(place) && Object.hasOwn(place, name) ? place[name] : undefined;
  }
  return place;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function unique(names: string[]): string[] {
  return [...new Set(names)];
}
