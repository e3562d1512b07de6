/**
 * One schema with everything it can refer to: its anchors, its embedded resources, and nothing else.
 *
 * Security: there is no code to load a document, so a `$ref` to a network address cannot be followed; it makes the schema invalid.
 */
import { percentDecoded } from "../base/bytes.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Dialect } from "./dialect.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";
import { subschemasIn } from "./schema-structure.ts";

/** The base URI of a schema without `$id`. Reserved by RFC 6761, and never connected to. */
const ROOT_URI = "https://schema.invalid/";

export class SchemaDocument {
  readonly dialect: Dialect;
  /** The resource of each schema object. */
  readonly #bases = new Map<object, string>();
  readonly #resources = new Map<string, JsonObject>();
  readonly #anchors = new Map<string, JsonObject>();
  /** How many resources declare a dynamic anchor of that name (`""` for `$recursiveAnchor`). */
  readonly #dynamic = new Map<string, number>();

  readonly #root: JsonObject;

  constructor(root: JsonObject, dialect: Dialect) {
    this.dialect = dialect;
    this.#root = root;
  }

  /** @throws InvalidSchemaError if it points outside the document or to nothing */
  resolve(from: JsonObject, ref: unknown, location: string): unknown {
    if (typeof ref !== "string") throw new InvalidSchemaError("must be a string", location);
    if (this.#resources.size === 0) {
      // Built at the first reference: most schemas have none, and need no index.
      this.#resources.set(ROOT_URI, this.#root);
      this.#index(this.#root, ROOT_URI);
    }
    const hash = ref.indexOf("#");
    const uri = hash < 0 ? ref : ref.slice(0, hash);
    const base = this.#bases.get(from) ?? ROOT_URI;
    const target = uri === "" ? base : absolute(uri, base);
    const resource = target === undefined ? undefined : this.#resources.get(target);
    if (target === undefined || resource === undefined) {
      throw new InvalidSchemaError(`"${ref}" is not part of this schema, and references are never fetched`, location);
    }
    const found = this.#inResource(resource, target, hash < 0 ? "" : percentDecoded(ref.slice(hash + 1)));
    if (found === undefined) throw new InvalidSchemaError(`"${ref}" points at nothing`, location);
    return found;
  }

  /**
   * Resolves `$dynamicRef` and `$recursiveRef`, which equal `$ref` if only one resource declares the anchor.
   * @throws InvalidSchemaError if several do, because then the path of the validation would decide
   */
  resolveDynamic(from: JsonObject, ref: unknown, location: string): unknown {
    const found = this.resolve(from, ref, location);
    const name = isJsonObject(found) ? (found["$recursiveAnchor"] === true ? "" : found["$dynamicAnchor"]) : undefined;
    if (typeof name === "string" && (this.#dynamic.get(name) ?? 0) > 1) {
      throw new InvalidSchemaError("dynamic references with several targets are not supported", location);
    }
    return found;
  }

  #inResource(resource: JsonObject, base: string, fragment: string | undefined): unknown {
    if (fragment === undefined) return undefined;
    if (fragment === "") return resource;
    if (!fragment.startsWith("/")) return this.#anchors.get(`${base}#${fragment}`);
    let current: unknown = resource;
    let currentBase = base;
    for (const token of fragment.slice(1).split("/")) {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
      current = (current as JsonObject)[key]; // an object or an array, and the key is its own
      if (isJsonObject(current)) currentBase = this.#bases.get(current) ?? currentBase;
    }
    // A place that holds no schema by its keyword, but is used as one by this reference.
    if (isJsonObject(current) && !this.#bases.has(current)) this.#index(current, currentBase);
    return current;
  }

  #index(schema: unknown, outer: string): void {
    if (!isJsonObject(schema) || this.#bases.has(schema)) return;
    const base = this.#enter(schema, outer);
    this.#bases.set(schema, base);
    for (const keyword in schema) for (const each of subschemasIn(keyword, schema[keyword])) this.#index(each, base);
  }

  /** Records the names that a schema gives itself; returns the base URI of its references. */
  #enter(schema: JsonObject, outer: string): string {
    const { $id, $anchor, $dynamicAnchor } = schema;
    let base = outer;
    if (typeof $id === "string" && !(this.dialect <= 7 && "$ref" in schema)) {
      const [uri = "", name] = $id.split("#", 2);
      if (uri !== "") {
        base = absolute(uri, outer) ?? outer;
        this.#declare(this.#resources, base, schema);
      }
      if (name !== undefined && name !== "" && this.dialect <= 7) this.#declare(this.#anchors, `${base}#${name}`, schema);
    }
    if (typeof $anchor === "string") this.#declare(this.#anchors, `${base}#${$anchor}`, schema);
    if (typeof $dynamicAnchor === "string") {
      this.#declare(this.#anchors, `${base}#${$dynamicAnchor}`, schema);
      this.#dynamic.set($dynamicAnchor, (this.#dynamic.get($dynamicAnchor) ?? 0) + 1);
    }
    if (schema["$recursiveAnchor"] === true) this.#dynamic.set("", (this.#dynamic.get("") ?? 0) + 1);
    return base;
  }

  #declare(names: Map<string, JsonObject>, name: string, schema: JsonObject): void {
    if ((names.get(name) ?? schema) !== schema) throw new InvalidSchemaError(`"${name.replace(ROOT_URI, "")}" is declared twice`);
    names.set(name, schema);
  }
}

function absolute(uri: string, base: string): string | undefined {
  return URL.canParse(uri, base) ? new URL(uri, base).href : undefined;
}
