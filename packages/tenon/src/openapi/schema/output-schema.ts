/**
 * The loose schema of a result: names and types to a depth of four, where every value may be null.
 *
 * APIs return what their documents do not say: null, new values, missing members. A call that succeeded must not fail because of
 * that, so the schema asks for nothing, and a value of another type is null in the data; the text of the result has it.
 */
import { isJsonObject, setMember, type JsonObject } from "../../jsonrpc/message.ts";
import { isOfType } from "../../schema/value-keywords.ts";
import type { OpenApiDocument } from "../document/document.ts";
import { withDecimalText } from "./wide-integers.ts";
import { upgradeSchema } from "./old-schema.ts";
import { listIn, memberOf, objectIn } from "../document/values.ts";

const MAX_DEPTH = 4;
const SCALARS: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/** A loose schema with an object at its root: the value's schema, or the schema of `{ result: value }`. */
export interface LooseSchema {
  readonly schema: JsonObject;
  /** Whether the value is the member `result`. */
  readonly isWrapped: boolean;
}

/** The loose schema of a response, of at most `maxSize` characters. */
export function looseSchema(document: OpenApiDocument, source: unknown, maxSize: number): LooseSchema {
  for (let depth = MAX_DEPTH; depth > 0; depth--) {
    const loose = new LooseSchemas(document, maxSize).loosen(source, depth);
    if (loose === undefined) continue; // too large
    const found = toRoot(loose);
    if (JSON.stringify(found.schema).length <= maxSize) return found;
  }
  return { schema: { type: "object" }, isWrapped: false };
}

function toRoot(loose: JsonObject): LooseSchema {
  const { type, ...rest } = loose;
  if (Array.isArray(type) && type[0] === "object") return { schema: { type: "object", ...rest }, isWrapped: false };
  if (type === undefined) return { schema: { type: "object" }, isWrapped: false };
  return { schema: { type: "object", properties: { result: loose } }, isWrapped: true };
}

class LooseSchemas {
  readonly #document: OpenApiDocument;
  #left: number;

  constructor(document: OpenApiDocument, maxSize: number) {
    this.#document = document;
    this.#left = maxSize;
  }

  /** The loose form of a schema; undefined if it becomes too large. */
  loosen(source: unknown, depth: number): JsonObject | undefined {
    const followed = this.#document.follow(source) ?? {};
    const schema = upgradeSchema(followed, this.#document.isOldDialect);
    this.#left -= 30;
    if (this.#left < 0) return undefined;
    if (depth === 0) return {};
    const branch = onlyBranch(schema);
    if (branch !== undefined) return this.loosen(branch, depth);
    const type =
      typeOf(schema) ??
      listIn(schema, "allOf")
        .map((branch) => typeOf(this.#document.follow(branch) ?? {}))
        .find(Boolean);
    if (type === "object") return this.#object(schema, depth);
    if (type === "array") {
      const items = this.loosen(schema["items"], depth - 1);
      return items && { type: ["array", "null"], items };
    }
    const { type: types = [type] } = withDecimalText({}, schema);
    return type === undefined ? {} : { type: [...[types].flat().filter((name) => name !== "null"), "null"] };
  }

  #object(schema: JsonObject, depth: number): JsonObject | undefined {
    const properties: JsonObject = {};
    for (const [name, property] of this.#propertiesOf(schema, 0)) {
      if (memberOf(property, "writeOnly") === true) continue;
      this.#left -= name.length;
      const loose = this.loosen(property, depth - 1);
      if (loose === undefined) return undefined;
      setMember(properties, name, loose);
    }
    return Object.keys(properties).length === 0 ? { type: ["object", "null"] } : { type: ["object", "null"], properties };
  }

  /** The properties of an object and of the schemas in its `allOf`. */
  #propertiesOf(schema: JsonObject, depth: number): readonly (readonly [string, unknown])[] {
    const parents = depth > 8 ? [] : listIn(schema, "allOf");
    return [
      ...parents.flatMap((parent) => this.#propertiesOf(this.#document.follow(parent) ?? {}, depth + 1)),
      ...Object.entries(objectIn(schema, "properties")),
    ];
  }
}

/** The one schema of a choice that is not null, or of an `allOf` with one member. */
function onlyBranch(schema: JsonObject): unknown {
  if (isJsonObject(schema["properties"])) return undefined;
  const branches = [...listIn(schema, "allOf"), ...listIn(schema, "anyOf"), ...listIn(schema, "oneOf")].filter(
    (each) => memberOf(each, "type") !== "null",
  );
  return branches.length === 1 ? branches[0] : undefined;
}

/** The one type of a schema beside null; undefined if it has several or does not say. */
function typeOf(schema: JsonObject): string | undefined {
  const types = [schema["type"]].flat().filter((type) => type !== "null");
  const [type] = types;
  if (types.length === 1 && (SCALARS.has(type) || type === "array" || type === "object")) return type as string;
  if (types.length > 1 || type !== undefined) return undefined;
  return isJsonObject(schema["properties"]) ? "object" : undefined;
}

/** The value with null in place of what does not fit a loose schema, and whether anything was replaced. */
export function fitLoose(value: unknown, schema: JsonObject): { readonly value: unknown; readonly isChanged: boolean } {
  let isChanged = false;
  const fit = (each: unknown, by: JsonObject): unknown => {
    const types = [by["type"] ?? []].flat();
    if (types.length === 0 || each === null) return each;
    if (!types.some((type) => isOfType(each, type))) {
      isChanged = true;
      return null;
    }
    if (Array.isArray(each)) return each.map((item) => fit(item, objectIn(by, "items")));
    if (!isJsonObject(each) || !isJsonObject(by["properties"])) return each;
    const fitted: JsonObject = {};
    for (const name of Object.keys(each)) setMember(fitted, name, fit(each[name], objectIn(by["properties"], name)));
    return fitted;
  };
  return { value: fit(value, schema), isChanged };
}
