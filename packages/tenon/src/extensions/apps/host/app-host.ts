/**
 * `AppHost`: shows the views of one server's tools in a web page. MCP Apps 2026-01-26.
 *
 * One host serves one client: a view can reach the tools and the resources of its own server only, because its host knows no other.
 */
import { assertKnown } from "../../../base/known-options.ts";
import { McpError, McpUsageError, ErrorCode } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { HostContext } from "../../../protocol/apps.ts";
import type { CallToolResult, Tool } from "../../../protocol/tools.ts";
import { loadView, type LoadedView } from "./loaded-view.ts";
import { MountedView } from "./mounted-view.ts";
import { APP_HOST_OPTIONS, appLimits, type AppHostOptions, type AppLimits } from "./options.ts";
import { openFrame } from "./sandbox-frame.ts";
import { ServerTools } from "./server-tools.ts";
import { isVisibleTo, viewUriOf } from "./tool-access.ts";

/** The call that a view shows. */
export interface ShownCall {
  /** The tool, from {@link AppHost.modelTools}. */
  readonly tool: Tool;
  /** The arguments of the call. Default: given later, by `sendInput()`. */
  readonly arguments?: JsonObject;
  /** The result, or the promise of one. A promise that rejects means that the call was cancelled. Default: given later, by `sendResult()`. */
  readonly result?: CallToolResult | Promise<CallToolResult>;
  /** The id of the request, for the view. Default: none. */
  readonly id?: string | number;
}

/**
 * Shows the views of one server's tools.
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { apps } from "tenon/ext/apps";
 * import { AppHost } from "tenon/ext/apps/host";
 *
 * async function main(container: HTMLElement): Promise<void> {
 *   const client = await connect("https://weather.example/mcp", { extensions: [apps()] });
 *   const host = new AppHost({
 *     client,
 *     sandbox: "https://sandbox.example/",
 *     info: { name: "chat", version: "1.0.0" },
 *     approve: (request) => request.kind === "view" || confirm(`Allow the view to use ${request.kind}?`),
 *   });
 *   const [tool] = await host.modelTools();
 *   const args = { city: "Rome" };
 *   await host.mount(container, { tool: tool!, arguments: args, result: client.callTool(tool!.name, args) });
 * }
 * ```
 */
export class AppHost {
  readonly #options: AppHostOptions;
  readonly #limits: AppLimits;
  readonly #sandbox: URL;
  readonly #tools: ServerTools;
  readonly #views = new Set<MountedView>();
  #context: HostContext;

  /**
   * Sends nothing to the server.
   * @throws RangeError if the sandbox page has the origin of this page, or a limit is out of range; TypeError for unknown options
   */
  constructor(options: AppHostOptions) {
    assertKnown("new AppHost()", options, APP_HOST_OPTIONS);
    if (typeof options.approve !== "function") throw new TypeError('Option "approve" of new AppHost() must be a function');
    this.#sandbox = new URL(options.sandbox, location.href);
    if (this.#sandbox.origin === location.origin || this.#sandbox.origin === "null")
      throw new RangeError(`Option "sandbox" must be a URL of another origin than ${location.origin}: a view could else reach this page`);
    this.#options = options;
    this.#limits = appLimits(options.limits);
    this.#tools = new ServerTools(options.client);
    this.#context = options.context ?? {};
  }

  /** The views that are shown. */
  get views(): ReadonlySet<MountedView> {
    return this.#views;
  }

  /** The tools that the model may see: all but those for views only. Reads all pages of the server's list. @throws McpError */
  async modelTools(): Promise<readonly Tool[]> {
    const tools = await this.#tools.read();
    return tools.filter((tool) => isVisibleTo(tool, "model"));
  }

  /** Whether a tool has a view. */
  hasView(tool: Tool): boolean {
    return viewUriOf(tool) !== undefined;
  }

  /**
   * Shows the view of a tool in `container`, and tells it the call. Resolves when the view begins to run; `ready` of the view says when
   * it has started.
   * @throws McpUsageError if the tool has no view; InvalidViewError if the server's view breaks a rule; LimitExceededError if it is too
   * large; McpError -32000 if `approve` refused or the sandbox page does not respond, or the server's error
   */
  async mount(container: Element, call: ShownCall): Promise<MountedView> {
    const { tool } = call;
    const uri = viewUriOf(tool);
    if (uri === undefined) throw new McpUsageError(`Tool "${tool.name}" has no view`);
    const { client, approve, permissions: granted = [] } = this.#options;
    const loaded = await loadView(client, uri, { maxHtmlBytes: this.#limits.maxHtmlBytes, granted });
    const { csp, permissions } = loaded;
    if (!(await approve({ kind: "view", tool, uri, csp, permissions })))
      throw new McpError(ErrorCode.ConnectionClosed, `The view ${uri} was not approved`);
    const view = await this.#open(container, call, { uri, loaded });
    this.#views.add(view);
    if (call.arguments !== undefined) view.sendInput(call.arguments);
    if (call.result !== undefined) void this.#follow(view, call.result);
    return view;
  }

  async #open(container: Element, { tool, id }: ShownCall, { uri, loaded }: { uri: string; loaded: LoadedView }): Promise<MountedView> {
    const sandbox = this.#sandbox;
    const limits = this.#limits;
    const frame = await openFrame(container, loaded, { sandbox, timeout: limits.sandboxTimeout });
    const context: HostContext = {
      displayMode: "inline",
      availableDisplayModes: ["inline"],
      containerDimensions: { width: container.clientWidth, maxHeight: limits.maxHeight },
      ...this.#context,
      toolInfo: { tool, ...(id !== undefined && { id }) },
    };
    const { height } = context.containerDimensions ?? {};
    if (height !== undefined) frame.style.height = `${height}px`;
    const onClose = (view: MountedView): void => void this.#views.delete(view);
    return new MountedView({
      tool,
      uri,
      frame,
      loaded,
      options: this.#options,
      limits,
      tools: this.#tools,
      context,
      origin: sandbox.origin,
      onClose,
    });
  }

  async #follow(view: MountedView, result: CallToolResult | Promise<CallToolResult>): Promise<void> {
    try {
      view.sendResult(await result);
    } catch (error) {
      view.sendCancelled(McpError.isMcpError(error) ? error.message : "The call was cancelled");
    }
  }

  /** Tells all views, and those that follow, what has changed, such as the theme. */
  setContext(change: HostContext): void {
    this.#context = { ...this.#context, ...change };
    for (const view of this.#views) view.setContext(change);
  }

  /** Closes all views. */
  async close(): Promise<void> {
    await Promise.all([...this.#views].map((view) => view.close()));
  }
}
