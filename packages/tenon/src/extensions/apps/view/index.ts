/** `tenon/ext/apps/view`: the script of a view, in its frame. No dependency, and nothing of the core but types. */
export { connectView, type ViewOf, type ViewOptions, type ViewTool } from "./connect-view.ts";
export { ViewError, type ViewCallOptions } from "./peer.ts";
export { View, type ViewEvents, type ViewToolResult } from "./view.ts";
export type { ContainerDimensions, DisplayMode, HostCapabilities, HostContext } from "../../../protocol/apps.ts";
