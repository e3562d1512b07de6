/**
 * What servers offer under a name: the four kinds of components, and how each is listed.
 *
 * Data only. What becomes of the names is `naming.ts`'s affair, who has them `catalog.ts`'s.
 */
import type { CallOptions } from "../../client/call/outgoing-request.ts";
import type { ServerChange } from "../../client/listen/changes.ts";
import { items } from "../../client/call/pages.ts";
import type { PaginatedRequestParams } from "../../protocol/base.ts";
import type { Resource } from "../../protocol/content.ts";
import type { Prompt } from "../../protocol/prompts.ts";
import type { ResourceTemplate } from "../../protocol/resources.ts";
import type { Tool } from "../../protocol/tools.ts";
import type { GroupSession } from "../group-session.ts";

/** Each kind of component, and what one of it looks like. */
export interface Components {
  /** Called by its name. */
  readonly prompt: Prompt;
  /** Read by its URI. */
  readonly resource: Resource;
  /** Known by its template. */
  readonly resourceTemplate: ResourceTemplate;
  /** Called by its name. */
  readonly tool: Tool;
}
/** What a server can offer under a name. */
export type ComponentKind = keyof Components;
/** The lists of a group: one for each kind. */
export type ComponentList = "prompts" | "resources" | "resourceTemplates" | "tools";

/** Components of each kind, as a server listed them. */
export type Listing = { readonly [Kind in ComponentKind]: readonly Components[Kind][] };
/** Components of each kind, by their names in the group. */
export type Claims = { readonly [Kind in ComponentKind]: ReadonlyMap<string, Components[Kind]> };

interface KindRow<Kind extends ComponentKind> {
  readonly list: ComponentList;
  /** What a server declares that has such components, and what its notification says has changed. */
  readonly capability: Exclude<ServerChange["kind"], "resource">;
  readonly each: (session: GroupSession, options: CallOptions) => AsyncIterable<Components[Kind]>;
  /** What the server knows it by. Names of resources are not unique, so a resource is known by its URI (SG-19). */
  readonly idOf: (component: Components[Kind]) => string;
}

/** In the order in which collisions are looked for (SG-21). */
export const KINDS: readonly ComponentKind[] = ["prompt", "resource", "resourceTemplate", "tool"];

export const KIND_ROWS: { readonly [Kind in ComponentKind]: KindRow<Kind> } = {
  prompt: {
    list: "prompts",
    capability: "prompts",
    each: (session, options) =>
      items(
        (cursor) => session.listPrompts(pageParams(cursor), options),
        ({ prompts }) => prompts,
      ),
    idOf: ({ name }) => name,
  },
  resource: {
    list: "resources",
    capability: "resources",
    each: (session, options) =>
      items(
        (cursor) => session.listResources(pageParams(cursor), options),
        ({ resources }) => resources,
      ),
    idOf: ({ uri }) => uri,
  },
  resourceTemplate: {
    list: "resourceTemplates",
    capability: "resources",
    each: (session, options) =>
      items(
        (cursor) => session.listResourceTemplates(pageParams(cursor), options),
        ({ resourceTemplates }) => resourceTemplates,
      ),
    idOf: ({ uriTemplate }) => uriTemplate,
  },
  tool: {
    list: "tools",
    capability: "tools",
    each: (session, options) =>
      items(
        (cursor) => session.listTools(pageParams(cursor), options),
        ({ tools }) => tools,
      ),
    idOf: ({ name }) => name,
  },
};

function pageParams(cursor: string | undefined): PaginatedRequestParams {
  return cursor === undefined ? {} : { cursor };
}

/** Nothing of any kind. */
export const NO_CLAIMS: Claims = { prompt: new Map(), resource: new Map(), resourceTemplate: new Map(), tool: new Map() };
