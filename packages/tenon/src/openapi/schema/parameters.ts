/**
 * The parameters of an operation: which argument of the tool each becomes, and how its value is written.
 *
 * An argument has the name of its parameter, if that is a key that all models accept; `filter[name]` is the argument `filter_name`. If
 * two parameters have one name, the path's keeps it, and the others get their place: `id`, `id_query`.
 */
import { ARGUMENT_KEY, argumentKey } from "../../base/argument-keys.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { OpenApiDocument } from "../document/document.ts";
import { UnmappableError } from "../document/errors.ts";
import { isJsonType, listIn, memberOf, objectIn, shortened, textIn } from "../document/values.ts";
import type { FoundOperation } from "../document/operation.ts";
import type { SchemaBuilder } from "./schema.ts";
import { cookieText, percentEncoded, reservedKept, type ParameterPlace, type ParameterStyle, type Writing } from "./style.ts";
import { mendValues } from "../../schema/mend-values.ts";

export interface Parameter {
  /** The name of the tool's argument. */
  readonly argument: string;
  readonly place: ParameterPlace;
  readonly isRequired: boolean;
  readonly writing: Writing;
  /** The media type of a parameter that is written by one; undefined if it has a style. */
  readonly mediaType: string | undefined;
  /** The parameter object. */
  readonly source: JsonObject;
}

/** Places in the order in which they keep a name. */
const PLACES: readonly ParameterPlace[] = ["path", "query", "header", "cookie", "querystring"];
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form", "cookie"],
  querystring: ["form"],
};
/** Headers that belong to HTTP, to the body or to the credentials, and not to the model. */
const OWN_HEADERS =
  /^(accept|accept-encoding|authorization|connection|content-length|content-type|cookie|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent)$/i;

export interface ParametersOf {
  readonly parameters: readonly Parameter[];
  /** What the reader of the report has to know. */
  readonly notes: readonly string[];
}

/** @param taken names and places that credentials are sent in: `header:x-api-key` @throws UnmappableError */
export function parametersOf(
  document: OpenApiDocument,
  found: FoundOperation,
  taken: ReadonlySet<string>,
  reserved: readonly string[],
): ParametersOf {
  const notes: string[] = [];
  const sources = new Map<string, JsonObject>();
  for (const each of [...listIn(found.pathItem, "parameters"), ...listIn(found.source, "parameters")]) {
    const source = document.follow(each);
    const [name, place] = [textIn(source, "name"), textIn(source, "in")];
    if (source === undefined || name === undefined || !isPlace(place)) throw new UnmappableError("a parameter has no name or no place");
    const key = `${place}:${place === "header" ? name.toLowerCase() : name}`;
    if (taken.has(key)) continue;
    if (place === "header" && OWN_HEADERS.test(name)) notes.push(`the header ${name} is not an argument`);
    else sources.set(key, source);
  }
  for (const name of variablesOf(found.operation.path))
    if (!sources.has(`path:${name}`)) sources.set(`path:${name}`, { name, in: "path", required: true, schema: { type: "string" } });
  for (const [key, source] of sources) {
    if (source["in"] !== "path" || variablesOf(found.operation.path).includes(source["name"] as string)) continue;
    sources.delete(key);
    notes.push(`the path has no variable ${String(source["name"])}`);
  }
  return { parameters: withArguments([...sources.values()], reserved), notes };
}

function isPlace(place: string | undefined): place is ParameterPlace {
  return PLACES.includes(place as ParameterPlace);
}

export function variablesOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name!);
}

