/**
 * A view, as its own script sees it: what the host sends, and what the view asks of the host.
 *
 * `connect-view.ts` opens it. It runs in the frame only, and stays below 4 KiB with everything it needs.
 */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { DisplayMode, HostCapabilities, HostContext, InitializeViewResult } from "../../../protocol/apps.ts";
import type { Implementation } from "../../../protocol/capabilities.ts";
import type { ContentBlock } from "../../../protocol/content.ts";
import type { ReadResourceResult } from "../../../protocol/resources.ts";
import type { CallToolResult } from "../../../protocol/tools.ts";
import type { ToolCalls } from "../../../session/tools/typed-tools.ts";
import { ViewError, type Peer, type ViewCallOptions } from "./peer.ts";

/** The result of a tool: as the server sent it, with its structured content as `data` and its text blocks as `text`. */
export type ViewToolResult<Data = unknown> = CallToolResult & {
  /** The structured content. */
  readonly data: Data;
  /** All text blocks, joined by line breaks. */
  readonly text: string;
};

/** What {@link View.on} listens to, by name. */
export interface ViewEvents<Args = JsonObject, Data = unknown> {
  /** The arguments of the call that shows the view, once, complete. */
  readonly input: Args;
  /** The arguments so far, while the model still writes them. */
  readonly partialInput: Partial<Args>;
  /** The result of that call. */
  readonly result: ViewToolResult<Data>;
  /** Why that call was cancelled, if the host said so. */
  readonly cancelled: string | undefined;
  /** What the host tells of itself, now and after each change. */
  readonly context: HostContext;
  /** The host removes the view, and waits a moment for what the listener returns. */
  readonly close: undefined;
}

type Listener = (value: never) => unknown;

/** A view that is connected to its host. Made by `connectView()`. */
export class View<Tools = JsonObject, Args = JsonObject, Data = unknown> {
  /** The name and version of the host program. */
  readonly hostInfo: Implementation;
  /** What the host does for views. */
  readonly hostCapabilities: HostCapabilities;
  /** The tools of the server, as functions that resolve with their data. They reject with {@link ViewError} if the tool failed. */
  readonly call: ToolCalls<Tools, ViewCallOptions>;
  readonly #peer: Peer;
  readonly #displayModes: readonly DisplayMode[];
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #last = new Map<string, unknown>();

  /** @internal */
  constructor(peer: Peer, { hostInfo, hostCapabilities, hostContext }: InitializeViewResult, displayModes: readonly DisplayMode[]) {
    this.#peer = peer;
    this.#displayModes = displayModes;
    this.hostInfo = hostInfo;
    this.hostCapabilities = hostCapabilities;
    this.#last.set("context", hostContext);
    // Any name is a tool: the compiler knows the server's tools.
    this.call = new Proxy({} as typeof this.call, {
      get: (_target, name: string) =>
        name === "then"
          ? undefined
          : async (args?: JsonObject, options?: ViewCallOptions) => {
              const result = await this.callTool(name, args, options);
              if (result.isError) throw new ViewError(-32000, result.text, result);
              return result.data ?? result.text;
            },
    });
  }

  /** What the host tells of itself, now. */
  get context(): HostContext {
    return this.#last.get("context") as HostContext; // set by the constructor
  }

  /**
   * Calls `listener` with each event of that name from now on, and at once with the last one if it came before. Returns a function that
   * stops.
   */
  on<Name extends keyof ViewEvents>(event: Name, listener: (value: ViewEvents<Args, Data>[Name]) => unknown): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    if (this.#last.has(event)) listener(this.#last.get(event) as never); // what `emit` kept under that name
    return () => void listeners.delete(listener);
  }

  /** @internal Calls the listeners; resolves when what they return has. */
  async emit(event: keyof ViewEvents, value: unknown): Promise<void> {
    if (event !== "close") this.#last.set(event, value);
    if (event === "input") this.#last.delete("partialInput");
    await Promise.all([...(this.#listeners.get(event) ?? [])].map((listener) => listener(value as never)));
  }

  /** Calls a tool of the view's server. The host may ask the user first. @throws ViewError the host's or the server's error */
  async callTool(name: string, args: JsonObject = {}, options?: ViewCallOptions): Promise<ViewToolResult> {
    return toViewResult(await this.#peer.request("tools/call", { name, arguments: args }, options));
  }

  /** Reads a resource of the view's server. @throws ViewError */
  async readResource(uri: string, options?: ViewCallOptions): Promise<ReadResourceResult> {
    return (await this.#peer.request("resources/read", { uri }, options)) as ReadResourceResult; // the host checked it
  }

  /** Sends a message to the conversation, as if the user had written it. @throws ViewError if the host refuses */
  async sendMessage(content: string | readonly ContentBlock[], options?: ViewCallOptions): Promise<void> {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    await this.#ask("ui/message", { role: "user", content: blocks }, options);
  }

  /** Tells the model about the view, with its next message; each call replaces what the last one told. @throws ViewError */
  async updateModelContext(
    context: { content?: readonly ContentBlock[]; structuredContent?: JsonObject },
    options?: ViewCallOptions,
  ): Promise<void> {
    await this.#ask("ui/update-model-context", context, options);
  }

  /** Opens an `https:` or `http:` URL in the user's browser. @throws ViewError if the host refuses */
  async openLink(url: string | URL, options?: ViewCallOptions): Promise<void> {
    await this.#ask("ui/open-link", { url: String(url) }, options);
  }

  /** Saves files: embedded resources or links to resources (draft). @throws ViewError if the host does not do so, or refuses */
  async downloadFile(contents: readonly ContentBlock[], options?: ViewCallOptions): Promise<void> {
    await this.#ask("ui/download-file", { contents }, options);
  }

  /** Samples the model (draft): params and result are the ones of `sampling/createMessage`. @throws ViewError */
  sample(params: JsonObject, options?: ViewCallOptions): Promise<JsonObject> {
    return this.#peer.request("sampling/createMessage", params, options);
  }

  /**
   * Asks to be shown in another mode. Resolves with the mode that the view then has, which may be another.
   * @throws ViewError if the host does not have the mode, or the view did not declare it
   */
  async requestDisplayMode(mode: DisplayMode, options?: ViewCallOptions): Promise<DisplayMode> {
    for (const [who, modes] of [
      ["host", this.context.availableDisplayModes],
      ["view", this.#displayModes],
    ] as const)
      if (!modes?.includes(mode)) throw new ViewError(-32602, `The ${who} does not have the display mode "${mode}"`);
    const { mode: actual } = await this.#peer.request("ui/request-display-mode", { mode }, options);
    return actual as DisplayMode; // the host's word for it
  }

  /** Sends a log message to the host. */
  log(level: "debug" | "info" | "warning" | "error", data: unknown): void {
    this.#peer.notify("notifications/message", { level, data });
  }

  /** Asks the host to remove the view (draft). The host decides; the event `close` follows if it does. */
  requestClose(): void {
    this.#peer.notify("ui/notifications/request-teardown");
  }

  async #ask(method: string, params: JsonObject, options: ViewCallOptions | undefined): Promise<void> {
    const { isError } = await this.#peer.request(method, params, options);
    if (isError) throw new ViewError(-32000, `The host refused "${method}"`);
  }
}

export function toViewResult(params: JsonObject): ViewToolResult {
  const result = params as CallToolResult; // the host checked it
  const text = (result.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { ...result, data: result.structuredContent, text };
}
