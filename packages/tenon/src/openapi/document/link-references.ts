/**
 * Finds what the references of a document can point to by a URL: documents, schemas with an `$id`, and `$anchor`s.
 *
 * A reference is relative to the nearest `$id` around it, or else to its document. So a reference below an `$id`, or in another
 * document than the main one, is written as a whole URL. Objects are copied where something in them changes, and only there.
 */
import { isJsonObject, setMember, type JsonObject } from "../../jsonrpc/message.ts";
import { memberOf } from "./values.ts";

/** The URL of a document whose URL is unknown. It is never read. */
export const UNKNOWN_URL = "document:/";

/** What was found in all documents. */
export interface Links {
  /** Documents and schemas with an `$id` by their URLs, without fragments. */
  readonly named: Map<string, unknown>;
  /** Schemas with an `$anchor`, by the URL of their document and `#anchor`. */
  readonly anchors: Map<string, unknown>;
  /** The URLs of documents that references name. */
  readonly wanted: Set<string>;
}

/** Members whose keys are names, so that `$ref`, `$id` and `example` in them are names too. */
const MAPS: ReadonlySet<string> = new Set([
  ...[
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
    "paths",
    "webhooks",
    "callbacks",
    "pathItems",
    "content",
  ],
  ...["schemas", "responses", "parameters", "requestBodies", "headers", "securitySchemes", "links", "encoding", "mediaTypes"],
]);
/** Members that hold values of the API: a `$ref` in them is data. */
const DATA: ReadonlySet<string> = new Set(["example", "examples", "default", "const", "enum"]);

interface Scope {
  /** What references are relative to. */
  readonly base: string;
  /** Whether references are written as whole URLs. */
  readonly isRewritten: boolean;
}

/** Adds a document to `links`. Returns it, or its copy if references in it were changed. */
export function linkReferences(root: JsonObject, url: string, links: Links, isMain: boolean): JsonObject {
  const linked = linkValue(root, { base: url, isRewritten: !isMain }, links, false) as JsonObject; // an object stays one
  if (isMain || !links.named.has(url)) links.named.set(url, linked);
  return linked;
}

function linkValue(value: unknown, scope: Scope, links: Links, isMap: boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => linkValue(item, scope, links, false));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  if (isMap) return changed(value, (key) => linkValue(value[key], scope, links, false));
  const inner = scopeOf(value, scope);
  const linked = changed(value, (key) => linkMember(key, value[key], inner, links));
  if (inner !== scope && !links.named.has(inner.base)) links.named.set(inner.base, linked);
  const anchor = memberOf(value, "$anchor");
  if (typeof anchor === "string") links.anchors.set(`${inner.base}#${anchor}`, linked);
  return linked;
}

function linkMember(key: string, member: unknown, scope: Scope, links: Links): unknown {
  if (key === "$ref" && typeof member === "string") return linkReference(member, scope, links);
  if (DATA.has(key)) return member;
  if (key === "mapping" && isJsonObject(member)) return changed(member, (name) => linkMapping(member[name], scope, links));
  return linkValue(member, scope, links, MAPS.has(key));
}

/** The object, or a copy if `linkOf` changes a member. */
function changed(object: JsonObject, linkOf: (key: string) => unknown): JsonObject {
  let copy: JsonObject | undefined;
  for (const key of Object.keys(object)) {
    const linked = linkOf(key);
    if (linked === object[key]) continue;
    copy ??= { ...object };
    setMember(copy, key, linked);
  }
  return copy ?? object;
}

function scopeOf(schema: JsonObject, scope: Scope): Scope {
  const id = memberOf(schema, "$id");
  if (typeof id !== "string" || id.startsWith("#") || !URL.canParse(id, scope.base)) return scope;
  return { base: placeOf(id, scope.base)!, isRewritten: true };
}

function linkReference(ref: string, { base, isRewritten }: Scope, links: Links): string {
  const place = placeOf(ref, base);
  if (place === undefined) return ref;
  links.wanted.add(place);
  return isRewritten ? `${place}${ref.includes("#") ? ref.slice(ref.indexOf("#")) : ""}` : ref;
}

/** The mapping of a discriminator names a schema by a reference or by its name in `components`. */
function linkMapping(target: unknown, scope: Scope, links: Links): unknown {
  return typeof target === "string" && /[#/]|\.(?:json|ya?ml)$/.test(target) ? linkReference(target, scope, links) : target;
}

/** The whole URL of what a reference points to, without its fragment; undefined if it is not a URL. */
export function placeOf(ref: string, base: string): string | undefined {
  const [place = ""] = ref.split("#", 1);
  if (place === "") return base;
  if (!URL.canParse(place, base)) return undefined;
  const url = new URL(place, base);
  url.hash = "";
  return url.href;
}
