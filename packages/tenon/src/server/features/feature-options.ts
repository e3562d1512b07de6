/** The options that tools, resources, resource templates and prompts have in common: who sees them, and how they are grouped. */
import type { OptionKeys } from "../../base/known-options.ts";
import type { Visible } from "../../session/caller.ts";

/** Who sees a tool, a resource, a resource template or a prompt, and how it is grouped. Only the version of a tool or a prompt is sent. */
export interface FeatureOptions {
  /**
   * Whether a caller may know of it. To others it does not exist: it is neither listed nor served, and its name is unknown
   * (docs/servers/visibility.md). Default: it is visible to all.
   */
  visible?: Visible;
  /** Hides it until a handler shows it to its client with `ctx.show`. Default false. */
  hidden?: boolean;
  /** Words by which filters and rules select it, such as `"admin"`. Default: none. */
  tags?: readonly string[];
  /**
   * Its version, such as `"2"` or `"1.4"`. Several versions of a tool or a prompt can be registered under one name: the newest is listed and
   * served, the others are called as `name.v1` (docs/servers/versions.md). Of a tool or a prompt it has 1 to 64 of `A-Za-z0-9_.-`
   * (RangeError). Default: none.
   */
  version?: string;
}

export const FEATURE_OPTIONS: OptionKeys<FeatureOptions> = { visible: 1, hidden: 1, tags: 1, version: 1 };