function withArguments(sources: readonly JsonObject[], reserved: readonly string[]): readonly Parameter[] {
  const names = new Set(reserved);
  const order = [...sources].sort((a, b) => PLACES.indexOf(a["in"] as ParameterPlace) - PLACES.indexOf(b["in"] as ParameterPlace));
  const plain = new Set(sources.map(({ name }) => name as string));
  const argumentOf = new Map<JsonObject, string>();
  const fits = order.filter(({ name }) => ARGUMENT_KEY.test(name as string)); // checked above to be a text, like its place
  for (const source of fits) argumentOf.set(source, freeName(source, names, plain));
  // A name that fits is kept by its own parameter, so the others come after it.
  for (const source of order) {
    if (argumentOf.has(source)) continue;
    const key = argumentKey(source["name"] as string, (wished) => names.has(wished));
    names.add(key);
    argumentOf.set(source, key);
  }
  return sources.map((source) => toParameter(source, argumentOf.get(source)!));
}

function freeName(source: JsonObject, taken: Set<string>, plain: ReadonlySet<string>): string {
  const name = source["name"] as string; // checked by the caller
  let argument = taken.has(name) ? `${name}_${source["in"] as string}` : name;
  while (taken.has(argument) || (argument !== name && plain.has(argument))) argument += "_";
  taken.add(argument);
  return argument;
}

function toParameter(source: JsonObject, argument: string): Parameter {
  const place = source["in"] as ParameterPlace;
  const [mediaType] = Object.keys(objectIn(source, "content"));
  const writing = writingOf(source["name"] as string, place, source);
  if (place === "header" && !/^[!#$%&'*+.^_`|~\w-]+$/.test(writing.name))
    throw new UnmappableError(`the header ${JSON.stringify(writing.name)} has a name that HTTP does not allow`);
  return { argument, place, isRequired: place === "path" || source["required"] === true, writing, mediaType, source };
}

/** How a parameter is written, or a property of a form: by its style, or the default of its place. @throws UnmappableError */
export function writingOf(name: string, place: ParameterPlace, source: unknown): Writing {
  const style = (textIn(source, "style") ?? STYLES[place][0]!) as ParameterStyle;
  if (!STYLES[place].includes(style))
    throw new UnmappableError(`the parameter ${JSON.stringify(name)} has the style ${style}, which a ${place} cannot have`);
  const explode = memberOf(source, "explode");
  if (style === "deepObject" && explode === false)
    throw new UnmappableError(`the parameter ${JSON.stringify(name)} has the style deepObject with explode: false, which is not defined`);
  const isQuery = place === "query" || place === "querystring";
  return {
    name,
    style,
    explode: typeof explode === "boolean" ? explode : style === "form" || style === "cookie",
    allowReserved: memberOf(source, "allowReserved") === true && isQuery,
    allowEmptyValue: memberOf(source, "allowEmptyValue") === true && isQuery,
    encode: encoderOf(place, style, memberOf(source, "allowReserved") === true && isQuery),
  };
}

function encoderOf(place: ParameterPlace, style: ParameterStyle, keepsReserved: boolean): (text: string) => string {
  if (place === "header") return String;
  if (style === "cookie") return cookieText;
  return keepsReserved ? reservedKept : percentEncoded;
}

export function argumentSchema({ source, mediaType }: Parameter, builder: SchemaBuilder): JsonObject {
  const origin = mediaType === undefined ? memberOf(source, "schema") : memberOf(objectIn(source, "content")[mediaType], "schema");
  const converted = builder.convert(origin ?? {});
  const schema: JsonObject = typeof converted === "boolean" ? {} : { ...converted };
  const description = textIn(source, "description");
  if (description !== undefined) schema["description"] = shortened(description, 1_000);
  if (source["deprecated"] === true) schema["deprecated"] = true;
  const example = memberOf(source, "example");
  if (example !== undefined && JSON.stringify(example).length <= 200) {
    schema["examples"] = [example];
    mendValues(
      schema,
      [schema["type"]].flat().filter((type) => typeof type === "string"),
    );
  }
  if (mediaType !== undefined && !isJsonType(mediaType) && mediaType !== "application/x-www-form-urlencoded")
    return { type: "string", ...pick(schema) };
  return schema;
}

/** What stays of the schema of a parameter that is sent unchanged. */
function pick({ description }: JsonObject): JsonObject {
  return description === undefined ? {} : { description };
}
