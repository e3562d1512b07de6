/**
 * The messages between a host and a view: MCP Apps 2026-01-26. Types only, and the revision.
 *
 * A view is a page in a frame of the host. Both send JSON-RPC to each other; methods that begin with `ui/` are of this extension.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "./capabilities.ts";
import type { Tool } from "./tools.ts";

/** The revision of the extension, in the handshake of a view. */
export const APPS_REVISION = "2026-01-26";

/** How a view is shown: between the messages of a conversation, over the whole window, or in a small window above it. */
export type DisplayMode = "inline" | "fullscreen" | "pip";

/** The size of the frame, in CSS pixels: fixed, or at most so large. */
export interface ContainerDimensions {
  /** The width, if it is fixed. */
  readonly width?: number;
  /** The height, if it is fixed. */
  readonly height?: number;
  /** The largest width, if the view chooses it. */
  readonly maxWidth?: number;
  /** The largest height, if the view chooses it. */
  readonly maxHeight?: number;
}

/** What a host tells its views of itself. Members that it does not know are absent; a host may add others. */
export interface HostContext {
  /** The tool whose call shows the view, and the id of that call. */
  readonly toolInfo?: { readonly id?: string | number; readonly tool: Tool };
  /** The color scheme. */
  readonly theme?: "light" | "dark";
  /** CSS custom properties by name, such as `--color-text-primary`, and CSS that loads fonts. */
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>>; readonly css?: { readonly fonts?: string } };
  /** How the view is shown now. */
  readonly displayMode?: DisplayMode;
  /** How the host can show views. */
  readonly availableDisplayModes?: readonly DisplayMode[];
  /** The size of the frame. */
  readonly containerDimensions?: ContainerDimensions;
  /** Language and region of the user, as in BCP 47. */
  readonly locale?: string;
  /** The time zone of the user, as IANA names it. */
  readonly timeZone?: string;
  /** The name of the host program. */
  readonly userAgent?: string;
  /** The kind of device. */
  readonly platform?: "web" | "desktop" | "mobile";
  /** Input that the device has. */
  readonly deviceCapabilities?: { readonly touch?: boolean; readonly hover?: boolean };
  /** Pixels that the device covers at each edge. */
  readonly safeAreaInsets?: { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number };
  /** Members that this version does not know. */
  readonly [member: string]: unknown;
}

/** What a host does for its views. An absent member means that it does not. MCP Apps 2026-01-26, Host capabilities. */
export interface HostCapabilities {
  /** Opens links: `ui/open-link`. */
  readonly openLinks?: JsonObject;
  /** Saves files: `ui/download-file` (draft). */
  readonly downloadFile?: JsonObject;
  /** Calls tools of the view's server. */
  readonly serverTools?: { readonly listChanged?: boolean };
  /** Reads resources of the view's server. */
  readonly serverResources?: { readonly listChanged?: boolean };
  /** Takes log messages. */
  readonly logging?: JsonObject;
  /** The rights that the view got. */
  readonly sandbox?: { readonly permissions?: JsonObject; readonly csp?: JsonObject };
  /** Takes context for the model, with these kinds of content (draft). */
  readonly updateModelContext?: JsonObject;
  /** Takes messages of the user, with these kinds of content (draft). */
  readonly message?: JsonObject;
  /** Lets the view sample the model (draft). */
  readonly sampling?: JsonObject;
}

/** What a view declares of itself. MCP Apps 2026-01-26, App capabilities. */
export interface AppCapabilities {
  /** The view has tools, which the host may call (draft). */
  readonly tools?: { readonly listChanged?: boolean };
  /** The modes that the view can be shown in; a host never switches to another. */
  readonly availableDisplayModes?: readonly DisplayMode[];
}

/** The result of `ui/initialize`. */
export interface InitializeViewResult {
  readonly protocolVersion: string;
  readonly hostInfo: Implementation;
  readonly hostCapabilities: HostCapabilities;
  readonly hostContext: HostContext;
}
