/**
 * `discriminator`: the property whose value says which schema of a choice applies. JSON Schema does not know it, so each schema of
 * the choice gets the value that its property must have.
 */
import { pointerSteps } from "../../base/json-pointer.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { OpenApiDocument } from "../document/document.ts";
import { listIn, memberOf, objectIn, textIn } from "../document/values.ts";

/** The schema, with the tags of its discriminator in its choice; the same schema if it has none. */
export function withTags(schema: JsonObject, document: OpenApiDocument): JsonObject {
  const discriminator = memberOf(schema, "discriminator");
  const name = textIn(discriminator, "propertyName");
  const keyword = Array.isArray(schema["oneOf"]) ? "oneOf" : "anyOf";
  const choice = schema[keyword];
  if (name === undefined || !Array.isArray(choice)) return schema;
  const mapping = objectIn(discriminator, "mapping");
  const tagged = choice.map((branch: unknown) => {
    const own = valuesOf(branch, name, document);
    const tags = tagsOf(memberOf(branch, "$ref"), mapping, document).filter((tag) => own?.includes(tag) ?? true);
    if (tags.length === 0) return branch;
    const tag = tags.length === 1 ? { const: tags[0] } : { enum: tags };
    return { allOf: [branch, { type: "object", properties: { [name]: tag }, required: [name] }] };
  });
  return { ...schema, [keyword]: tagged };
}

/** How many levels of `allOf` are searched for the values that a schema allows. */
const MAX_PARENTS = 8;

/** The values that the schema itself allows for a property; undefined if it says none. What it says counts more than its name. */
function valuesOf(source: unknown, name: string, document: OpenApiDocument, depth = 0): readonly unknown[] | undefined {
  const schema = document.follow(source);
  const property = document.follow(objectIn(schema, "properties")[name]);
  if (property?.["const"] !== undefined) return [property["const"]];
  if (Array.isArray(property?.["enum"])) return property["enum"];
  if (depth > MAX_PARENTS) return undefined;
  const inherited = listIn(schema, "allOf").map((part) => valuesOf(part, name, document, depth + 1));
  return inherited.find((values) => values !== undefined);
}

/** The values that mean a schema: those that the mapping gives to it, or the name of the schema. */
function tagsOf(ref: unknown, mapping: JsonObject, document: OpenApiDocument): readonly string[] {
  if (typeof ref !== "string") return [];
  const mapped = Object.keys(mapping).filter((tag) => refersTo(mapping[tag], ref, document));
  const isNamed = /#\/components\/schemas\/[^/]+$/.test(ref);
  return mapped.length > 0 || !isNamed ? mapped : [pointerSteps(ref).at(-1)!];
}

/** A mapping names a schema by a reference or by its name. */
function refersTo(target: unknown, ref: string, document: OpenApiDocument): boolean {
  if (typeof target !== "string") return false;
  const isName = isJsonObject(memberOf(objectIn(document.root, "components"), "schemas")) && !target.includes("/");
  return target === ref || (isName && `#/components/schemas/${target.replaceAll("~", "~0")}` === ref);
}
