/**
 * Watching a server for changes: of its lists, and of single resources.
 *
 * On stateless revisions this is a `subscriptions/listen` request that stays open; on stateful ones the server tells
 * unasked and single resources are subscribed to. The stream looks the same.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";

/** What to watch. */
export interface ListenFilter {
  /** Whether the list of tools is watched. Default false. */
  tools?: boolean;
  /** Whether the list of prompts is watched. Default false. */
  prompts?: boolean;
  /** `true`: the list; URIs: these resources; `{ list: true, uris: [...] }`: both. */
  resources?: boolean | readonly string[] | ResourceFilter;
}

/** Which changes of resources are wanted. */
export interface ResourceFilter {
  /** Whether the list of resources is watched. Default false. */
  list?: boolean;
  /** The resources that are watched, byte for byte. */
  uris?: readonly string[];
}

/** What a filter asks for of resources, in full. */
export function resourcesOf({ resources = false }: ListenFilter): Required<ResourceFilter> {
  if (typeof resources === "boolean") return { list: resources, uris: [] };
  if (isList(resources)) return { list: false, uris: resources };
  return { list: resources.list ?? false, uris: resources.uris ?? [] };
}

function isList(resources: readonly string[] | ResourceFilter): resources is readonly string[] {
  return Array.isArray(resources);
}

/** Options of {@link Client.listen}. */
export interface ListenOptions {
  /** Gives up waiting for the server to watch, or ends the stream: its reader gets `signal.reason`. */
  signal?: AbortSignal;
}

/** Something is different now, by its `kind`: a list, or the resource `uri` (I1). */
export type ServerChange = { readonly kind: "tools" | "prompts" | "resources" } | { readonly kind: "resource"; readonly uri: string };

const LIST_KINDS: ReadonlyMap<string, "tools" | "prompts" | "resources"> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/prompts/list_changed", "prompts"],
  ["notifications/resources/list_changed", "resources"],
]);

/** The change a notification tells of; undefined where it is about something else. */
export function changeOf(method: string, params: JsonObject): ServerChange | undefined {
  const kind = LIST_KINDS.get(method);
  if (kind !== undefined) return { kind };
  const { uri } = params;
  return method === "notifications/resources/updated" && typeof uri === "string" ? { kind: "resource", uri } : undefined;
}

/** Whether a filter asks for that change. */
export function isWanted(filter: ListenFilter, change: ServerChange): boolean {
  if (change.kind === "resource") return resourcesOf(filter).uris.includes(change.uri);
  return change.kind === "resources" ? resourcesOf(filter).list : filter[change.kind] === true;
}
