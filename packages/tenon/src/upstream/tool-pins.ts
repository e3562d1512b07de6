/**
 * What is pinned of a tool: everything that a model reads or that decides what a call does. One digest of it, wherever servers are joined.
 *
 * A server may turn malicious after its approval. So a tool whose definition changes is withheld until it is approved again.
 */
import { toBase64Url } from "../base/bytes.ts";
import { sha256 } from "../base/hash.ts";
import { canonicalJson } from "../base/json-values.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** Most tools that are remembered, so that a server that keeps inventing names does not fill the memory. */
export const MAX_PINS = 100_000;
/** Members of a definition that a model reads or that decide what a call does. */
const PINNED_MEMBERS = ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution"];
/** Members of `_meta` that decide which page a host shows with the result. */
const PINNED_META = ["ui", "ui/resourceUri"];

/** What is pinned of a tool. */
export function definitionOf(tool: JsonObject): JsonObject {
  const { _meta: meta } = tool;
  const view = isJsonObject(meta) ? picked(meta, PINNED_META) : {};
  return { ...picked(tool, PINNED_MEMBERS), ...(Object.keys(view).length > 0 && { _meta: view }) };
}

function picked(source: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(members.flatMap((member) => (source[member] === undefined ? [] : [[member, source[member]]])));
}

/** SHA-256 of a definition, independent of the order of members. */
export async function digestOf(definition: JsonObject): Promise<string> {
  return toBase64Url(await sha256(canonicalJson(definition)));
}

/** The digest that groups made before the page and the execution of a tool were part of it. */
export async function earlierDigestOf(definition: JsonObject): Promise<string> {
  const { execution: _1, _meta: _2, ...read } = definition;
  return digestOf(read);
}
