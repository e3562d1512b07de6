/**
 * A change of what a server offers: of a list, or of the content of a resource.
 *
 * Features make changes; `server/serving/changes.ts` coalesces them and tells the listeners.
 */
import type { Caller } from "../../session/caller.ts";

export type ListKind = "tools" | "prompts" | "resources";
export type Concern = (caller: Caller) => boolean;
/** A change of a list, for callers that one of `concerns` selects, or for all; or a change of the content of a resource. */
export type Change =
  | { readonly kind: ListKind; readonly concerns?: readonly Concern[] | undefined }
  | { readonly kind: "resource"; readonly uri: string };

export const LIST_CHANGED: Readonly<Record<ListKind, string>> = {
  tools: "notifications/tools/list_changed",
  prompts: "notifications/prompts/list_changed",
  resources: "notifications/resources/list_changed",
};

/** All lists, and these resources: what a client may have to read again if changes were lost. */
export function everyChange(uris: Iterable<string> = []): Change[] {
  const lists = Object.keys(LIST_CHANGED) as ListKind[]; // its keys
  return [...lists.map((kind) => ({ kind })), ...[...uris].map((uri) => ({ kind: "resource" as const, uri }))];
}
