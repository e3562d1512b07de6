/**
 * Older versions of a tool or prompt, as a server of Tenon has them: no list shows them. A call names one as `search.v1`, or as `search` with
 * the version in `_meta`.
 *
 * Security: a rule about `search` must hold for all of its versions, and a rule about `search.v1` for both ways to call it.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { keyOf, VERSION_KEY, versionIn } from "../server/versions.ts";

/** What the protocol assumes of a tool that says nothing: no list has the annotations of an older version. */
export const UNKNOWN_ANNOTATIONS: JsonObject = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** The names that a rule may have for what a call of `id` runs. The last is its own; others are the listed names of all of its versions. */
export function namesOf(id: string, params: JsonObject, listed: readonly JsonObject[]): readonly string[] {
  const entry = listed.find(({ name }) => name === id);
  const names = listed.map(({ name }) => name as string); // as listed
  if (entry === undefined) return [...names.filter((name) => id.startsWith(keyOf(name, ""))), id];
  const asked = versionIn(params);
  const { _meta: meta } = entry;
  if (typeof asked !== "string" || (isJsonObject(meta) && meta[VERSION_KEY] === asked)) return [id];
  return [id, keyOf(id, asked)];
}
