/**
 * The components of a group: what its servers list, by the names that it has in the group.
 *
 * Data only. `naming.ts` makes the names; `catalog.ts` knows which server has them.
 */
import type { Resource } from "../../protocol/content.ts";
import type { Prompt } from "../../protocol/prompts.ts";
import type { ResourceTemplate } from "../../protocol/resources.ts";
import type { Tool } from "../../protocol/tools.ts";
import type { Kind } from "../../upstream/listing.ts";

export interface Components {
  /** Called by its name. */
  readonly tool: Tool;
  /** Called by its name. */
  readonly prompt: Prompt;
  /** Read by its URI. */
  readonly resource: Resource;
  /** Identified by its template. */
  readonly template: ResourceTemplate;
}
/** A kind of component, as a name hook gets it. */
export type ComponentKind = Exclude<Kind, "template"> | "resourceTemplate";
/** The lists of a group: one for each kind. */
export type ComponentList = "prompts" | "resources" | "resourceTemplates" | "tools";

/** The components of each kind, as a server listed them. */
export type Listing = { readonly [One in Kind]: readonly Components[One][] };
/** The components of each kind, by their names in the group. */
export type Claims = { readonly [One in Kind]: ReadonlyMap<string, Components[One]> };

/**
 * Why a tool is held back: its definition has changed since its approval, or the approval is of an earlier version of Tenon, which did not
 * look at the page and the execution of a tool.
 */
export type HeldReason = "changed" | "not covered";

export const NO_CLAIMS: Claims = { tool: new Map(), prompt: new Map(), resource: new Map(), template: new Map() };

export function componentKindOf(kind: Kind): ComponentKind {
  return kind === "template" ? "resourceTemplate" : kind;
}
