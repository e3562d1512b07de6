/** `only()` and `without()`: a part of a set of tools. */
import type { ToolSet } from "../server/tool.ts";
import { onlyTools, withoutTools } from "./tool-sets.ts";

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
export function only<Tools extends ToolSet, const Names extends keyof Tools>(tools: Tools, ...names: Names[]): Pick<Tools, Names> {
  return onlyTools(tools, names) as Pick<Tools, Names>; // the tools with these names
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
export function without<Tools extends ToolSet, const Names extends keyof Tools>(tools: Tools, ...names: Names[]): Omit<Tools, Names> {
  return withoutTools(tools, names) as Omit<Tools, Names>; // the others
}
