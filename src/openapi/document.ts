/**
 * An OpenAPI document as it was written: parsed within limits, and never dereferenced, because documents have cycles.
 *
 * A reference is followed when it is needed, and only inside the document: nothing here reads a file or a URL.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { OpenApiDocumentError, UnmappableError } from "./errors.ts";
import { memberOf, objectIn, textIn } from "./values.ts";

/** How many references may lead to one another before a value is reached. */
const MAX_CHAIN = 32;

export class OpenApiDocument {
  readonly root: JsonObject;
  /** Whether the document is of version 3.0, whose schemas are not JSON Schema 2020-12. */
  readonly isOldDialect: boolean;
  /** Where the document came from; relative servers are relative to it. */
  readonly url: URL | undefined;
  readonly #self: string | undefined;

  /** @throws OpenApiDocumentError if it is not an OpenAPI document of version 3 */
  constructor(root: unknown, url?: URL) {
    if (!isJsonObject(root)) throw new OpenApiDocumentError("The document is not an object");
    if (memberOf(root, "swagger") !== undefined)
      throw new OpenApiDocumentError(`The document is of Swagger ${String(root["swagger"])}: convert it to OpenAPI 3 first`);
    const version = String(memberOf(root, "openapi"));
    const [, minor] = /^3\.([012])(\.|$|-)/.exec(version) ?? [];
    if (minor === undefined)
      throw new OpenApiDocumentError(`The document must have "openapi": "3.0.x", "3.1.x" or "3.2.x", not ${version}`);
    this.root = root;
    this.isOldDialect = minor === "0";
    this.url = url;
    this.#self = textIn(root, "$self");
  }

  /** The name and the version that the document gives to its API. */
  get info(): { readonly title: string; readonly version: string } {
    const info = objectIn(this.root, "info");
    return { title: textIn(info, "title") ?? "API", version: textIn(info, "version") ?? "1" };
  }

  /** The value that a reference points to. @throws UnmappableError if that is outside the document, or nothing */
  resolve(ref: string): unknown {
    const hash = ref.indexOf("#");
    const place = hash < 0 ? ref : ref.slice(0, hash);
    if (place !== "" && place !== this.#self) throw new UnmappableError(`it refers to ${JSON.stringify(ref)}, which is another document`);
    let current: unknown = this.root;
    for (const key of keysOf(hash < 0 ? "" : ref.slice(hash + 1), ref)) {
      current = Array.isArray(current) && /^\d+$/.test(key) ? current[Number(key)] : memberOf(current, key);
      if (current === undefined) throw new UnmappableError(`its reference ${JSON.stringify(ref)} points to nothing`);
    }
    return current;
  }

  /** Follows the references that an object may be instead of a value; undefined if there is not an object at their end. */
  follow(value: unknown): JsonObject | undefined {
    let current = value;
    for (let steps = 0; steps < MAX_CHAIN; steps++) {
      const ref = memberOf(current, "$ref");
      if (typeof ref !== "string") return isJsonObject(current) ? current : undefined;
      current = this.resolve(ref);
    }
    throw new UnmappableError(`its reference ${JSON.stringify(memberOf(value, "$ref"))} leads to itself`);
  }
}

/** The keys of a JSON pointer. */
function keysOf(fragment: string, ref: string): readonly string[] {
  if (fragment === "") return [];
  if (!fragment.startsWith("/")) throw new UnmappableError(`its reference ${JSON.stringify(ref)} is not a path in the document`);
  return fragment
    .slice(1)
    .split("/")
    .map((token) => decoded(token).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token; // a percent sign that is not an escape means itself
  }
}
