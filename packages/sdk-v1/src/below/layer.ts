/**
 * What an official `Server` serves on the Tenon server below it, beside what is registered there.
 *
 * A list has the items of both; a call goes to the tool, prompt or resource that is registered on Tenon, else to the official handler.
 */
import { mergeCapabilities } from "mcp-sdk-v1/shared/protocol.js";
import type { InitializeResult, JSONRPCNotification } from "mcp-sdk-v1/types.js";
import type { Handler, JsonObject, MaybePromise, McpServer, RequestContext, ServerCapabilities } from "tenon";
import type { FeatureKind } from "tenon/server";
import { type EmbeddedHandlers, isStatefulVersion, sourceOf } from "tenon/internal/embedding";
import type { OfficialParts } from "./official-parts.ts";
import { NewestTasks, type Run } from "./newest-tasks.ts";
import { TASKS } from "./older-form.ts";
import { toolPageOf } from "./tool-page.ts";

/** What the layer needs of a server. */
export interface LayerHost {
  readonly official: OfficialParts;
  readonly tenon: McpServer;
  readonly fallback: () => unknown;
  readonly run: Run;
  /** Whether a request is the handshake that stands in for one that the client did not make. */
  isMadeHandshake(context: RequestContext): boolean;
  /** Called with each handshake of a client. */
  agreed(context: RequestContext): void;
  /** Called with each request. */
  requested(context: RequestContext): void;
}

/** Whether anything of a kind is registered on Tenon. */
function hasAny(server: McpServer, kind: FeatureKind): boolean {
  const [first] = sourceOf(server).entries(kind);
  return first !== undefined;
}

/** With a handshake tasks are the official server's: what it declares of them holds. */
function withoutTasks(capabilities: ServerCapabilities): ServerCapabilities {
  const { tasks: _tasks, extensions: all, ...others } = capabilities;
  const { [TASKS]: _extension, ...extensions } = all ?? {};
  return { ...others, ...(Object.keys(extensions).length > 0 && { extensions }) };
}

/** Methods that Tenon serves itself, also if the official server has a handler for all others. */
const OWN = new Set(["initialize", "server/discover", "subscriptions/listen"]);

/** The lists, each with its member in the result and the kind of its items. */
const LISTS: ReadonlyMap<string, { readonly member: string; readonly kind: FeatureKind; readonly key: string }> = new Map([
  ["tools/list", { member: "tools", kind: "tool", key: "name" }],
  ["prompts/list", { member: "prompts", kind: "prompt", key: "name" }],
  ["resources/list", { member: "resources", kind: "resource", key: "uri" }],
  ["resources/templates/list", { member: "resourceTemplates", kind: "template", key: "uriTemplate" }],
]);

export class Layer implements EmbeddedHandlers {
  readonly #host: LayerHost;
  readonly #tasks: NewestTasks;

  constructor(host: LayerHost) {
    this.#host = host;
    this.#tasks = new NewestTasks(host.tenon, host.run);
  }

  get capabilities(): JsonObject {
    return this.#host.official._capabilities;
  }

  has(method: string): boolean {
    return this.#host.official._requestHandlers.has(method) || (this.#host.fallback() !== undefined && !OWN.has(method));
  }

  notified(method: string, params: JsonObject | undefined): void {
    const notification = { jsonrpc: "2.0", method, ...(params !== undefined && { params }) } as JSONRPCNotification; // as it arrived
    this.#host.official._onnotification(notification);
  }

  handle(context: RequestContext, next: Handler<RequestContext>): MaybePromise<JsonObject> {
    const { method } = context;
    this.#host.requested(context);
    if (method === "initialize") return this.#initialize(context, next);
    if (OWN.has(method) || !this.has(method) || this.#isRegistered(context)) return next(context);
    context.isResultChecked = method === "tools/call" || isStatefulVersion(context.protocolVersion);
    if (!isStatefulVersion(context.protocolVersion)) {
      if (method.startsWith("tasks/")) return next(context); // the extension's
      const support = method === "tools/call" ? toolPageOf(this.#host.official)?.taskSupportOf(String(context.params["name"])) : undefined;
      if (support !== undefined) return this.#tasks.call(context, support);
    }
    const list = LISTS.get(method);
    if (list !== undefined && hasAny(this.#host.tenon, list.kind)) return this.#both(list, context, next);
    if (method === "tools/list") return this.#tools(context);
    if (method === "resources/read" && hasAny(this.#host.tenon, "template")) return this.#read(context, next);
    return this.#host.run(context);
  }

  async #initialize(context: RequestContext, next: Handler<RequestContext>): Promise<JsonObject> {
    const agreed = await next(context);
    this.#host.agreed(context);
    if (this.#host.isMadeHandshake(context)) return agreed;
    const { capabilities, ...said } = (await this.#host.run(context)) as InitializeResult; // the handler's schema says so
    return { ...said, capabilities: mergeCapabilities(withoutTasks(this.#host.tenon.capabilities), capabilities) };
  }

  /** Whether a request is for what is registered on Tenon. */
  #isRegistered({ method, params }: RequestContext): boolean {
    const tenon = sourceOf(this.#host.tenon);
    if (method === "tools/call") return tenon.find("tool", String(params["name"])) !== undefined;
    if (method === "prompts/get") return tenon.find("prompt", String(params["name"])) !== undefined;
    if (method === "resources/read") return tenon.find("resource", String(params["uri"])) !== undefined;
    if (method !== "completion/complete") return false;
    const { name, uri } = params["ref"] as { name?: string; uri?: string }; // checked by the codec
    return name === undefined ? tenon.find("template", String(uri)) !== undefined : tenon.find("prompt", name) !== undefined;
  }

  /** The official list of tools, which is made anew only if a tool has changed. */
  #tools(context: RequestContext): MaybePromise<JsonObject> {
    const { official, tenon } = this.#host;
    const page = toolPageOf(official);
    return page?.current ?? this.#host.run(context).then((result) => page?.keep(result, context, tenon.info) ?? result);
  }

  /** The official list and, after its last page, what is registered on Tenon. */
  async #both(
    { member, key }: { member: string; key: string },
    context: RequestContext,
    next: Handler<RequestContext>,
  ): Promise<JsonObject> {
    const official = await this.#host.run(context);
    if (official["nextCursor"] !== undefined) return official;
    const { cursor: _, ...params } = context.params;
    context.params = params;
    const own = await next(context);
    const registered = own[member] as JsonObject[]; // Tenon's own lists
    const names = new Set(registered.map((item) => item[key]));
    const old = (official[member] as JsonObject[]).filter((item) => !names.has(item[key]));
    return { ...own, ...official, [member]: [...old, ...registered] };
  }

  /** Reads what the official server knows, else what a template on Tenon reads. */
  async #read(context: RequestContext, next: Handler<RequestContext>): Promise<JsonObject> {
    try {
      return await this.#host.run(context);
    } catch (error) {
      if (context.signal.aborted) throw error;
      return next(context);
    }
  }
}
