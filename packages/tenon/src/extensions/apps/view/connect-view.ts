/** `connectView()`: connects the script of a view to its host. MCP Apps 2026-01-26, Lifecycle. */
import { assertKnown, type OptionKeys } from "../../../base/known-options.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import {
  APPS_REVISION,
  type AppCapabilities,
  type DisplayMode,
  type InitializeViewResult,
  type HostContext,
} from "../../../protocol/apps.ts";
import type { CallToolResult, ObjectSchema } from "../../../protocol/tools.ts";
import type { ToolSignature, ToolsOf } from "../../../session/tools/typed-tools.ts";
import { Peer, ViewError } from "./peer.ts";
import { toViewResult, View, type ViewEvents } from "./view.ts";

/** A tool of a view, which the host may call while the view is shown (draft). */
export interface ViewTool {
  /** What the tool does, for the model. */
  readonly description?: string;
  /** The schema of its arguments. Security: the host may not check them. Default: any object. */
  readonly inputSchema?: ObjectSchema;
  /** Runs the tool. A string that it returns becomes text. What it throws fails the call, with its message. */
  run(args: JsonObject, signal: AbortSignal): MaybePromise<string | CallToolResult>;
}

/** Options of {@link connectView}. */
export interface ViewOptions {
  /** The name of the view, for the host's log. */
  readonly name: string;
  /** The version of the view. */
  readonly version: string;
  /** The modes that the view can be shown in. Default: `["inline"]`. */
  readonly displayModes?: readonly DisplayMode[];
  /** Tools of the view itself, by name. Default: none. */
  readonly tools?: Readonly<Record<string, ViewTool>>;
  /** Whether the host's theme, CSS variables and fonts are applied to the document. Default true. */
  readonly applyStyles?: boolean;
  /** Whether the view reports the size of its content to the host, now and after each change. Default true. */
  readonly reportSize?: boolean;
  /** Milliseconds to wait for the host's first response. Default 60 000. */
  readonly timeout?: number;
}

const VIEW_OPTIONS: OptionKeys<ViewOptions> = { name: 1, version: 1, displayModes: 1, tools: 1, applyStyles: 1, reportSize: 1, timeout: 1 };

/** The arguments of a tool, if the compiler knows it. */
type ArgsOf<Tools, Name> = Name extends keyof Tools ? (Tools[Name] extends ToolSignature<infer Args> ? Args : JsonObject) : JsonObject;
/** The data of a tool, if the compiler knows it. */
type DataOf<Tools, Name> = Name extends keyof Tools ? (Tools[Name] extends ToolSignature<unknown, infer Data> ? Data : unknown) : unknown;

/** The view of the tool `Name` of the server `Server`. */
export type ViewOf<Server, Name = unknown> = View<ToolsOf<Server>, ArgsOf<ToolsOf<Server>, Name>, DataOf<ToolsOf<Server>, Name>>;

const NO_HOST = "There is no host: a view runs in a frame of one";

/** Notifications of the host that become events as they are. */
const EVENTS: Readonly<Record<string, (params: JsonObject) => readonly [keyof ViewEvents, unknown]>> = {
  "tool-input": ({ arguments: args = {} }) => ["input", args],
  "tool-input-partial": ({ arguments: args = {} }) => ["partialInput", args],
  "tool-result": (result) => ["result", toViewResult(result)],
  "tool-cancelled": ({ reason }) => ["cancelled", reason],
};

/**
 * Connects a view to its host. Call it once, in the frame. With the type of the server, arguments and results are typed.
 * @throws ViewError if the page is not in a frame, or the host does not respond in time
 * @example
 * ```ts
 * import { connectView } from "tenon/ext/apps/view";
 *
 * async function main(): Promise<void> {
 *   const view = await connectView({ name: "weather", version: "1.0.0" });
 *   view.on("result", ({ text }) => (document.body.textContent = text));
 *   document.body.onclick = () => void view.callTool("refresh");
 * }
 * ```
 */
export async function connectView<Server = unknown, Name = unknown>(options: ViewOptions): Promise<ViewOf<Server, Name>> {
  assertKnown("connectView()", options, VIEW_OPTIONS);
  const { name, version, displayModes = ["inline"], tools, timeout = 60_000 } = options;
  if (parent === window) throw new ViewError(-32000, NO_HOST);
  let view: View | undefined;
  let stop: (() => void) | undefined;
  const peer = new Peer({
    async request(method, params, signal) {
      if (method === "ping") return {};
      if (method === "tools/list" && tools) return { tools: Object.entries(tools).map(describe) };
      if (method === "tools/call" && tools) return callOwn(tools, params, signal);
      if (method !== "ui/resource-teardown") throw new ViewError(-32601, "Method not found");
      stop?.();
      await view?.emit("close", undefined);
      return {};
    },
    notification(method, params) {
      const [, kind = ""] = method.split("ui/notifications/");
      if (kind === "host-context-changed") {
        if (options.applyStyles !== false) applyStyles(params);
        void view?.emit("context", { ...view.context, ...params });
      } else if (Object.hasOwn(EVENTS, kind)) void view?.emit(...EVENTS[kind]!(params));
    },
  });
  const appCapabilities: AppCapabilities = { availableDisplayModes: displayModes, ...(tools && { tools: {} }) };
  const params = { appInfo: { name, version }, appCapabilities, protocolVersion: APPS_REVISION };
  try {
    const agreed = (await peer.request("ui/initialize", params, { timeout })) as unknown as InitializeViewResult; // the host's
    view = new View(peer, agreed, displayModes);
  } catch (error) {
    peer.close();
    throw error;
  }
  if (options.applyStyles !== false) applyStyles(view.context);
  peer.notify("ui/notifications/initialized");
  if (options.reportSize !== false) stop = watchSize((size) => peer.notify("ui/notifications/size-changed", size));
  return view as unknown as ViewOf<Server, Name>; // the compiler knows the server, the code does not
}

function describe([name, { description, inputSchema }]: [string, ViewTool]): JsonObject {
  return { name, ...(description && { description }), inputSchema: inputSchema ?? { type: "object" } };
}

/** @throws ViewError -32602 for a tool that the view does not have */
async function callOwn(tools: NonNullable<ViewOptions["tools"]>, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const { name, arguments: args = {} } = params;
  if (!Object.hasOwn(tools, String(name))) throw new ViewError(-32602, "Unknown tool");
  try {
    const result = await tools[String(name)]!.run(args as JsonObject, signal); // checked by the host, or not
    return typeof result === "string" ? { content: [{ type: "text", text: result }] } : result;
  } catch (error) {
    return { content: [{ type: "text", text: (error as Error).message }], isError: true };
  }
}

let fonts: HTMLStyleElement | undefined;

/** Sets `data-theme`, the color scheme, the host's CSS variables and its fonts on the document. */
function applyStyles({ theme, styles }: HostContext): void {
  const { dataset, style } = document.documentElement;
  if (theme) style.colorScheme = dataset["theme"] = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) style.setProperty(name, value ?? null);
  if (styles?.css?.fonts === undefined) return;
  fonts ??= document.head.appendChild(document.createElement("style"));
  fonts.textContent = styles.css.fonts;
}

/** Calls `report` with the size of the content in CSS pixels, now and after each change. Returns a function that stops. */
function watchSize(report: (size: { width: number; height: number }) => void): () => void {
  let last = "";
  const observer = new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    const text = JSON.stringify(size);
    if (text !== last) report(size);
    last = text;
  });
  observer.observe(document.documentElement);
  return () => observer.disconnect();
}
