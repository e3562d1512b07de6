/**
 * Sets of tools: `prefix()`, `only()`, `without()` and `join()` of tools that are not registered yet. The type of the set follows.
 *
 * A set is a plain object, so that it can also be spread into the option `tools` of a server.
 */
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { ToolSet } from "../server/features/tool.ts";
import type { Joined, Prefixed } from "./types.ts";

/**
 * The same tools with names that begin with `prefix` and `__`.
 * @throws TypeError if the prefix is empty
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { prefix } from "tenon/compose";
 * import { McpServer, tool } from "tenon/server";
 *
 * const sums = { one: tool({}, () => "1"), two: tool({}, () => "2") };
 * const server = new McpServer({ name: "office", version: "1.0.0" }, { tools: prefix("math", sums) });
 * await using client = await connect(server);
 * console.log(await client.call.math__one()); // 1
 * ```
 */
export function prefix<const Prefix extends string, Tools extends ToolSet>(prefix: Prefix, tools: Tools): Prefixed<Prefix, Tools> {
  if (typeof prefix !== "string" || prefix === "") throw new TypeError("prefix() needs a text that is not empty");
  const renamed = Object.entries(tools).map(([name, tool]) => [`${prefix}__${name}`, tool]);
  return Object.fromEntries(renamed) as Prefixed<Prefix, Tools>; // each name by the rule of the type
}

/** The tools with these names. @throws TypeError if there is no tool with a name */
export function onlyTools(tools: ToolSet, names: readonly PropertyKey[]): ToolSet {
  assertNames("only()", tools, names);
  return Object.fromEntries(Object.entries(tools).filter(([name]) => names.includes(name)));
}

/** The tools except those with these names. @throws TypeError if there is no tool with a name */
export function withoutTools(tools: ToolSet, names: readonly PropertyKey[]): ToolSet {
  assertNames("without()", tools, names);
  return Object.fromEntries(Object.entries(tools).filter(([name]) => !names.includes(name)));
}

/** A name that is misspelled would leave a tool out, or in. */
function assertNames(what: string, tools: ToolSet, names: readonly PropertyKey[]): void {
  const unknown = names.find((name) => !Object.hasOwn(tools, name));
  if (unknown !== undefined)
    throw new TypeError(`${what}: there is no tool ${JSON.stringify(unknown)}. There are: ${Object.keys(tools).join(", ")}.`);
}

/**
 * All tools of the given sets, in order. Spreading sets into one object would lose a tool if two sets have its name.
 * @throws McpUsageError if two sets have a tool with the same name
 */
export function join<const Sets extends readonly ToolSet[]>(...sets: Sets): Joined<Sets> {
  const joined = new Map<string, unknown>();
  for (const [name, tool] of sets.flatMap((tools) => Object.entries(tools))) {
    if (joined.has(name)) throw new McpUsageError(`join(): two sets have a tool "${name}". Give one of them another name, with prefix()`);
    joined.set(name, tool);
  }
  return Object.fromEntries(joined) as Joined<Sets>; // the members of all sets
}
