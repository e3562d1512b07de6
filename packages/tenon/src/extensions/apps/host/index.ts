/** `tenon/ext/apps/host`: shows views of tools in a web page. The host's half of the MCP Apps extension. */
export type { AppView } from "./app-view.ts";
export { AppHost, type ShownCall } from "./app-host.ts";
export { FrameTransport, type FrameTransportOptions } from "./frame-transport.ts";
export { MountedView } from "./mounted-view.ts";
export type { AppClient, AppHostOptions, AppLimits, Approval, ModelContext } from "./options.ts";
export { createSandboxHandler, type SandboxOptions } from "./sandbox-page.ts";
export { isVisibleTo, viewUriOf } from "./tool-access.ts";
export { InvalidViewError } from "../csp.ts";
export type { ContainerDimensions, DisplayMode, HostCapabilities, HostContext } from "../../../protocol/apps.ts";
