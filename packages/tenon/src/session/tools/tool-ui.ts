/** The option `ui` of a tool: types only. The apps extension (`extensions/apps/`) serves views; a server without it refuses the option. */
import type { MaybePromise } from "../../base/maybe-promise.ts";

/** A view that is bundled from a script: its file, in TypeScript or JavaScript, JSX too. */
export interface ViewBundle {
  /** The `file:` URL of the script: `new URL("../view.ts", import.meta.url)`. Needs the package `esbuild`, on Node, Bun or Deno. */
  readonly bundle: URL;
}

/**
 * The HTML of a view: a whole document as a string; the `file:` URL of one, read for each request; a script to bundle, once; or a
 * function that makes the HTML for each request.
 */
export type ViewSource = string | URL | ViewBundle | (() => MaybePromise<string>);

/** Who sees a tool: the model, the view of a tool of the same server, or both. Hosts enforce it. */
export type ToolAudience = "model" | "app";

/** A capability of the browser that a view asks for. */
export type ViewPermission = "camera" | "microphone" | "geolocation" | "clipboardWrite";

/**
 * The origins that a view may use, such as `https://api.example.com`, `https://*.example.com` or `wss://live.example.com`. Everything
 * that is not named is blocked by the host. MCP Apps 2026-01-26, UI resources.
 */
export interface ViewCsp {
  /** Origins for `fetch`, `XMLHttpRequest` and `WebSocket`. Default: none. */
  readonly connectDomains?: readonly string[];
  /** Origins of scripts, styles, images, fonts and media. Default: none; what is inside the HTML works. */
  readonly resourceDomains?: readonly string[];
  /** Origins that the view may show in frames of its own. Default: none. */
  readonly frameDomains?: readonly string[];
  /** Origins that `<base>` may name. Default: none. */
  readonly baseUriDomains?: readonly string[];
}

/** How a tool is shown by hosts with views, and who may call it. Security: hosts enforce all of it; the server can only declare. */
export interface ToolUiOptions {
  /** The HTML that hosts show with the results of the tool. Default: no view. */
  readonly view?: ViewSource;
  /** The URI of the view, which begins with `ui://`. Tools that name one URI share one view. Default: `ui://<name of the tool>/view.html`. */
  readonly uri?: string;
  /** Who sees the tool. `["app"]`: only views may call it. Default: the model and views. */
  readonly visibility?: readonly ToolAudience[];
  /** Origins that the view may use. Default: none, so the view has no network. */
  readonly csp?: ViewCsp;
  /** What the view asks of the browser. A host may refuse each. Default: nothing. */
  readonly permissions?: readonly ViewPermission[];
  /** An origin that the host may serve the view from; its form is the host's. Default: the host decides. */
  readonly domain?: string;
  /** Whether the host draws a border around the view. Default: the host decides. */
  readonly prefersBorder?: boolean;
}
