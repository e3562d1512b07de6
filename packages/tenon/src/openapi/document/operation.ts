/**
 * The operations of a document, in its order: each method of each path.
 *
 * Callbacks, webhooks and `trace` are what an API calls or what no tool needs; the report names them as left out.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { OpenApiDocument } from "./document.ts";
import { UnmappableError } from "./errors.ts";
import { memberOf, objectIn, textIn, textsIn } from "./values.ts";

/** One operation of a document, as the hooks `include`, `name` and `map` receive it. */
export interface OpenApiOperation {
  /** The method in upper case: `GET`. */
  readonly method: string;
  /** The path with its variables: `/pets/{petId}`. */
  readonly path: string;
  /** Its `operationId`, if it has one. */
  readonly operationId?: string;
  /** Its tags; empty if it has none. */
  readonly tags: readonly string[];
  /** Its short text. */
  readonly summary?: string;
  /** Its long text. */
  readonly description?: string;
  /** Whether the document marks it as deprecated. */
  readonly deprecated: boolean;
}

/** An operation and where the document describes it. */
export interface FoundOperation {
  readonly operation: OpenApiOperation;
  /** The operation object. */
  readonly source: JsonObject;
  /** The path item, which has parameters and servers for all operations of a path. */
  readonly pathItem: JsonObject;
  /** Why it cannot become a tool, if that is known already. */
  readonly why?: string;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "query", "trace"] as const;

/** The operations of a document, and those that are described but never become tools. */
export function operationsOf(document: OpenApiDocument): FoundOperation[] {
  const paths = objectIn(document.root, "paths");
  const found = Object.keys(paths).flatMap((path) => (path.startsWith("/") ? operationsOn(document, path, paths[path]) : []));
  const webhooks = objectIn(document.root, "webhooks");
  const hooks = Object.keys(webhooks).flatMap((name) => operationsOn(document, name, webhooks[name]));
  return [...found, ...hooks.map((hook) => ({ ...hook, why: "it is a webhook, which the API calls" }))];
}

function operationsOn(document: OpenApiDocument, path: string, item: unknown): FoundOperation[] {
  let pathItem: JsonObject;
  try {
    pathItem = { ...document.follow(item), ...withoutRef(item) };
  } catch (error) {
    if (!(error instanceof UnmappableError)) throw error;
    return [{ operation: describe("*", path, {}), source: {}, pathItem: {}, why: error.message }];
  }
  const more = objectIn(pathItem, "additionalOperations");
  const named = METHODS.flatMap((method) => toOperation(method.toUpperCase(), path, pathItem, memberOf(pathItem, method)));
  return [...named, ...Object.keys(more).flatMap((method) => toOperation(method, path, pathItem, more[method]))];
}

function withoutRef(item: unknown): JsonObject {
  const { $ref: _, ...rest } = typeof item === "object" && item !== null ? (item as JsonObject) : {};
  return rest;
}

function toOperation(method: string, path: string, pathItem: JsonObject, source: unknown): FoundOperation[] {
  if (typeof source !== "object" || source === null) return [];
  const found = { operation: describe(method, path, source as JsonObject), source: source as JsonObject, pathItem };
  const why =
    method === "TRACE" ? "its method is TRACE" : /^[A-Za-z-]{1,32}$/.test(method) ? undefined : "its method is not a token of HTTP";
  return [why === undefined ? found : { ...found, why }];
}

function describe(method: string, path: string, source: JsonObject): OpenApiOperation {
  const [operationId, summary, description] = [textIn(source, "operationId"), textIn(source, "summary"), textIn(source, "description")];
  return {
    method,
    path,
    ...(operationId !== undefined && { operationId }),
    tags: textsIn(source, "tags"),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    deprecated: source["deprecated"] === true,
  };
}

/** The operation in one line, as the report and errors name it: `GET /pets`. */
export function lineOf({ method, path }: OpenApiOperation): string {
  return `${method} ${path}`;
}
