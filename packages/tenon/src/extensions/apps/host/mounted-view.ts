/**
 * One view while it is shown: its frame, its connection, and what it has been told.
 *
 * Made by `AppHost.mount()`. Requests of the view are in `view-requests.ts`, the order of its notifications in `tool-feed.ts`.
 */
import { reportTo } from "../../../base/report-to.ts";
import type { InboundRequest, RequestOptions } from "../../../dispatch/dispatcher.ts";
import { JsonRpcDispatcher } from "../../../dispatch/json-rpc-dispatcher.ts";
import { ErrorCode, McpError, McpUsageError, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import { APPS_REVISION, type DisplayMode, type HostContext } from "../../../protocol/apps.ts";
import type { Implementation } from "../../../protocol/capabilities.ts";
import type { CallToolResult, Tool } from "../../../protocol/tools.ts";
import type { AppView } from "./app-view.ts";
import { FrameTransport } from "./frame-transport.ts";
import type { LoadedView } from "./loaded-view.ts";
import type { AppHostOptions, AppLimits } from "./options.ts";
import { onLeft, showView } from "./sandbox-frame.ts";
import type { ServerTools } from "./server-tools.ts";
import { ToolFeed } from "./tool-feed.ts";
import { handlerOf, hostCapabilitiesOf } from "./view-requests.ts";

/** @internal What a view is made of. */
export interface MountedViewParts {
  readonly tool: Tool;
  readonly uri: string;
  readonly frame: HTMLIFrameElement;
  readonly loaded: LoadedView;
  readonly options: AppHostOptions;
  readonly limits: AppLimits;
  readonly tools: ServerTools;
  readonly context: HostContext;
  readonly origin: string;
  readonly onClose: (view: MountedView) => void;
}

type Phase = "new" | "initializing" | "ready" | "closed";

/** A view that is shown. */
export class MountedView implements AppView {
  readonly tool: Tool;
  readonly uri: string;
  readonly frame: HTMLIFrameElement;
  readonly prefersBorder: boolean | undefined;
  /** Resolves when the view has started. Rejects if it is closed before. A view without a script never starts. */
  readonly ready: Promise<void>;
  /** Resolves when the frame was removed, with the reason if it was not `close()`. */
  readonly closed: Promise<Error | undefined>;
  readonly #parts: MountedViewParts;
  readonly #dispatcher: JsonRpcDispatcher;
  readonly #feed: ToolFeed;
  readonly #stopWatching: () => void;
  #context: HostContext;
  #displayModes: readonly DisplayMode[] = [];
  #hasTools = false;
  #info: Implementation | undefined;
  #phase: Phase = "new";
  #height: number | undefined;
  #start!: { resolve(): void; reject(error: Error): void };
  #end!: (reason: Error | undefined) => void;

  /** @internal Shows the view in a frame whose sandbox page is ready. */
  constructor(parts: MountedViewParts) {
    const { frame, origin, limits, loaded, options } = parts;
    this.tool = parts.tool;
    this.uri = parts.uri;
    this.frame = frame;
    this.prefersBorder = loaded.prefersBorder;
    this.ready = new Promise((resolve, reject) => (this.#start = { resolve, reject }));
    this.ready.catch(() => undefined); // a caller need not wait for it
    this.closed = new Promise((resolve) => (this.#end = resolve));
    this.#parts = parts;
    this.#context = parts.context;
    const { onTraffic, onError } = options;
    const transport = new FrameTransport(frame.contentWindow!, origin, {
      ...limits,
      onTraffic,
      onError: (error) => reportTo(onError, error),
    });
    this.#dispatcher = new JsonRpcDispatcher(transport, {
      limits: { maxInFlight: limits.maxInFlight, maxMalformed: limits.messagesPerSecond },
      onError: (error) => reportTo(onError, error),
    });
    this.#feed = new ToolFeed((method, params) => this.#dispatcher.notify(method, params));
    this.#stopWatching = onLeft(frame, origin, () => this.#remove(new ProtocolViolationError("The view left its page for another")));
    const ended = this.#dispatcher.run(
      (request) => this.#handle(request),
      (method, params = {}) => this.#hear(method, params),
    );
    void ended.then(() => this.#remove(new ProtocolViolationError("The connection to the view ended: it sent too much")));
    showView(frame, loaded, origin);
  }

  /** The name and version that the view told; undefined before it has started. */
  get info(): Implementation | undefined {
    return this.#info;
  }

  get displayModes(): readonly DisplayMode[] {
    return this.#displayModes;
  }

  get context(): HostContext {
    return this.#context;
  }

  // ---- what the host tells the view ----

  /** Tells the arguments so far, while the model writes them. @throws McpUsageError after {@link sendInput} */
  sendPartialInput(args: JsonObject): void {
    this.#feed.partialInput(args);
  }

  /** Tells the complete arguments, once. @throws McpUsageError if it was called, or the arguments were given to `mount()` */
  sendInput(args: JsonObject): void {
    this.#feed.input(args);
  }

  /** Tells the result of the call. Only the first end of the call counts. */
  sendResult(result: CallToolResult): void {
    this.#feed.end("tool-result", { ...result });
  }

  /** Tells that the call was cancelled, by the user or for another reason. */
  sendCancelled(reason?: string): void {
    this.#feed.end("tool-cancelled", reason === undefined ? {} : { reason });
  }

  setContext(change: HostContext): void {
    const { displayMode } = change;
    if (displayMode !== undefined && this.#phase === "ready" && !this.#displayModes.includes(displayMode))
      throw new McpUsageError(`The view did not declare the display mode "${displayMode}"`);
    this.#context = { ...this.#context, ...change };
    if (this.#phase === "ready") void this.#dispatcher.notify("ui/notifications/host-context-changed", { ...change });
  }

  /** The tools that the view itself has (draft); empty if it has none. @throws McpError the view's error */
  async listTools(options?: RequestOptions): Promise<readonly Tool[]> {
    await this.ready;
    if (!this.#hasTools) return [];
    const { tools } = await this.#dispatcher.request("tools/list", {}, options);
    if (!Array.isArray(tools)) throw new ProtocolViolationError("The view returned no list of tools");
    return tools as Tool[]; // the view's own words, like a server's
  }

  /** Calls a tool of the view itself (draft). @throws McpError the view's error, -32601 if it has no tools */
  async callTool(name: string, args: JsonObject = {}, options?: RequestOptions): Promise<CallToolResult> {
    await this.ready;
    if (!this.#hasTools) throw new McpError(ErrorCode.MethodNotFound, "The view has no tools");
    const result = await this.#dispatcher.request("tools/call", { name, arguments: args }, options);
    if (!Array.isArray(result["content"])) throw new ProtocolViolationError("The view returned no content");
    return result as CallToolResult; // the view's own words, like a server's
  }

  // ---- what the view sends ----

  async #handle(request: InboundRequest): Promise<JsonObject> {
    const { method, params = {} } = request;
    if (method === "ui/initialize") return this.#initialize(params);
    if (method !== "ping" && this.#phase !== "ready")
      throw this.#told(new McpError(ErrorCode.InvalidRequest, `Send ui/notifications/initialized before "${method}"`));
    const { options, tools } = this.#parts;
    const handle = handlerOf(method, options);
    if (handle === undefined) throw new McpError(ErrorCode.MethodNotFound, `The host does not have "${method}"`);
    return handle({ view: this, options, tools, params, request });
  }

  #initialize({ appInfo, appCapabilities = {} }: JsonObject): JsonObject {
    if (this.#phase !== "new") throw new McpError(ErrorCode.InvalidRequest, "The view was initialized already");
    if (!isJsonObject(appInfo) || typeof appInfo["name"] !== "string" || !isJsonObject(appCapabilities))
      throw new McpError(ErrorCode.InvalidParams, "appInfo must have a name, and appCapabilities must be an object");
    const { availableDisplayModes: modes, tools } = appCapabilities;
    this.#phase = "initializing";
    this.#info = appInfo as unknown as Implementation; // a name was checked; the rest is for a log
    this.#displayModes = Array.isArray(modes) ? (modes.filter((mode) => typeof mode === "string") as DisplayMode[]) : ["inline"];
    this.#hasTools = isJsonObject(tools);
    const { options, loaded } = this.#parts;
    const permissions = Object.fromEntries(loaded.permissions.map((permission) => [permission, {}]));
    const hostCapabilities = hostCapabilitiesOf(options, { permissions, csp: { ...loaded.csp } });
    return { protocolVersion: APPS_REVISION, hostInfo: options.info, hostCapabilities, hostContext: this.#context };
  }

  #hear(method: string, params: JsonObject): void {
    const { options } = this.#parts;
    if (method === "ui/notifications/initialized" && this.#phase === "initializing") {
      this.#phase = "ready";
      this.#feed.ready();
      this.#start.resolve();
    } else if (method.startsWith("ui/notifications/sandbox-")) return; // of the sandbox page
    else if (this.#phase !== "ready") this.#told(new ProtocolViolationError(`The view sent "${method.slice(0, 100)}" before it was ready`));
    else if (method === "ui/notifications/size-changed") this.#resize(params["height"]);
    else if (method === "notifications/message") options.onLog?.({ level: params["level"], data: params["data"] }, this);
    else if (method === "ui/notifications/request-teardown" && options.onCloseRequest?.(this) !== false) void this.close();
  }

  /** Reports what was refused or dropped. */
  #told<E extends Error>(error: E): E {
    reportTo(this.#parts.options.onError, error);
    return error;
  }

  /** Follows the height of the view, once a frame of the browser, unless the host set the height. */
  #resize(height: unknown): void {
    if (typeof height !== "number" || !(height >= 0) || this.#context.containerDimensions?.height !== undefined) return;
    const isWaiting = this.#height !== undefined;
    this.#height = Math.min(height, this.#parts.limits.maxHeight, this.#context.containerDimensions?.maxHeight ?? Infinity);
    if (isWaiting) return;
    requestAnimationFrame(() => {
      this.frame.style.height = `${this.#height}px`;
      this.#height = undefined;
    });
  }

  // ---- the end ----

  /** Tells the view that it ends, waits for it at most `limits.closeTimeout`, and removes the frame. Idempotent. */
  async close(reason = "The host closes the view"): Promise<void> {
    if (this.#phase === "ready") {
      const timeout = this.#parts.limits.closeTimeout;
      await this.#dispatcher.request("ui/resource-teardown", { reason }, { timeout }).catch(() => undefined); // it ends all the same
    }
    this.#remove(undefined);
  }

  #remove(reason: Error | undefined): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#stopWatching();
    this.frame.remove();
    this.#start.reject(reason ?? new McpError(ErrorCode.ConnectionClosed, "The view was closed"));
    this.#end(reason);
    this.#parts.onClose(this);
    if (reason !== undefined) this.#told(reason);
    void this.#dispatcher.close(reason);
  }
}
