/**
 * Finds what a request requires: the scopes of its method and of the tool, prompt or resource that it names, and for a tool the input
 * schema, which lists the arguments that headers repeat.
 *
 * An edge calls this before a request runs, and the request chain calls it again. The params may be unchecked: a request that names
 * nothing requires nothing, and the codec refuses it later.
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { Caller } from "../../session/caller.ts";
import type { Requirements } from "../../transport/transport-context.ts";
import type { Features } from "./features.ts";
import { findResource } from "./resources.ts";

type FindRequirements = (features: Features, params: JsonObject, caller: Caller | undefined) => Requirements | undefined;

// Names are not checked: a value that is not a string finds nothing.

const resource: FindRequirements = (features, { uri }, caller) => {
  if (typeof uri !== "string") return undefined;
  return ofScopes((features.templates.get(uri, caller) ?? findResource(features, uri, caller)?.definition)?.options.scopes);
};

/** Suggestions can reveal what their prompt or resource contains, so they require the same scopes. */
const completion: FindRequirements = (features, params, caller) => {
  const { ref } = params;
  if (!isJsonObject(ref)) return undefined;
  return ref["type"] === "ref/prompt"
    ? ofScopes(features.prompts.requested(ref["name"] as string, params, caller)?.options.scopes)
    : resource(features, ref, caller);
};

const listen: FindRequirements = (features, { notifications }, caller) => {
  const uris: unknown = isJsonObject(notifications) ? notifications["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? ofScopes(uris.flatMap((uri: unknown) => resource(features, { uri }, caller)?.scopes ?? [])) : undefined;
};

const NEEDS: ReadonlyMap<string, FindRequirements> = new Map<string, FindRequirements>([
  ["tools/call", ({ tools }, params, caller) => tools.requested(params["name"] as string, params, caller)?.requirements],
  ["prompts/get", ({ prompts }, params, caller) => ofScopes(prompts.requested(params["name"] as string, params, caller)?.options.scopes)],
  ["resources/read", resource],
  ["resources/subscribe", resource],
  ["completion/complete", completion],
  ["subscriptions/listen", listen],
]);

function ofScopes(scopes: readonly string[] | undefined): Requirements | undefined {
  return scopes && { scopes };
}

/**
 * The requirements of one request; undefined if there are none.
 * @param caller who asks. An edge does not know it yet; if there are rules of visibility, only the method has requirements there, because
 * a scope that is missing would tell a hidden feature from an unknown one
 */
export function requirementsOf(features: Features, method: string, params: JsonObject, caller?: Caller): Requirements | undefined {
  const isDecidedLater = features.guard !== undefined && caller === undefined;
  const own = isDecidedLater ? undefined : NEEDS.get(method)?.(features, params, caller);
  const general = features.scopes && Object.hasOwn(features.scopes, method) ? features.scopes[method] : undefined;
  if (general === undefined) return own;
  return { ...own, scopes: [...general, ...(own?.scopes ?? [])] };
}
