/** The options that tools, resources, resource templates and prompts have in common. */
import type { OptionKeys } from "../../base/known-options.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Icon } from "../../protocol/base.ts";
import type { Visible } from "../../session/caller.ts";

/** What a tool, a resource, a resource template or a prompt is called, who may use it, and how it is grouped. */
export interface FeatureOptions {
  /** The name that users see. */
  title?: string;
  /**
   * Scopes that the client's token must have, beside the endpoint's (docs/servers/authorization.md). Enforced over HTTP only, where clients
   * have tokens. What needs a scope is listed for all clients, so that a client knows which scope to request. Default: none.
   */
  scopes?: readonly string[];
  /** Icons that clients may show. */
  icons?: readonly Icon[];
  /** Free-form metadata, sent unchanged in lists. */
  _meta?: JsonObject;
  /**
   * Whether a caller may know of it. To others it does not exist: it is neither listed nor served, and its name is unknown
   * (docs/servers/visibility.md). Default: it is visible to all.
   */
  visible?: Visible;
  /** Hides it until a handler shows it to its client with `ctx.show`. Default false. */
  hidden?: boolean;
  /** Words by which filters and rules select it, such as `"admin"`. They are not sent. Default: none. */
  tags?: readonly string[];
  /**
   * Its version, such as `"2"` or `"1.4"`. Several versions of a tool or a prompt can be registered under one name: the newest is listed and
   * served, the others are called as `name.v1` (docs/servers/versions.md). Of a tool or a prompt it has 1 to 64 of `A-Za-z0-9_.-`
   * (RangeError). Default: none.
   */
  version?: string;
}

const UNSENT = { scopes: 1, visible: 1, hidden: 1, tags: 1, version: 1 } as const;
/** Options that clients do not see. */
export const UNSENT_OPTIONS: readonly string[] = Object.keys(UNSENT);
export const FEATURE_OPTIONS: OptionKeys<FeatureOptions> = { title: 1, icons: 1, _meta: 1, ...UNSENT };
