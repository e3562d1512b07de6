/**
 * Finds the tool that `tenon call` names: in the list, among the versions of a listed tool, among what a gateway's servers bring later, or
 * by the search that a server lists in place of its tools.
 */
import type { Tool } from "tenon";
import type { Client } from "tenon/client";
import { VERSIONS_KEY, keyOf } from "tenon/internal";
import { serversOfGateway } from "../connection/servers-of-gateway.ts";
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { didYouMean } from "../typing-mistakes.ts";

/** What the command needs to know of a tool: how its arguments are read, and whether its result is checked. */
export type FoundTool = Pick<Tool, "name" | "inputSchema" | "outputSchema">;

const SEARCH = "search_tools";

/**
 * Finds the tool in the list. If it is not there, waits for the servers of a gateway that still connect, and looks again; then it asks the
 * search of the server, if it lists one.
 * @throws UsageError if the server does not have the name
 */
export async function findTool(client: Client, name: string, invocation: Invocation): Promise<FoundTool> {
  if (client.serverCapabilities.tools === undefined) throw new UsageError("This server has no tools.");
  const names = new Set<string>();
  const early = await listedTool(client, name, names, invocation);
  if (early !== undefined) return early;
  await serversOfGateway(client, invocation);
  const late = await listedTool(client, name, names, invocation);
  if (late !== undefined) return late;
  const isSearched = names.has(SEARCH) && names.has("call_tool");
  const searched = isSearched ? await searchedTool(client, name, invocation) : undefined;
  if (searched !== undefined) return searched;
  const rest = isSearched ? `; "tenon call … ${SEARCH}" finds the others` : "";
  throw new UsageError(`Unknown tool ${JSON.stringify(name)}.${didYouMean(name, [...names])} "tenon list" shows what is listed${rest}.`);
}

/** @param names gets the names that are listed */
async function listedTool(client: Client, name: string, names: Set<string>, { signal }: Invocation): Promise<FoundTool | undefined> {
  for await (const tool of client.tools({ signal })) {
    if (tool.name === name) return tool;
    if (isVersionOf(tool, name)) return { name, inputSchema: { type: "object" } }; // its own schema is in no list
    names.add(tool.name);
  }
  return undefined;
}

/** Whether a name belongs to a version, such as `search.v1`, of a listed tool. */
function isVersionOf({ name: newest, _meta: meta }: Tool, name: string): boolean {
  const versions = meta?.[VERSIONS_KEY];
  return Array.isArray(versions) && versions.some((version) => typeof version === "string" && name === keyOf(newest, version));
}

/** A tool that is in no list, because the list would cost too many tokens. */
async function searchedTool(client: Client, name: string, { signal }: Invocation): Promise<FoundTool | undefined> {
  const { structuredContent: found } = await client.callTool(SEARCH, { queries: [name] }, { signal });
  if (typeof found !== "object" || found === null || !("tools" in found) || !Array.isArray(found.tools)) return undefined;
  return found.tools.filter(isTool).find((tool) => tool.name === name);
}

function isTool(value: unknown): value is FoundTool {
  if (typeof value !== "object" || value === null || !("name" in value) || !("inputSchema" in value)) return false;
  return typeof value.inputSchema === "object" && value.inputSchema !== null;
}
