/** The names of the apps extension on the wire, and the metadata that servers write and hosts read. MCP Apps 2026-01-26. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../protocol/capabilities.ts";
import type { ViewPermission } from "../../session/tools/tool-ui.ts";

/** The id of the extension in capabilities. */
export const APPS_ID = "io.modelcontextprotocol/ui";
/** The media type of the HTML of views. */
export const VIEW_MIME_TYPE = "text/html;profile=mcp-app";
export const PERMISSIONS: readonly ViewPermission[] = ["camera", "microphone", "geolocation", "clipboardWrite"];
/** Default limit of the HTML of a view, in bytes: large enough for a bundled 3D library. */
export const DEFAULT_HTML_BYTES: number = 4 * 1024 * 1024;

/**
 * Whether the client of this request shows views. Tools need not ask: their result is text for every client, and hosts without views
 * ignore the view. Ask if the text should differ: shorter if the user sees a view.
 * @example
 * ```ts
 * import { apps, canShowViews } from "tenon/ext/apps";
 * import { McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "maps", version: "1.0.0" }, { extensions: [apps()] });
 * server.tool("route", { ui: "<!doctype html><title>Route</title>" }, (_input, ctx) =>
 *   canShowViews(ctx) ? "The user sees the route." : "Go north for 2 km, then east.",
 * );
 * ```
 */
export function canShowViews(context: { readonly client: { readonly capabilities: ClientCapabilities } }): boolean {
  const settings: JsonObject | undefined = context.client.capabilities.extensions?.[APPS_ID];
  const types = settings?.["mimeTypes"];
  return Array.isArray(types) && types.includes(VIEW_MIME_TYPE);
}
