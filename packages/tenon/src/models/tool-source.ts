/** Where the tools of a model come from: a client, or a group of clients. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Tool } from "../protocol/tools.ts";
import type { ReadResourceResult } from "../protocol/resources.ts";
import type { ToolCallOptions } from "../client/call/outgoing-request.ts";
import type { ToolResult } from "../client/result.ts";

/** What a {@link ToolSource} does in any case. */
interface Callable {
  /** Calls a tool. */
  callTool(name: string, args?: JsonObject, options?: ToolCallOptions): Promise<ToolResult>;
  /** Reads a resource. */
  readResource(uri: string, options?: { signal?: AbortSignal }): Promise<ReadResourceResult>;
}

/** A `Client` or a `ClientSessionGroup`: what has tools that can be called. */
export type ToolSource = Callable & {
  /** The tools: a map of a group, a function of a client. */
  readonly tools: ReadonlyMap<string, Tool> | (() => AsyncIterable<Tool>);
};

const MAX_TOOLS = 10_000;

/** The tools of a source under the names by which it calls them, in its order. Those for the views of apps only are left out. */
export async function toolsOf(source: ToolSource): Promise<ReadonlyMap<string, Tool>> {
  const tools = new Map<string, Tool>();
  if (typeof source.tools === "function") {
    for await (const tool of source.tools()) if (tools.size < MAX_TOOLS) tools.set(tool.name, tool);
  } else for (const [name, tool] of source.tools) tools.set(name, tool);
  for (const [name, tool] of tools) if (!isForModels(tool)) tools.delete(name);
  return tools;
}

/** Whether a model may see a tool. Apps can keep a tool to their views (`_meta.ui.visibility`). */
function isForModels({ _meta }: Tool): boolean {
  const visibility = (_meta?.["ui"] as { visibility?: unknown } | undefined)?.visibility;
  return !Array.isArray(visibility) || visibility.includes("model");
}
