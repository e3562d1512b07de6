/**
 * Rewrites one JSON Schema so that a profile accepts it, node by node. `../adapt-schema.ts` is the way in, and
 * treats the root.
 *
 * A note tells of each change. "rewritten": the same values match. "described" and "dropped": more values match, and the server still
 * checks the rest.
 */
import { isJsonObject, setMember, type JsonObject } from "../../jsonrpc/message.ts";
import { isOfType, namesType } from "../../schema/value-keywords.ts";
import { mendSchema } from "../../schema/mend-schema.ts";
import type { Undo } from "../../schema/restore-arguments.ts";
import { ShownKeys } from "../../schema/shown-keys.ts";
import { mergeAll } from "./merge.ts";
import { targetOf } from "../../base/json-pointer.ts";
import type { ModelProfile } from "./profile.ts";
import { describeAlso, inWords } from "./words.ts";

/** One change that a schema needed. */
export interface SchemaNote {
  /** Where in the schema: a JSON Pointer, such as `/properties/city`. */
  readonly path: string;
  /** The keyword that the model's API does not accept. */
  readonly keyword: string;
  /** `"rewritten"`: the same values match. `"described"`: the rule moved into the description. `"dropped"`: the model does not see it. */
  readonly action: "rewritten" | "described" | "dropped";
  /** What stood there. */
  readonly from: unknown;
}

const MAX_NODES = 10_000;
/** How often one reference may contain itself before it is cut. */
const MAX_CYCLES = 3;
/** Keywords that limit nothing and that models do not need. */
const SILENT =
  /^(?:\$schema|\$id|\$comment|\$anchor|\$vocabulary|\$defs|definitions|title|examples|deprecated|readOnly|writeOnly|content.*)$/;
/** Keywords that `#node` treats by name. */
const TREATED = new Set(["type", "description", "enum", "properties", "required", "items", "anyOf", "oneOf", "allOf", "$ref", "nullable"]);
/** Keywords that limit values and have no words. */
const LIMITING = new Set(["if", "then", "else", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "dependencies"]);
const LIMITING_TOO = ["minContains", "maxContains", "additionalItems", "$dynamicRef", "patternProperties", "propertyNames", "contains"];

interface WalkPlace {
  readonly path: string;
  readonly depth: number;
  readonly refs: readonly string[];
}

export class SchemaAdapter {
  readonly notes: SchemaNote[] = [];
  readonly undo: WeakMap<JsonObject, Undo> = new WeakMap();
  readonly defs: Map<string, JsonObject> = new Map();
  /** False if the schema has no form in a strict mode. */
  strictPossible = true;
  readonly #root: JsonObject;
  readonly #profile: ModelProfile;
  readonly #names = new Map<string, string>();
  readonly #keys: ShownKeys;
  #nodes = 0;

  constructor(root: JsonObject, profile: ModelProfile) {
    this.#root = root;
    this.#profile = profile;
    this.#keys = new ShownKeys(root, profile.parameterNames);
  }

  note(path: string, keyword: string, action: SchemaNote["action"], from: unknown): void {
    this.notes.push({ path, keyword, action, from });
  }

