/**
 * The arguments of a tool that HTTP repeats in headers because its schema has `x-mcp-header` (MCP 2026-07-28, Streamable HTTP,
 * Custom Headers from Tool Parameters).
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

export interface MirroredArgument {
  /** In lower case, `mcp-param-` included. */
  readonly header: string;
  readonly path: readonly string[];
}

const ANNOTATION = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** Keywords whose members are values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose member names the author chooses. */
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Whether a schema that a peer wrote may have mirrored arguments. Most have none, and their text shows it sooner than {@link mirroredArguments}. */
export function mayMirror(schema: unknown): boolean {
  return JSON.stringify([schema]).includes(`"${ANNOTATION}"`);
}

/** All mirrored arguments, or a text that says what is wrong with one. */
export function mirroredArguments(schema: unknown): readonly MirroredArgument[] | string {
  const found = new Map<string, MirroredArgument>();
  const fault = isJsonObject(schema) ? collect(schema, [], found) : undefined;
  return fault ?? [...found.values()];
}

/** The value of a mirrored argument; undefined if the arguments do not have it. */
export function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** @param path undefined if the place does not identify one argument: below items, oneOf and the like */
function collect(schema: JsonObject, path: readonly string[] | undefined, found: Map<string, MirroredArgument>): string | undefined {
  if (Object.hasOwn(schema, ANNOTATION)) {
    const fault = add(schema, path, found);
    if (fault !== undefined) return fault;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (VALUES.has(keyword) || keyword === ANNOTATION) continue;
    const fault = NAMED.has(keyword) ? collectNamed(keyword, value, path, found) : collectBelow(value, found);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function collectNamed(
  keyword: string,
  value: unknown,
  path: readonly string[] | undefined,
  found: Map<string, MirroredArgument>,
): string | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const [name, schema] of Object.entries(value)) {
    const below = keyword === "properties" && path ? [...path, name] : undefined;
    const fault = isJsonObject(schema) ? collect(schema, below, found) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function collectBelow(value: unknown, found: Map<string, MirroredArgument>): string | undefined {
  if (isJsonObject(value)) return collect(value, undefined, found);
  if (!Array.isArray(value)) return undefined;
  for (const item of value) {
    const fault = collectBelow(item, found);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function add(schema: JsonObject, path: readonly string[] | undefined, found: Map<string, MirroredArgument>): string | undefined {
  const name = schema[ANNOTATION];
  if (typeof name !== "string" || !TOKEN.test(name)) return `its "${ANNOTATION}" is not a valid header name: ${JSON.stringify(name)}`;
  if (path === undefined || path.length === 0)
    return `"${ANNOTATION}" ${JSON.stringify(name)} must be on a property that its path alone identifies`;
  if (!TYPES.has(schema["type"]))
    return `"${ANNOTATION}" ${JSON.stringify(name)} must be on a property that is a string, integer or boolean`;
  const header = `mcp-param-${name.toLowerCase()}`;
  if (found.has(header)) return `"${ANNOTATION}" ${JSON.stringify(name)} is there twice`;
  found.set(header, { header, path });
  return undefined;
}
