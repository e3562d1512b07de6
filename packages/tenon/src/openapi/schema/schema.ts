/**
 * Builds the JSON Schema of one tool from schemas of a document: what an operation reaches is copied into `$defs`, cycles included.
 *
 * Each schema of the document is copied once, and references become references to the copy; `written-out.ts` puts the copies in their
 * place. A property that only the other direction has (`readOnly` in arguments, `writeOnly` in results) is left out.
 */
import { isJsonObject, setMember, type JsonObject } from "../../jsonrpc/message.ts";
import { namesType } from "../../schema/value-keywords.ts";
import { mendSchema } from "../../schema/mend-schema.ts";
import type { OpenApiDocument } from "../document/document.ts";
import { withTags } from "./discriminator.ts";
import { copyKeywords, LIST_KEYWORDS, MAP_KEYWORDS, mapSchemas, PatternBudget, requiredOf, SCHEMA_KEYWORDS } from "./keywords.ts";
import { withDecimalText } from "./wide-integers.ts";
import { upgradeSchema } from "./old-schema.ts";
import { writtenOut } from "./written-out.ts";
import { memberOf, objectIn, shortened } from "../document/values.ts";

/** How deep schemas nest between two references: the validator takes 64, and the rest of the tool's schema needs some. */
const MAX_NESTING = 40;
/** How many levels of `allOf` are searched for properties that are left out. */
const MAX_PARENTS = 8;

const MAX_NOTES = 5;

export interface SchemaBuilderOptions {
  /** Whether the schema is of arguments and not of a result. */
  readonly forInput: boolean;
  /** Levels of schemas that are copied, references included. What lies deeper becomes `{}`. */
  readonly maxLevels: number;
  /** Most characters of the schema; more throw {@link TooLargeError}. */
  readonly maxSize: number;
  /** What is known of the document's patterns. */
  readonly patterns: Map<string, boolean>;
}

/** A schema that is larger than its limit. It is built again with fewer levels. */
export class TooLargeError extends Error {
  override name = "TooLargeError";
}

interface PendingSchema {
  readonly name: string;
  readonly schema: unknown;
  readonly level: number;
}

export class SchemaBuilder {
  /** Whether a part was replaced by `{}`. */
  isReduced = false;
  /** What was wrong with the document's schemas. */
  readonly notes: Set<string> = new Set();
  readonly #document: OpenApiDocument;
  readonly #options: SchemaBuilderOptions;
  readonly #budget: PatternBudget;
  /** Names in `$defs` by the reference in the document. */
  readonly #names = new Map<string, string>();
  readonly #waiting: PendingSchema[] = [];
  #size = 0;

  constructor(document: OpenApiDocument, options: SchemaBuilderOptions) {
    this.#document = document;
    this.#options = options;
    this.#budget = new PatternBudget(options.patterns);
  }

  /** The copies of all schemas that were referred to, for `$defs`; undefined if there are none. */
  definitions(): JsonObject | undefined {
    const definitions: JsonObject = {};
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      setMember(definitions, next.name, this.convert(next.schema, next.level));
    return this.#names.size === 0 ? undefined : definitions;
  }

