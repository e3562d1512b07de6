/**
 * Which tools the model may see, which a view may call, and which have a view. MCP Apps 2026-01-26, Tool visibility.
 *
 * A declaration that is not understood permits nothing: an empty list, or a list of unknown words, shows a tool to neither.
 */
import { isJsonObject } from "../../../jsonrpc/message.ts";
import type { Tool } from "../../../protocol/tools.ts";
import type { ToolAudience } from "../../../session/tools/tool-ui.ts";

/** Whether a tool may be shown to the model, or called by a view. Without a declaration both may use it. */
export function isVisibleTo(tool: Tool, audience: ToolAudience): boolean {
  const ui = tool._meta?.["ui"];
  if (ui === undefined) return true;
  if (!isJsonObject(ui)) return false;
  const { visibility } = ui;
  return visibility === undefined || (Array.isArray(visibility) && visibility.includes(audience));
}

/** The URI of the view of a tool; undefined if it has none. Reads the deprecated `ui/resourceUri` too. */
export function viewUriOf(tool: Tool): string | undefined {
  const ui = tool._meta?.["ui"];
  const uri = (isJsonObject(ui) ? ui["resourceUri"] : undefined) ?? tool._meta?.["ui/resourceUri"];
  return typeof uri === "string" && uri.startsWith("ui://") ? uri : undefined;
}
