/**
 * Arguments that a model wrote as a JSON text in the place of an object or a list: `{ "filter": "{\"state\":\"open\"}" }`. Many models do
 * so now and then. A text is read where no text can be meant; what it says is checked by the server as always.
 */
import { parseExact } from "../jsonrpc/exact-numbers.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** Definitions by their names in `$defs`. */
type Definitions = ReadonlyMap<string, JsonObject>;

/** How many references and combinations may stand inside each other. */
const MAX_HOPS = 32;

/** The value in a text; the text itself if its schema takes texts, or if it holds something else. */
export function unpacked(text: string, schema: unknown, defs: Definitions): unknown {
  if (!/^\s*[[{]/.test(text) || mayBe("string", schema, defs)) return text;
  try {
    const value = parseExact(text);
    return mayBe(Array.isArray(value) ? "array" : "object", schema, defs) ? value : text;
  } catch {
    return text; // the server says what is wrong
  }
}

/** Whether a schema takes values of a type, as far as it says. */
function mayBe(type: string, schema: unknown, defs: Definitions, hops = 0): boolean {
  if (!isJsonObject(schema) || hops > MAX_HOPS) return true;
  const inner = (part: unknown): boolean => mayBe(type, part, defs, hops + 1);
  const { $ref, type: types, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === "string") return inner(defs.get($ref.slice("#/$defs/".length)));
  if (types !== undefined && ![types].flat().includes(type)) return false;
  if (Array.isArray(allOf) && !allOf.every(inner)) return false;
  return [anyOf, oneOf].every((parts) => !Array.isArray(parts) || parts.some(inner));
}
