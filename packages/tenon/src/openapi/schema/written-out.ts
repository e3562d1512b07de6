/**
 * Writes the schemas of `$defs` where they are used. Some hosts do not follow `$ref`, and their models see no members there.
 *
 * A schema that contains itself keeps its reference. All keep theirs if copies make the whole much longer, or deeper than APIs take.
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { LIST_KEYWORDS, MAP_KEYWORDS, mapSchemas, SCHEMA_KEYWORDS } from "./keywords.ts";

/** How much longer copies may make a schema, in characters. Most schemas become shorter: they use each part once. */
const MAX_ADDED = 4_000;
/** Levels that OpenAI's strict mode takes. */
const MAX_DEPTH = 10;
/** Keywords that mean the same beside a schema's own keywords as beside a reference to it. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "deprecated"]);

/** The same schema without references, if its length and its depth allow that. */
export function writtenOut(schema: JsonObject, maxSize: number = Infinity): JsonObject {
  const { $defs, ...root } = schema;
  if (!isJsonObject($defs)) return schema;
  const lengths = [schema, root].map((each) => JSON.stringify(each).length) as [number, number]; // of two
  const writer = new Writer($defs, Math.min(maxSize, lengths[0] + MAX_ADDED) - lengths[1]);
  const written = writer.write(root, 0) as JsonObject; // an object stays one
  const kept = writer.keptDefinitions();
  if (writer.isUnfit) return schema;
  return Object.keys(kept).length === 0 ? written : { ...written, $defs: kept };
}

class Writer {
  /** Whether the schema became too long or too deep, or has a reference to something else than a definition. */
  isUnfit = false;
  readonly #definitions: JsonObject;
  readonly #texts: ReadonlyMap<string, string>;
  /** The names of schemas that contain themselves. */
  readonly #kept: ReadonlySet<string>;
  /** Characters of definitions that may still be written. */
  #left: number;

  constructor(definitions: JsonObject, left: number) {
    this.#definitions = definitions;
    this.#left = left;
    this.#texts = new Map(Object.entries(definitions).map(([name, each]) => [name, JSON.stringify(each)]));
    this.#kept = new Set(Object.keys(definitions).filter((name) => this.#refersTo(name, name, new Set())));
  }

  keptDefinitions(): JsonObject {
    return Object.fromEntries([...this.#kept].map((name) => [name, this.#copy(name, 0)]));
  }

  write(schema: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) this.isUnfit = true;
    if (!isJsonObject(schema) || this.isUnfit) return schema;
    const { $ref, ...rest } = schema;
    const written = this.#inside(rest, depth);
    if (typeof $ref !== "string") return written;
    const name = $ref.replace("#/$defs/", "");
    if (!this.#texts.has(name)) this.isUnfit = true;
    return this.#kept.has(name) ? { $ref, ...written } : joined(this.#copy(name, depth), written);
  }

  #copy(name: string, depth: number): unknown {
    this.#left -= this.#texts.get(name)?.length ?? 0;
    if (this.#left < 0) this.isUnfit = true;
    return this.write(this.#definitions[name], depth);
  }

  #inside(schema: JsonObject, depth: number): JsonObject {
    const written: JsonObject = { ...schema };
    const inner = (each: unknown): unknown => this.write(each, depth + 1);
    for (const keyword of SCHEMA_KEYWORDS) if (isJsonObject(schema[keyword])) written[keyword] = inner(schema[keyword]);
    for (const keyword of LIST_KEYWORDS) if (Array.isArray(schema[keyword])) written[keyword] = schema[keyword].map(inner);
    for (const keyword of MAP_KEYWORDS) if (isJsonObject(schema[keyword])) written[keyword] = mapSchemas(schema[keyword], inner);
    return written;
  }

  #refersTo(from: string, wanted: string, visited: Set<string>): boolean {
    visited.add(from);
    const names = [...(this.#texts.get(from) ?? "").matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, name]) => String(name));
    return names.some((name) => name === wanted || (!visited.has(name) && this.#refersTo(name, wanted, visited)));
  }
}

/** A schema with what stood beside the reference to it. */
function joined(target: unknown, beside: JsonObject): unknown {
  const rules = Object.keys(beside).filter((keyword) => !ANNOTATIONS.has(keyword));
  if (Object.keys(beside).length === 0) return target;
  const saysSame = isJsonObject(target) && rules.every((keyword) => keyword === "type" && target[keyword] === beside[keyword]);
  if (saysSame) return { ...target, ...beside };
  return { ...beside, allOf: [...(Array.isArray(beside["allOf"]) ? beside["allOf"] : []), target] };
}
