/**
 * Finds what a request requires: the scopes of its method and of the tool, prompt or resource that it names, and for a tool the input
 * schema, which lists the arguments that headers repeat.
 *
 * An edge calls this before a request runs, and the request chain calls it again. The params may be unchecked: a request that names
 * nothing requires nothing, and the codec refuses it later.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Requirements } from "../transport/transport-context.ts";
import type { Features } from "./features.ts";
import { findResource } from "./resources.ts";

type FindRequirements = (features: Features, params: JsonObject) => Requirements | undefined;

// Names are not checked: a value that is not a string finds nothing.

const resource: FindRequirements = (features, { uri }) => {
  if (typeof uri !== "string") return undefined;
  return ofScopes((features.templates.get(uri) ?? findResource(features, uri)?.definition)?.options.scopes);
};

/** Suggestions can reveal what their prompt or resource contains, so they require the same scopes. */
const completion: FindRequirements = (features, { ref }) => {
  if (!isJsonObject(ref)) return undefined;
  return ref["type"] === "ref/prompt" ? ofScopes(features.prompts.get(ref["name"] as string)?.options.scopes) : resource(features, ref);
};

const listen: FindRequirements = (features, { notifications }) => {
  const uris: unknown = isJsonObject(notifications) ? notifications["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? ofScopes(uris.flatMap((uri: unknown) => resource(features, { uri })?.scopes ?? [])) : undefined;
};

const NEEDS: ReadonlyMap<string, FindRequirements> = new Map<string, FindRequirements>([
  ["tools/call", ({ tools }, { name }) => tools.get(name as string)?.requirements],
  ["prompts/get", ({ prompts }, { name }) => ofScopes(prompts.get(name as string)?.options.scopes)],
  ["resources/read", resource],
  ["resources/subscribe", resource],
  ["completion/complete", completion],
  ["subscriptions/listen", listen],
]);

function ofScopes(scopes: readonly string[] | undefined): Requirements | undefined {
  return scopes && { scopes };
}

/** The requirements of one request; undefined if there are none. */
export function requirementsOf(features: Features, method: string, params: JsonObject): Requirements | undefined {
  const own = NEEDS.get(method)?.(features, params);
  const general = features.scopes && Object.hasOwn(features.scopes, method) ? features.scopes[method] : undefined;
  if (general === undefined) return own;
  return { ...own, scopes: [...general, ...(own?.scopes ?? [])] };
}
