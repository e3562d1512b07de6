/** The JSON types a schema allows, as far as they can be told by reading it: for typing arguments and for showing signatures. */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

/** References and alternatives followed before giving up: a schema may refer to itself. */
const MAX_DEPTH = 8;

/** The types `schema` allows; none where it does not say. `root` is where its references lead. */
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

/** The texts `schema` leaves the choice of; undefined where it allows others, or something that is no text. */
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

/** What a reference within the document leads to; others are not followed. */
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
