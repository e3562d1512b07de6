/**
 * What each API refuses in a tool's definition, with the words in which it does. Written from public reports, apart from the code
 * that it checks.
 */
export type Json = { readonly [key: string]: unknown };
export type Provider = "anthropic" | "openai" | "chat" | "gemini";

export interface OfferedTool {
  readonly name: string;
  readonly schema: Json;
  readonly strict: boolean;
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Every schema in a schema, with its depth. */
export function* schemasIn(schema: unknown, depth = 0): Generator<readonly [Json, number]> {
  if (!isObject(schema)) return;
  yield [schema, depth];
  for (const key of ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"])
    yield* schemasIn(schema[key], depth + 1);
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    if (Array.isArray(schema[key])) for (const part of schema[key] as unknown[]) yield* schemasIn(part, depth + 1);
  }
  for (const key of ["properties", "$defs", "patternProperties"]) {
    if (isObject(schema[key])) for (const part of Object.values(schema[key])) yield* schemasIn(part, depth + 1);
  }
}

/** Why the API refuses the tools of a request; undefined if it takes them. */
export function refusalOfTools(provider: Provider, tools: readonly OfferedTool[]): string | undefined {
  const names = tools.map(({ name }) => name);
  if (new Set(names).size < names.length) return "tools: Tool names must be unique.";
  if (provider !== "anthropic" && tools.length > 128)
    return `Invalid 'tools': array too long. Expected at most 128, got ${tools.length}.`;
  for (const [index, tool] of tools.entries()) {
    const refusal = refusalOfTool(provider, tool);
    if (refusal !== undefined) return `tools.${index} (${tool.name}): ${refusal}`;
  }
  return undefined;
}

const NAMES: { readonly [provider in Provider]: RegExp } = {
  anthropic: /^[a-zA-Z0-9_-]{1,128}$/,
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  chat: /^[a-zA-Z0-9_-]{1,64}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
};

function refusalOfTool(provider: Provider, { name, schema, strict }: OfferedTool): string | undefined {
  if (!NAMES[provider].test(name)) return `String should match pattern '${NAMES[provider].source}'`;
  if (schema["type"] !== "object") return "schema must be a JSON Schema of 'type: \"object\"'";
  for (const key of ["oneOf", "anyOf", "allOf", "enum", "not"])
    if (key in schema) return `schema does not support ${key} at the top level`;
  if (!isObject(schema["properties"])) return "object schema missing properties";
  for (const [part, depth] of schemasIn(schema)) {
    const refusal = refusalOfPart(provider, part, schema) ?? (strict ? refusalOfStrictPart(provider, part, depth) : undefined);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function refusalOfPart(provider: Provider, part: Json, root: Json): string | undefined {
  const { type, items, $ref } = part;
  if ((type === "array" || (Array.isArray(type) && type.includes("array"))) && !isObject(items) && items !== true)
    return "array schema missing items";
  if (Array.isArray(items)) return "items must be a schema";
  if ($ref !== undefined) {
    const name = /^#\/\$defs\/(.+)$/.exec(JSON.stringify($ref).slice(1, -1))?.[1];
    if (name === undefined || !isObject(root["$defs"]) || !(name in root["$defs"]))
      return `reference ${JSON.stringify($ref)} cannot be resolved`;
    if (Object.keys(part).length > 1) return "$ref cannot have keywords beside it";
  }
  if (provider !== "gemini") return undefined;
  for (const key of [
    "$ref",
    "$defs",
    "oneOf",
    "allOf",
    "const",
    "not",
    "if",
    "prefixItems",
    "patternProperties",
    "exclusiveMinimum",
    "uniqueItems",
  ]) {
    if (key in part) return `Invalid JSON payload received. Unknown name "${key}"`;
  }
  return Array.isArray(type) ? "Proto field is not repeating, cannot start list" : undefined;
}

const STRICT_REFUSED = [
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "prefixItems",
  "uniqueItems",
  "patternProperties",
  "dependentRequired",
  "default",
];

function refusalOfStrictPart(provider: Provider, part: Json, depth: number): string | undefined {
  for (const key of STRICT_REFUSED) if (key in part) return `'${key}' is not permitted`;
  if (provider === "anthropic")
    for (const key of ["minimum", "maximum", "minLength", "maxLength", "pattern"])
      if (key in part) return `'${key}' is not supported`;
  if (depth > 20) return "too many levels"; // ten levels of objects, each with its properties in unions
  if (part["type"] !== "object" && part["properties"] === undefined) return undefined;
  if (part["additionalProperties"] !== false) return "'additionalProperties' is required to be supplied and to be false";
  if (provider === "anthropic") return undefined;
  const properties = Object.keys((part["properties"] as Json | undefined) ?? {});
  const required = new Set((part["required"] as string[] | undefined) ?? []);
  const missing = properties.filter((name) => !required.has(name));
  return missing.length > 0 ? `'required' is required to include every key in properties. Missing '${missing[0]}'` : undefined;
}
