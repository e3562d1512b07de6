/**
 * Older versions of a tool or prompt, as a server of Tenon has them: no list shows them. A call names one as `search.v1`, or as `search` with
 * the version in `_meta`. Whether there is such a version, only the server knows: early revisions do not say it in lists.
 *
 * Security: a rule about `search` must hold for all of its versions, and a rule about one version for each way to call it: `search.v1`,
 * the version in `_meta`, and the plain name while it means that version.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { VERSION_KEY } from "../protocol/tenon-keys.ts";
import { keyOf, versionIn } from "../server/features/versions.ts";

/** What the protocol assumes of a tool that says nothing: no list has the annotations of an older version. */
export const UNKNOWN_ANNOTATIONS: JsonObject = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** A name and a version. The version has 1 to 64 characters, and can have the mark `.v` in it. */
const VERSIONED = /^(?<name>.+?)\.v[A-Za-z0-9_.-]{1,64}$/s;

/** The names that a rule may have for what a call of `id` runs. The last is its own; others are the listed names of all of its versions. */
export function namesOf(id: string, params: JsonObject, listed: readonly JsonObject[]): readonly string[] {
  const entry = listed.find(({ name }) => name === id);
  const names = listed.map(({ name }) => name as string); // as listed
  if (entry === undefined) return [...names.filter((name) => id.startsWith(keyOf(name, ""))), id];
  const version = versionIn(params);
  if (typeof version !== "string" || listedVersion(entry) === version) return [id];
  return [id, keyOf(id, version)];
}

/** The version of a listed tool or prompt, which its plain name means. */
export function listedVersion({ _meta: meta }: JsonObject): string | undefined {
  const version = isJsonObject(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === "string" ? version : undefined;
}

/** A listed entry whose plain name means the version of a call. @param names of the call; the last is its own */
export function inVersionOf(entry: JsonObject, names: readonly string[]): JsonObject {
  const version = names.at(-1)!.slice(keyOf(entry["name"] as string, "").length); // as listed
  return { ...entry, _meta: { [VERSION_KEY]: version } };
}

/**
 * Finds the version that a name such as `shop__search.v1` is for.
 * @param find finds a listed component by its name in lists
 * @returns the listed component under the name that its server knows the version by
 */
export function olderVersion<Found extends { readonly component: { readonly name: string } }>(
  name: string,
  find: (name: string) => Found | undefined,
): Found | undefined {
  const listed = unversioned(name);
  const found = listed === name ? undefined : find(listed);
  return found && { ...found, component: { ...found.component, name: found.component.name + name.slice(listed.length) } };
}

/** The name in lists, if a name is one of a version: `search` of `search.v1`. */
export function unversioned(name: string): string {
  return VERSIONED.exec(name)?.groups?.["name"] ?? name;
}
