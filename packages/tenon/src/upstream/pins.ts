/**
 * What is pinned of a server: everything that a model reads before a call, that decides what a call does, or that a host shows. One
 * digest of each, wherever servers are joined.
 *
 * A server may turn malicious after its approval. So what has changed is withheld until it is approved again.
 */
import { hashed } from "../base/hash.ts";
import { canonicalJson } from "../base/json-values.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { isView } from "../session/uris.ts";
import { KIND_ROWS, type Kind } from "./listing.ts";

/**
 * What is pinned of a server. Tools and prompts are pinned as they are listed; `resource` is the listed entry of a page that hosts show, with
 * what it may do, `page` is what such a page has in it, and `instructions` is what a server says of itself to models.
 */
export type PinnedKind = "tool" | "prompt" | "resource" | "page" | "instructions";

/** Most definitions that are remembered, so that a server that keeps inventing names does not fill the memory. */
export const MAX_PINS = 100_000;
/** Members that a model reads, that decide what a call does, or that give a page its rights. */
const PINNED_MEMBERS: Readonly<Record<PinnedKind, readonly string[]>> = {
  tool: ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution"],
  prompt: ["name", "title", "description", "arguments"],
  resource: ["uri", "mimeType"],
  page: ["mimeType"],
  instructions: ["text"],
};
/** Members of `_meta` that decide which page a host shows with a result, and what that page may do. */
const PINNED_META = ["ui", "ui/resourceUri"];
const PAGE_TYPE = /^text\/html\s*;.*profile\s*=\s*"?mcp-app/i;

/** Under what something is pinned: a tool under its name, the others under their kind and their name or URI. */
export function pinKeyOf(kind: PinnedKind, name: string): string {
  return kind === "tool" ? name : `${kind}:${name}`;
}

/** Which kind of pin an entry of a list has; undefined for entries that are not pinned. */
export function pinnedKindOf(kind: Kind, item: object): PinnedKind | undefined {
  if (kind === "tool" || kind === "prompt") return kind;
  const { [KIND_ROWS[kind].id]: uri } = item as JsonObject; // an entry of a list
  return kind === "resource" && isView(String(uri)) ? "resource" : undefined;
}

/** What is pinned of an entry of a list, or of instructions as `{ text }`. Only a tool does without its kind: its digest is older than kinds. */
export function definitionOf(kind: PinnedKind, item: JsonObject): JsonObject {
  const { _meta: meta } = item;
  const view = isJsonObject(meta) && kind !== "prompt" ? picked(meta, PINNED_META) : {};
  const members = { ...picked(item, PINNED_MEMBERS[kind]), ...(Object.keys(view).length > 0 && { _meta: view }) };
  return kind === "tool" ? members : { kind, ...members };
}

/**
 * What is pinned of a page, from the result of `resources/read`: the digest of each text, and what the page may do. Undefined if the result
 * is no page that hosts show.
 */
export async function pageDefinitionOf(uri: string, result: object): Promise<JsonObject | undefined> {
  const { contents } = result as JsonObject; // a result
  if (!Array.isArray(contents)) return undefined;
  const parts = contents.filter(isJsonObject);
  if (!isView(uri) && !parts.some(({ mimeType }) => PAGE_TYPE.test(String(mimeType)))) return undefined;
  return { kind: "page", contents: await Promise.all(parts.map(contentDefinitionOf)) };
}

async function contentDefinitionOf(part: JsonObject): Promise<JsonObject> {
  const { kind: _, ...members } = definitionOf("page", part);
  const texts = ["text", "blob"].flatMap((member) => (typeof part[member] === "string" ? [[member, part[member]] as const] : []));
  const digests = texts.map(async ([member, text]) => [member, { characters: text.length, sha256: await hashed(text) }]);
  return { ...members, ...(Object.fromEntries(await Promise.all(digests)) as JsonObject) }; // pairs, as made above
}

function picked(source: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(members.flatMap((member) => (source[member] === undefined ? [] : [[member, source[member]]])));
}

/** SHA-256 of a definition, independent of the order of members. */
export async function digestOf(definition: JsonObject): Promise<string> {
  return hashed(canonicalJson(definition));
}

/** The digest that groups made of a tool before its page and its execution were part of it. */
export async function earlierDigestOf(definition: JsonObject): Promise<string> {
  const { execution: _execution, _meta, ...read } = definition;
  return digestOf(read);
}
