/**
 * The four kinds of components that servers offer by name, and how each kind is listed.
 *
 * Data only. `naming.ts` makes the names in the group; `catalog.ts` knows which server has them.
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

/** The type of each kind of component. */
export interface Components {
  /** Called by its name. */
  readonly prompt: Prompt;
  /** Read by its URI. */
  readonly resource: Resource;
  /** Identified by its template. */
  readonly resourceTemplate: ResourceTemplate;
  /** Called by its name. */
  readonly tool: Tool;
}
/** A kind of component. */
export type ComponentKind = keyof Components;
/** The lists of a group: one for each kind. */
export type ComponentList = "prompts" | "resources" | "resourceTemplates" | "tools";

/** The components of each kind, as a server listed them. */
export type Listing = { readonly [Kind in ComponentKind]: readonly Components[Kind][] };
/** The components of each kind, by their names in the group. */
export type Claims = { readonly [Kind in ComponentKind]: ReadonlyMap<string, Components[Kind]> };

interface KindRow<Kind extends ComponentKind> {
  readonly list: ComponentList;
  /** The capability of servers with such components, and the list in their change notification. */
  readonly capability: Exclude<ServerChange["kind"], "resource">;
  readonly each: (session: GroupSession, options: CallOptions) => AsyncIterable<Components[Kind]>;
  /** The id of a component at its server. A resource is identified by its URI, because names of resources are not unique. */
  readonly idOf: (component: Components[Kind]) => string;
}

/** All kinds, in the order in which collisions are checked. */
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

/** Claims without any component. */
export const NO_CLAIMS: Claims = { prompt: new Map(), resource: new Map(), resourceTemplate: new Map(), tool: new Map() };