  /** The copy of a schema. `hidden` are properties that a schema around it leaves out. @throws UnmappableError, TooLargeError */
  convert(source: unknown, level = 0, hidden: ReadonlySet<string> = new Set(), nesting = 0): JsonObject | boolean {
    if (typeof source === "boolean") return source;
    if (!isJsonObject(source)) return {};
    if (level > this.#options.maxLevels || nesting > MAX_NESTING) return this.#leftOut();
    const schema = this.#mended(upgradeSchema(source, this.#document.isOldDialect));
    const unseen = new Set([...hidden, ...this.#unseenIn(schema, 0)]);
    const copied = withDecimalText(copyKeywords(schema, { patterns: this.#budget, forInput: this.#options.forInput }), schema);
    this.#count(copied);
    if (typeof schema["$ref"] === "string") copied["$ref"] = this.#nameOf(schema["$ref"], level);
    const inner = (each: unknown): JsonObject | boolean => this.convert(each, level + 1, undefined, nesting + 1);
    const branch = (each: unknown): JsonObject | boolean => this.convert(each, level, unseen, nesting + 1);
    this.#copySchemas(copied, withTags(schema, this.#document), { unseen, inner, branch });
    const required = requiredOf(schema, unseen);
    if (required.length > 0) copied["required"] = required;
    if (namesType(copied, "array") && copied["items"] === undefined && copied["prefixItems"] === undefined) copied["items"] = {};
    return copied;
  }

  #mended(given: JsonObject): JsonObject {
    const { schema, changes } = mendSchema(given, (reference) => this.#document.resolve(reference));
    for (const { keyword, action, from } of changes) {
      if (this.notes.size >= MAX_NOTES) break;
      if (from === undefined) continue; // the property that is required has a note of its own
      const what = `${keyword}: ${shortened(JSON.stringify(from) ?? "", 60)}`;
      this.notes.add(action === "dropped" ? `its schema has ${what}, which is left out` : `its schema has ${what}, which is rewritten`);
    }
    return schema;
  }

  #copySchemas(
    copied: JsonObject,
    schema: JsonObject,
    { unseen, inner, branch }: { unseen: ReadonlySet<string>; inner: (each: unknown) => unknown; branch: (each: unknown) => unknown },
  ): void {
    for (const keyword of SCHEMA_KEYWORDS) {
      const argument = schema[keyword];
      if (keyword === "additionalProperties" && argument === false && Array.isArray(schema["allOf"])) continue; // it excludes what the parts have
      if (isJsonObject(argument) || typeof argument === "boolean") copied[keyword] = inner(argument);
    }
    for (const keyword of LIST_KEYWORDS) {
      const argument = schema[keyword];
      if (!Array.isArray(argument) || argument.length === 0) continue;
      const parts = keyword === "allOf" ? argument.map((part) => this.#opened(part)) : argument;
      copied[this.#shownAs(keyword, schema)] = parts.map(keyword === "prefixItems" ? inner : branch);
    }
    for (const keyword of MAP_KEYWORDS) {
      const mapped = mapSchemas(schema[keyword], (each, name) => {
        if (keyword === "properties" && unseen.has(name)) return undefined;
        if (keyword === "patternProperties" && !this.#budget.admits(name)) return undefined;
        this.#count(name);
        return inner(each);
      });
      if (mapped !== undefined) copied[keyword] = mapped;
    }
  }

  /** A part of an `allOf`. One that is closed would exclude the members of the others. */
  #opened(part: unknown): unknown {
    const target = this.#document.follow(part);
    return target?.["additionalProperties"] === false ? { ...target, additionalProperties: undefined } : part;
  }

  /** An argument that fits two choices is one that the API takes: documents say `oneOf` and mean `anyOf`. */
  #shownAs(keyword: (typeof LIST_KEYWORDS)[number], schema: JsonObject): string {
    return keyword === "oneOf" && this.#options.forInput && schema["anyOf"] === undefined ? "anyOf" : keyword;
  }

  /** The names of properties that belong to the other direction, also in the schemas of `allOf`. */
  #unseenIn(schema: JsonObject, depth: number): readonly string[] {
    const mark = this.#options.forInput ? "readOnly" : "writeOnly";
    const properties = objectIn(schema, "properties");
    const own = Object.keys(properties).filter((name) => this.#isMarked(properties[name], mark));
    const { allOf } = schema;
    if (!Array.isArray(allOf) || depth > MAX_PARENTS) return own;
    const inherited = allOf.flatMap((branch) => this.#unseenIn(this.#document.follow(branch) ?? {}, depth + 1));
    return [...own, ...inherited];
  }

  #isMarked(property: unknown, mark: string): boolean {
    return (
      memberOf(property, mark) === true ||
      (typeof memberOf(property, "$ref") === "string" && memberOf(this.#document.follow(property), mark) === true)
    );
  }

  /** The reference to the copy of what a reference points to. */
  #nameOf(ref: string, level: number): string {
    let name = this.#names.get(ref);
    if (name === undefined) {
      const target = this.#document.resolve(ref);
      name = this.#freeName(ref);
      this.#names.set(ref, name);
      this.#waiting.push({ name, schema: isReferenceTo(target, ref) ? {} : target, level: level + 1 });
    }
    return `#/$defs/${name}`;
  }

  /** The last part of the reference (`Pet` of `#/components/schemas/Pet`, `#Pet` and `pet.yaml#/Pet`), and a number if another reference ends so too. */
  #freeName(ref: string): string {
    const last =
      ref.slice(Math.max(ref.lastIndexOf("/"), ref.lastIndexOf("#")) + 1).replace(/~1|~0|%[0-9A-Fa-f]{2}|[^A-Za-z0-9._-]/g, "_") ||
      "schema";
    const taken = new Set(this.#names.values());
    for (let name = last, number = 2; ; name = `${last}-${number++}`) if (!taken.has(name) && name !== "__proto__") return name;
  }

  #leftOut(): JsonObject {
    this.isReduced = true;
    return { description: "See the documentation of the API." };
  }

  #count(value: unknown): void {
    this.#size += JSON.stringify(value).length;
    if (this.#size > this.#options.maxSize) throw new TooLargeError();
  }
}

/** Whether a schema is nothing but a reference to itself, which has no meaning. */
function isReferenceTo(schema: unknown, ref: string): boolean {
  return memberOf(schema, "$ref") === ref;
}

/** Most levels first: a schema that is too large loses its deepest parts. */
const LEVELS = [64, 12, 8, 6, 5, 4, 3, 2, 1] as const;

/** Builds a schema with as many levels as fit into `maxSize` characters. */
export function buildWithin(
  document: OpenApiDocument,
  options: Omit<SchemaBuilderOptions, "maxLevels">,
  build: (builder: SchemaBuilder) => JsonObject,
): { readonly schema: JsonObject; readonly isReduced: boolean; readonly notes: readonly string[] } {
  for (const maxLevels of LEVELS) {
    const builder = new SchemaBuilder(document, { ...options, maxLevels });
    try {
      const schema = build(builder);
      const definitions = builder.definitions();
      const whole = definitions === undefined ? schema : { ...schema, $defs: definitions };
      if (JSON.stringify(whole).length <= options.maxSize)
        return { schema: writtenOut(whole, options.maxSize), isReduced: builder.isReduced, notes: [...builder.notes] };
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error;
    }
  }
  const builder = new SchemaBuilder(document, { ...options, maxLevels: -1, maxSize: Infinity });
  return { schema: build(builder), isReduced: true, notes: [] };
}
