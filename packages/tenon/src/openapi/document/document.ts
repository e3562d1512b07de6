/**
 * An OpenAPI document as it was written: parsed within limits, and never dereferenced, because documents have cycles.
 *
 * A reference is followed when it is needed.
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { OpenApiDocumentError, UnmappableError } from "./errors.ts";
import { References } from "./references.ts";
import { memberOf, objectIn, textIn } from "./values.ts";

/** How many references may lead to one another before a value is reached. */
const MAX_CHAIN = 32;

export class OpenApiDocument {
  readonly root: JsonObject;
  readonly references: References;
  /** Whether the document is of version 3.0, whose schemas are not JSON Schema 2020-12. */
  readonly isOldDialect: boolean;
  /** Where the document came from, if that is a URL of HTTP; relative servers are relative to it. */
  readonly url: URL | undefined;

  /**
   * @param url where the document came from, if that is known
   * @throws OpenApiDocumentError if it is not an OpenAPI document of version 3
   */
  constructor(root: unknown, url?: URL) {
    if (typeof root === "string")
      throw new OpenApiDocumentError("The text is no document: pass the text of the file itself, or the URL of a document on the web");
    if (!isJsonObject(root)) throw new OpenApiDocumentError("The document is not an object");
    if (memberOf(root, "swagger") !== undefined)
      throw new OpenApiDocumentError(`The document is of Swagger ${String(root["swagger"])}: convert it to OpenAPI 3 first`);
    const version = String(memberOf(root, "openapi"));
    const [, minor] = /^3\.([012])(\.|$|-)/.exec(version) ?? [];
    if (minor === undefined)
      throw new OpenApiDocumentError(`The document must have "openapi": "3.0.x", "3.1.x" or "3.2.x", not ${version}`);
    const self = textIn(root, "$self");
    this.references = new References(root, self !== undefined && URL.canParse(self, url?.href) ? new URL(self, url?.href) : url);
    this.root = this.references.root;
    this.isOldDialect = minor === "0";
    this.url = url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
  }

  get info(): { readonly title: string; readonly version: string } {
    const info = objectIn(this.root, "info");
    return { title: textIn(info, "title") ?? "API", version: textIn(info, "version") ?? "1" };
  }

  /** The value that a reference points to. @throws UnmappableError if that is a document that was not read, or nothing */
  resolve(ref: string): unknown {
    return this.references.find(ref);
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