  node(given: unknown, place: WalkPlace): JsonObject {
    if (given === undefined || given === true) return this.#any();
    if (!isJsonObject(given) || ++this.#nodes > MAX_NODES || place.depth > this.#profile.maxDepth) return this.#cut(given, place);
    const { schema, changes } = mendSchema(given, (reference) => targetOf(this.#root, reference));
    for (const { keyword, action, from } of changes) this.note(place.path, keyword, action, from);
    if ("$ref" in schema) return this.#reference(schema, place);
    if (Array.isArray(schema["allOf"]) && !this.#profile.allOf) return this.node(this.#merged(schema, place), place);
    if (Array.isArray(schema["type"]) && this.#profile.nullability !== "type-array") return this.#typeArray(schema, place);
    return this.#plain(schema, place);
  }

  #any(): JsonObject {
    if (!this.#profile.openMaps) this.strictPossible = false;
    return {};
  }

  #cut(schema: unknown, { path }: WalkPlace): JsonObject {
    this.note(path, "", "dropped", schema === false ? false : "a schema that is too large, too deep or not a schema");
    const type = isJsonObject(schema) && typeof schema["type"] === "string" ? schema["type"] : undefined;
    return type === undefined
      ? this.#any()
      : { type, ...(type === "array" && { items: {} }), ...(type === "object" && { properties: {} }) };
  }

  // ---- references ----

  #reference(schema: JsonObject, place: WalkPlace): JsonObject {
    const { $ref, ...siblings } = schema;
    const target = targetOf(this.#root, $ref);
    const said = Object.keys(siblings).filter((key) => !SILENT.test(key));
    if (!isJsonObject(target)) {
      if (target !== true) this.note(place.path, "$ref", "dropped", $ref);
      return this.node(siblings, place);
    }
    const reference = String($ref); // the target was found by it
    if (this.#profile.refs === "defs" && said.length === 0 && reference !== "#")
      return { $ref: `#/$defs/${this.#define(reference, target, place)}` };
    const turns = place.refs.filter((other) => other === reference).length;
    if (turns >= MAX_CYCLES) return this.#cut(target, place);
    if (turns === 0) this.note(place.path, "$ref", "rewritten", reference);
    const whole = said.length === 0 ? target : { allOf: [target, siblings], ...descriptionOf(siblings, target) };
    return this.node(whole, { ...place, refs: [...place.refs, reference] });
  }

  #define(reference: string, target: JsonObject, { refs }: WalkPlace): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const wished =
      reference
        .split("/")
        .at(-1)!
        .replace(/[^A-Za-z0-9_-]/g, "_") || "_";
    const taken = new Set(this.#names.values());
    let name = wished;
    for (let number = 2; taken.has(name); number++) name = `${wished}${number}`;
    this.#names.set(reference, name);
    this.defs.set(name, this.node(target, { path: `/$defs/${name}`, depth: 1, refs }));
    return name;
  }

  // ---- combinations ----

  #merged(schema: JsonObject, { path, refs }: WalkPlace): JsonObject {
    const { allOf, ...rest } = schema;
    const parts = (allOf as unknown[]).map((part) => this.#followed(part, refs.length)).filter((part) => isJsonObject(part));
    const { schema: whole, exact } = mergeAll([rest, ...parts]);
    if (exact && parts.length === (allOf as unknown[]).length) this.note(path, "allOf", "rewritten", allOf);
    else this.note(path, "allOf", "dropped", allOf);
    return whole;
  }

  /** A part of an `allOf`: the target of its reference, with what stands beside it. */
  #followed(part: unknown, depth: number): unknown {
    if (part === true) return {};
    if (!isJsonObject(part) || !("$ref" in part) || depth > MAX_CYCLES) return part;
    const { $ref, ...siblings } = part;
    const target = targetOf(this.#root, $ref);
    if (!isJsonObject(target)) return target === true ? siblings : undefined;
    const { schema, exact } = mergeAll([siblings, this.#followed(target, depth + 1) as JsonObject]);
    return exact ? schema : undefined;
  }

  /** One schema for each type. */
  #typeArray(schema: JsonObject, place: WalkPlace): JsonObject {
    const { type, description, enum: values, anyOf, ...rest } = schema;
    const types = (type as unknown[]).filter((name) => typeof name === "string");
    this.note(place.path, "type", "rewritten", type);
    const branch = (name: string): JsonObject => ({
      type: name,
      ...(name === "null" ? {} : rest),
      ...(Array.isArray(values) && { enum: values.filter((value) => isOfType(value, name)) }),
      ...(anyOf !== undefined && { anyOf }),
    });
    const branches = types.map(branch).filter(({ enum: left }) => !Array.isArray(left) || left.length > 0);
    const said = description === undefined ? {} : { description };
    if (branches.length === 1) return this.node({ ...branches[0], ...said }, place);
    const others = branches.filter((one) => one["type"] !== "null");
    if (this.#profile.nullability === "nullable" && others.length === 1) {
      const value = this.node({ ...others[0], ...said }, place);
      return this.undoneAs(value, { ...value, nullable: true });
    }
    return { ...said, anyOf: branches.map((one) => this.node(one, { ...place, depth: place.depth + 1 })) };
  }

  // ---- keywords ----

  #plain(given: JsonObject, place: WalkPlace): JsonObject {
    const schema = this.#asItems(given, place);
    const out: JsonObject = {};
    const words: string[] = [];
    if (schema["type"] !== undefined) out["type"] = schema["type"];
    if (Array.isArray(schema["enum"])) out["enum"] = schema["enum"];
    for (const [keyword, value] of Object.entries(schema)) {
      if (!TREATED.has(keyword)) this.#keyword(out, words, { keyword, value, place });
    }
    this.#alternatives(out, words, schema, place);
    if (namesType(schema, "array") || "items" in schema) {
      out["items"] = this.node(schema["items"] ?? {}, below(place, "items"));
    }
    if (namesType(schema, "object") || "properties" in schema) this.#object(out, schema, place);
    const description = describeAlso(schema["description"], words);
    if (description !== undefined) out["description"] = description;
    if (!this.#profile.openMaps && !["type", "enum", "anyOf", "const"].some((key) => key in out)) this.strictPossible = false;
    return out;
  }

  #keyword(out: JsonObject, words: string[], { keyword, value, place }: { keyword: string; value: unknown; place: WalkPlace }): void {
    const { keywords, formats } = this.#profile;
    if (keyword === "additionalProperties" || SILENT.test(keyword)) return;
    if (keyword === "const" && !keywords.has("const")) {
      out["enum"] = [value];
      this.note(place.path, keyword, "rewritten", value);
    } else if (keyword === "dependentRequired" && keywords.has(keyword)) {
      out[keyword] = this.#keys.inNames(value);
    } else if (
      keyword === "format" ? formats === "any" || formats.has(String(value)) : keywords.has(keyword) && isRunnable(keyword, value)
    ) {
      out[keyword] = value;
    } else if (inWords(keyword, value) !== undefined) {
      words.push(inWords(keyword, value)!);
      this.note(place.path, keyword, "described", value);
    } else if (LIMITING.has(keyword) || LIMITING_TOO.includes(keyword) || KNOWN_BY_WORDS.has(keyword)) {
      this.note(place.path, keyword, "dropped", value);
    }
  }

  #alternatives(out: JsonObject, words: string[], schema: JsonObject, place: WalkPlace): void {
    const { anyOf, oneOf, allOf } = schema;
    const adapted = (keyword: string, parts: readonly unknown[]): JsonObject[] =>
      parts.flatMap((part, index) => (part === false ? [] : [this.node(part, below(place, `${keyword}/${index}`))]));
    if (Array.isArray(allOf)) out["allOf"] = adapted("allOf", allOf);
    if (Array.isArray(anyOf)) out["anyOf"] = adapted("anyOf", anyOf);
    if (!Array.isArray(oneOf)) return;
    if (this.#profile.oneOf) out["oneOf"] = adapted("oneOf", oneOf);
    else if (anyOf === undefined) {
      out["anyOf"] = adapted("oneOf", oneOf);
      words.push("matches exactly one of the alternatives");
      this.note(place.path, "oneOf", "described", oneOf);
    } else this.note(place.path, "oneOf", "dropped", oneOf);
  }

  /** Writes the positions of a tuple as alternatives of its items. */
  #asItems(schema: JsonObject, { path }: WalkPlace): JsonObject {
    const { prefixItems, ...rest } = schema;
    const tuple = Array.isArray(schema["items"]) ? schema["items"] : prefixItems;
    if (!Array.isArray(tuple)) return schema;
    this.note(path, tuple === prefixItems ? "prefixItems" : "items", "described", tuple);
    const others = tuple === prefixItems ? schema["items"] : schema["additionalItems"];
    const kinds = [
      ...new Map(
        [...tuple, ...(others === undefined || others === false ? [] : [others])].map((one) => [JSON.stringify(one), one]),
      ).values(),
    ];
    const anything = others === undefined;
    const description = describeAlso(schema["description"], ["the items have a fixed order, as the alternatives say it"]);
    return { ...rest, description, items: anything ? {} : kinds.length === 1 ? kinds[0] : { anyOf: kinds } };
  }

  #object(out: JsonObject, schema: JsonObject, place: WalkPlace): void {
    const { openMaps, allRequired, keywords } = this.#profile;
    const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
    const renamed = new Map<string, string>();
    const optional = new Set<string>();
    const properties: JsonObject = {};
    for (const [name, value] of Object.entries(isJsonObject(schema["properties"]) ? schema["properties"] : {})) {
      const shown = this.#keys.shown(name);
      if (shown !== name) renamed.set(shown, name);
      if (value === false) {
        this.note(`${place.path}/properties/${name}`, "", "dropped", false);
        continue;
      }
      const adapted = this.node(value, below(place, `properties/${name}`));
      const mayBeLeftOut = allRequired && !required.has(name);
      if (mayBeLeftOut) optional.add(shown);
      setMember(properties, shown, mayBeLeftOut ? this.#orNull(adapted) : adapted);
    }
    out["properties"] = properties;
    const named = [...required].map((name) => this.#keys.shown(String(name))).filter((name) => Object.hasOwn(properties, name));
    if (named.length < required.size) this.note(place.path, "required", "dropped", schema["required"]);
    const shownNames = allRequired ? Object.keys(properties) : named;
    if (shownNames.length > 0) out["required"] = shownNames;
    if (optional.size > 0) this.note(place.path, "required", "rewritten", schema["required"] ?? []);
    if (renamed.size > 0) this.note(place.path, "properties", "rewritten", [...renamed.values()]);
    this.undo.set(out, { renamed, optional });
    const { additionalProperties: additional, patternProperties } = schema;
    // The members that patterns allow would be refused without the patterns.
    const additionalProperties = patternProperties === undefined ? additional : undefined;
    if (additional !== additionalProperties) this.note(place.path, "additionalProperties", "dropped", additional);
    if (!openMaps) this.#close(out, schema, place);
    else if (additionalProperties !== undefined && keywords.has("additionalProperties")) {
      out["additionalProperties"] = isJsonObject(additionalProperties)
        ? this.node(additionalProperties, below(place, "additionalProperties"))
        : additionalProperties;
    } else if (additionalProperties !== undefined && additionalProperties !== true) {
      this.note(place.path, "additionalProperties", "dropped", additionalProperties);
    }
  }

  #orNull(schema: JsonObject): JsonObject {
    const { description, ...rest } = schema;
    const { anyOf } = rest;
    if (Array.isArray(anyOf) && Object.keys(rest).length === 1 && (anyOf as JsonObject[]).some(({ type }) => type === "null"))
      return schema;
    return { ...(description !== undefined && { description }), anyOf: [this.undoneAs(schema, rest), { type: "null" }] };
  }

  /** A copy of an adapted schema: its changes are undone like the changes of the original. */
  undoneAs<Copy extends JsonObject>(schema: JsonObject, copy: Copy): Copy {
    const undo = this.undo.get(schema);
    if (undo !== undefined) this.undo.set(copy, undo);
    return copy;
  }

  /** Strict modes: an object has the members that it names. One that is made for others has no strict form. */
  #close(out: JsonObject, { additionalProperties }: JsonObject, { path }: WalkPlace): void {
    const isMap =
      additionalProperties === true || isJsonObject(additionalProperties) || Object.keys(out["properties"] as JsonObject).length === 0;
    if (isMap && additionalProperties !== false) this.strictPossible = false;
    if (additionalProperties === undefined) this.note(path, "additionalProperties", "rewritten", undefined);
    out["additionalProperties"] = false;
  }
}

const KNOWN_BY_WORDS = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"],
  ...["minItems", "maxItems", "minProperties", "maxProperties", "dependentRequired", "not", "prefixItems"],
]);

/** Whether a pattern is one of ECMAScript: APIs refuse others, such as those with `(?i)`. */
function isRunnable(keyword: string, value: unknown): boolean {
  if (keyword !== "pattern") return true;
  try {
    return new RegExp(String(value)) instanceof RegExp;
  } catch {
    return false;
  }
}

function below({ path, depth, refs }: WalkPlace, step: string): WalkPlace {
  return { path: `${path}/${step}`, depth: depth + 1, refs };
}

/** A description beside a reference counts more than the description of its target. */
function descriptionOf({ description }: JsonObject, target: JsonObject): JsonObject {
  const said = description ?? target["description"];
  return said === undefined ? {} : { description: said };
}
