/**
 * What a client can watch on a server: its lists, and single resources.
 *
 * On stateless revisions a `subscriptions/listen` request stays open. On stateful revisions the server announces changes of
 * lists unasked, and the client subscribes to single resources. The stream looks the same.
 */
import type { OptionKeys } from "../../base/known-options.ts";
import { isList, type JsonObject } from "../../jsonrpc/message.ts";

/** What a client watches. */
export interface ListenFilter {
  /** Whether the list of tools is watched. Default false. */
  tools?: boolean;
  /** Whether the list of prompts is watched. Default false. */
  prompts?: boolean;
  /** `true`: the list; URIs: these resources; `{ list: true, uris: [...] }`: both. */
  resources?: boolean | readonly string[] | ResourceFilter;
}

/** Which changes of resources to watch. */
export interface ResourceFilter {
  /** Whether the list of resources is watched. Default false. */
  list?: boolean;
  /** The URIs of the resources to watch. They are compared byte for byte. */
  uris?: readonly string[];
}

export function resourcesOf({ resources = false }: ListenFilter): Required<ResourceFilter> {
  if (typeof resources === "boolean") return { list: resources, uris: [] };
  if (isList(resources)) return { list: false, uris: resources };
  return { list: resources.list ?? false, uris: resources.uris ?? [] };
}

/** Options of {@link Client.listen}. */
export interface ListenOptions {
  /** Ends the stream: a loop over it ends without an error. While `await client.listen()` waits for the server it rejects with the reason. */
  signal?: AbortSignal;
}

export const FILTER_KEYS: OptionKeys<ListenFilter> = { tools: 1, prompts: 1, resources: { list: 1, uris: 1 } };
export const LISTEN_KEYS: OptionKeys<ListenOptions> = { signal: 1 };

/** A change (MCP 2026-07-28, Subscriptions), by its `kind`: of a list, or of the resource `uri`. */
export type ServerChange = { readonly kind: "tools" | "prompts" | "resources" } | { readonly kind: "resource"; readonly uri: string };

const LIST_KINDS: ReadonlyMap<string, "tools" | "prompts" | "resources"> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/prompts/list_changed", "prompts"],
  ["notifications/resources/list_changed", "resources"],
]);

/** The change that a notification announces; undefined for other notifications. */
export function changeOf(method: string, params: JsonObject): ServerChange | undefined {
  const kind = LIST_KINDS.get(method);
  if (kind !== undefined) return { kind };
  const { uri } = params;
  return method === "notifications/resources/updated" && typeof uri === "string" ? { kind: "resource", uri } : undefined;
}

export function isWanted(filter: ListenFilter, change: ServerChange): boolean {
  if (change.kind === "resource") return resourcesOf(filter).uris.includes(change.uri);
  return change.kind === "resources" ? resourcesOf(filter).list : filter[change.kind] === true;
}
