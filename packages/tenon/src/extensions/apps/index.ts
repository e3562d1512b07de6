/** `tenon/ext/apps`: tools with views. The server's half of the MCP Apps extension, and what a client declares. */
export { apps, type AppsOptions } from "./apps.ts";
export { InvalidViewError } from "./csp.ts";
export { APPS_ID, canShowViews, VIEW_MIME_TYPE } from "./ui.ts";
export type { ToolAudience, ToolUiOptions, ViewBundle, ViewCsp, ViewPermission, ViewSource } from "../../session/tools/tool-ui.ts";
