/** `apps()`: the MCP Apps extension on a server and on a client. MCP Apps 2026-01-26. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { Extension } from "../../session/extension.ts";
import { defineExtension } from "../define-extension.ts";
import { ServedViews } from "./served-views.ts";
import { APPS_ID, DEFAULT_HTML_BYTES, VIEW_MIME_TYPE } from "./ui.ts";

/** Options of {@link apps}. */
export interface AppsOptions {
  /** The most bytes of HTML of one view; a longer one fails its request with -32600. Servers only. Default 4 194 304. */
  readonly maxHtmlBytes?: number;
}

const APPS_OPTIONS: OptionKeys<AppsOptions> = { maxHtmlBytes: 1 };

/**
 * Makes the extension for apps. On a server it serves the views of tools that have the option `ui`. On a client it declares that the
 * program shows views: give it only if it does, with `AppHost` of `tenon/ext/apps/host`.
 * @throws RangeError if `maxHtmlBytes` is below 1; TypeError for an option that does not exist
 * @example
 * ```ts
 * import { apps } from "tenon/ext/apps";
 * import { McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "clock", version: "1.0.0" }, { extensions: [apps()] });
 * server.tool("time", { ui: "<!doctype html><h1>Time</h1>" }, () => new Date(0).toISOString());
 * server.tool("tick", { ui: { visibility: ["app"] } }, () => "only views may call this");
 * ```
 */
export function apps(options: AppsOptions = {}): Extension {
  assertKnown("apps()", options, APPS_OPTIONS);
  const { maxHtmlBytes = DEFAULT_HTML_BYTES } = options;
  if (!(maxHtmlBytes >= 1)) throw new RangeError(`Option "maxHtmlBytes" must be a number >= 1, not ${maxHtmlBytes}`);
  return defineExtension({
    id: APPS_ID,
    settings: { mimeTypes: [VIEW_MIME_TYPE] },
    server: (host) => new ServedViews(host, maxHtmlBytes).half,
  });
}
