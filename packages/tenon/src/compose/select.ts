/** `only()` and `without()`: a part of a set of tools, or of a live source. */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import {
  isSelected,
  type FeatureFilter,
  type FeatureSelector,
  type FeatureSource,
  type Mountable,
  sourceOf,
} from "../server/features/feature-source.ts";
import type { ToolSet } from "../server/features/tool.ts";
import { isSource, MappedSource } from "./mapped-source.ts";
import { onlyTools, withoutTools } from "./tool-sets.ts";

const FILTER: OptionKeys<FeatureFilter> = { names: 1, kinds: 1, tags: 1, version: 1 };

/**
 * The tools with these names, and no others.
 * @throws TypeError if there is no tool with a name
 * @example
 * ```ts
 * import { only } from "tenon/compose";
 * import { tool } from "tenon/server";
 *
 * const files = { read: tool({}, () => "text"), write: tool({}, () => "done") };
 * console.log(Object.keys(only(files, "read"))); // [ 'read' ]
 * ```
 */
export function only<Tools extends ToolSet, const Names extends keyof Tools>(tools: Tools, ...names: Names[]): Pick<Tools, Names>;
/**
 * The features of a server or a group that a filter selects: neither listed nor served are the others. It is live.
 * @throws TypeError if the filter has an option that does not exist
 */
export function only(source: Mountable, selector: FeatureSelector): FeatureSource;
export function only(subject: ToolSet | Mountable, ...rest: readonly unknown[]): unknown {
  if (isSource(subject)) return part("only()", sourceOf(subject), rest[0] as FeatureSelector, true); // by its overload
  return onlyTools(subject, rest as readonly string[]); // by its overload
}

/** The features of a source that the selector takes, or does not take. */
function part(what: string, source: FeatureSource, selector: FeatureSelector, taken: boolean): FeatureSource {
  if (typeof selector !== "function") assertKnown(what, selector, FILTER);
  return new MappedSource(source, {
    toOuter: (feature) => (isSelected(selector, feature) === taken ? feature : undefined),
    findInner: (kind, id) => source.find(kind, id),
  });
}

/**
 * The tools except those with these names.
 * @throws TypeError if there is no tool with a name
 * @example
 * ```ts
 * import { without } from "tenon/compose";
 * import { tool } from "tenon/server";
 *
 * const files = { read: tool({}, () => "text"), write: tool({}, () => "done") };
 * console.log(Object.keys(without(files, "write"))); // [ 'read' ]
 * ```
 */
export function without<Tools extends ToolSet, const Names extends keyof Tools>(tools: Tools, ...names: Names[]): Omit<Tools, Names>;
/**
 * The features of a server or a group except those that a filter selects. It is live.
 * @throws TypeError if the filter has an option that does not exist
 */
export function without(source: Mountable, selector: FeatureSelector): FeatureSource;
export function without(subject: ToolSet | Mountable, ...rest: readonly unknown[]): unknown {
  if (isSource(subject)) return part("without()", sourceOf(subject), rest[0] as FeatureSelector, false); // by its overload
  return withoutTools(subject, rest as readonly string[]); // by its overload
}
