/**
 * `Client`: the calls of a connected client, typed.
 *
 * A call goes middleware → codec → dispatcher and back. The client is one connection to one server; `connect()` makes
 * it. What the server asks in the other direction is answered in `answering.ts`.
 */
import { isPromise, type MaybePromise } from "../jsonrpc/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { EmptyResult, PaginatedRequestParams, RequestMeta } from "../protocol/base.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { Resource } from "../protocol/content.ts";
import type { ProgressNotificationParams } from "../protocol/lifecycle.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import type { ParamsOf, RequestMethod, ResultOf } from "../protocol/messages.ts";
import type { CompleteRequestParams, CompleteResult, GetPromptResult, ListPromptsResult, Prompt } from "../protocol/prompts.ts";
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult, ResourceTemplate } from "../protocol/resources.ts";
import type { CallToolResult, ListToolsResult, Tool } from "../protocol/tools.ts";
import { defaultJsonSchemaValidator } from "../schema/json-schema-validator.ts";
import { systemClock, type Clock } from "../dispatch/clock.ts";
import { withDefaults } from "../dispatch/limits.ts";
import { onlyFor, type Handler, type Middleware } from "../session/handler.ts";
import type { ChangeStream, ListenFilter } from "./changes.ts";
import { InputRequiredError } from "./errors.ts";
import type { Inbox } from "./inbox.ts";
import type { ClientLink } from "./link.ts";
import type { ConnectOptions } from "./options.ts";
import type { CallOptions, OutgoingRequest, ToolCallOptions } from "./outgoing-request.ts";
import { OutputCheck } from "./output-check.ts";
import { items } from "./pages.ts";
import { ToolResult } from "./tool-result.ts";
import { answerRounds } from "./rounds.ts";
import { Watches } from "./watches.ts";

type ClientHandler = Handler<OutgoingRequest>;

const NO_OPTIONS: CallOptions = {};

export class Client implements AsyncDisposable {
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
  readonly #link: ClientLink;
  readonly #inbox: Inbox;
  readonly #watches: Watches = new Watches((method, params) => this.request(method, params));
  readonly #output: OutputCheck;
  readonly #validateOutput: boolean;
  /** Outermost: every round goes through the middleware. */
  readonly #rounds: Middleware<OutgoingRequest>;
  readonly #ended = new AbortController();
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #salvage: ConnectOptions["salvage"];
  #handler: ClientHandler;
  /** Streams opened so far. */
  #streams = 0;

  /** @internal Made by `connect()`. */
  constructor(link: ClientLink, inbox: Inbox, closed: Promise<void>, options: ConnectOptions, report: (error: unknown) => void) {
    this.#link = link;
    this.#inbox = inbox;
    this.closed = closed;
    this.#timeout = withDefaults(options).timeout;
    this.#clock = options.clock ?? systemClock;
    this.#salvage = options.salvage;
    void closed.then(() => this.#ended.abort());
    this.#validateOutput = options.validateOutput ?? true;
    this.#output = new OutputCheck(options.validator ?? defaultJsonSchemaValidator, (name) => this.#lookUp(name), report);
    inbox.subscribe((method) => {
      if (method === "notifications/tools/list_changed") this.#output.forget();
    });
    this.#rounds = answerRounds(link, options, report, this.#ended.signal);
    this.#handler = this.#rounds(link.around(this.#send));
  }

  // ---- the server ----

  /** The revision both sides speak. */
  get protocolVersion(): string {
    return this.#link.codec.version;
  }

  get serverCapabilities(): ServerCapabilities {
    return this.#link.server.capabilities;
  }

  /** Who the server says it is. Not verified; absent where it does not say. */
  get serverInfo(): Implementation | undefined {
    return this.#link.server.info;
  }

  /** How to use this server, for the model. */
  get instructions(): string | undefined {
    return this.#link.server.instructions;
  }

  // ---- any request ----

  /**
   * Sends a request and resolves with its checked result.
   * @throws McpError what the server answered, or `RequestTimeoutError`, `ConnectionClosedError`, `ProtocolViolationError`
   */
  request<M extends RequestMethod>(method: M, params?: ParamsOf<M>, options?: CallOptions): Promise<ResultOf<M>>;
  request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  request(method: string, params: JsonObject = {}, options: CallOptions = NO_OPTIONS): Promise<JsonObject> {
    const { meta } = options;
    const body = meta === undefined ? params : { ...params, _meta: { ...(params["_meta"] as RequestMeta | undefined), ...meta } };
    try {
      const result = this.#handler(this.#link.outgoing(method, body, options));
      return isPromise(result) ? result : Promise.resolve(result);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Innermost handler: onto the wire and back. */
  readonly #send: ClientHandler = ({ method, params, options }) => {
    const { codec, dispatcher, identity, heldUntil } = this.#link;
    // A server that waits for its user is not slow.
    const { elicitation, sampling } = identity.capabilities;
    const patient = codec.stateless || (elicitation ?? sampling) === undefined ? options : { ...options, heldUntil };
    const salvage = this.#salvage;
    const decode = (result: JsonObject): JsonObject => codec.decodeResult(method, result);
    return dispatcher
      .request(method, codec.encodeParams(method, params, identity), patient)
      .then(salvage ? (result) => salvage(method, result, decode) : decode);
  };

  /**
   * Wraps every request, or those of one method; what was added first is outermost. Takes effect at once; what is to
   * see the handshake too is given to `connect()` as `middleware`.
   */
  use(middleware: Middleware<OutgoingRequest>): this;
  use(method: string, middleware: Middleware<OutgoingRequest>): this;
  use(first: string | Middleware<OutgoingRequest>, second?: Middleware<OutgoingRequest>): this {
    this.#link.use(typeof first === "string" ? onlyFor(first, second!) : first);
    this.#handler = this.#rounds(this.#link.around(this.#send));
    return this;
  }

  /** Sends a notification. Never fails: on a closed connection it is dropped. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    const { codec, dispatcher } = this.#link;
    if (codec.hasNotification(method, "client")) await dispatcher.notify(method, codec.encodeParams(method, params));
  }

  // ---- tools ----

  /**
   * Calls a tool. A failure of the tool is a result with `isError`, not an exception.
   * @throws McpError for an unknown tool and for what the protocol calls an error
   * @throws ToolOutputValidationError where structured content does not match the schema the tool published
   */
  async callTool<Data = unknown>(name: string, args?: JsonObject, options: ToolCallOptions = NO_OPTIONS): Promise<ToolResult<Data>> {
    const result = await this.request("tools/call", args === undefined ? { name } : { name, arguments: args }, options);
    if (result.resultType === "input_required") throw new InputRequiredError("tools/call", result);
    const called = result as CallToolResult; // the other kinds of result have been ruled out
    if (options.validateOutput ?? this.#validateOutput) {
      const accepted: MaybePromise<CallToolResult> = this.#output.accept(name, called);
      if (isPromise(accepted)) await accepted;
    }
    return new ToolResult<Data>(called);
  }

  /** One page of the tools. */
  async listTools(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListToolsResult> {
    const page = await this.request("tools/list", params, options);
    this.#output.learn(page.tools);
    return page;
  }

  /** All tools, page by page as they are needed. */
  tools(options?: CallOptions): AsyncGenerator<Tool, void, undefined> {
    return items(
      (cursor) => this.listTools(cursor === undefined ? {} : { cursor }, options),
      (page) => page.tools,
    );
  }

  async #lookUp(name: string): Promise<void> {
    for await (const tool of this.tools()) if (tool.name === name) return;
  }

  // ---- resources ----

  /** One page of the resources. */
  listResources(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListResourcesResult> {
    return this.request("resources/list", params, options);
  }

  /** All resources, page by page as they are needed. */
  resources(options?: CallOptions): AsyncGenerator<Resource, void, undefined> {
    return items(
      (cursor) => this.listResources(cursor === undefined ? {} : { cursor }, options),
      (page) => page.resources,
    );
  }

  /** One page of the resource templates. */
  listResourceTemplates(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListResourceTemplatesResult> {
    return this.request("resources/templates/list", params, options);
  }

  /** All resource templates, page by page as they are needed. */
  resourceTemplates(options?: CallOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return items(
      (cursor) => this.listResourceTemplates(cursor === undefined ? {} : { cursor }, options),
      (page) => page.resourceTemplates,
    );
  }

  /** Reads a resource. The URI is sent as it is, never normalised (CL-17). */
  async readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    const result = await this.request("resources/read", { uri }, options);
    if (result.resultType === "input_required") throw new InputRequiredError("resources/read", result);
    return result as ReadResourceResult; // the other kind of result has been ruled out
  }

  /** From now on the server tells when that resource changes. Stateful revisions only: see {@link Client.listen}. */
  subscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult> {
    return this.request("resources/subscribe", { uri }, options);
  }

  unsubscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult> {
    return this.request("resources/unsubscribe", { uri }, options);
  }

  // ---- prompts ----

  /** One page of the prompts. */
  listPrompts(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListPromptsResult> {
    return this.request("prompts/list", params, options);
  }

  /** All prompts, page by page as they are needed. */
  prompts(options?: CallOptions): AsyncGenerator<Prompt, void, undefined> {
    return items(
      (cursor) => this.listPrompts(cursor === undefined ? {} : { cursor }, options),
      (page) => page.prompts,
    );
  }

  /** Fills in a prompt. Arguments are strings. */
  async getPrompt(name: string, args?: { [name: string]: string }, options?: CallOptions): Promise<GetPromptResult> {
    const result = await this.request("prompts/get", args === undefined ? { name } : { name, arguments: args }, options);
    if (result.resultType === "input_required") throw new InputRequiredError("prompts/get", result);
    return result as GetPromptResult; // the other kind of result has been ruled out
  }

  /** Suggestions for an argument of a prompt or a variable of a resource template. */
  complete(params: CompleteRequestParams, options?: CallOptions): Promise<CompleteResult> {
    return this.request("completion/complete", params, options);
  }

  // ---- the connection ----

  /**
   * Watches for changes: `for await (const change of await client.listen({ tools: true }))`. Resolves once the server
   * watches.
   */
  async listen(filter: ListenFilter): Promise<ChangeStream> {
    const { openChanges } = await import("./listen.ts");
    return openChanges(
      {
        stateless: this.#link.codec.stateless,
        inbox: this.#inbox,
        watches: this.#watches,
        nextStreamId: () => `listen-${++this.#streams}`,
        ended: this.#ended.signal,
        timeout: this.#timeout,
        clock: this.#clock,
        request: (method, params, options) => this.request(method, params, options),
      },
      filter,
    );
  }

  /** Asks whether the server is there. Stateful revisions only. */
  ping(options?: CallOptions): Promise<EmptyResult> {
    return this.request("ping", {}, options);
  }

  /** The least severe log message wanted from now on. On stateless revisions every request says so by itself. */
  async setLoggingLevel(level: LoggingLevel, options?: CallOptions): Promise<void> {
    if (this.#link.codec.stateless) this.#link.identity = { ...this.#link.identity, logLevel: level };
    else await this.request("logging/setLevel", { level }, options);
  }

  /** Tells the server how far one of its requests has come. Stateful revisions only. */
  sendProgress(params: ProgressNotificationParams): Promise<void> {
    return this.notify("notifications/progress", params);
  }

  /** Tells the server that the roots have changed. Stateful revisions only. */
  sendRootsListChanged(): Promise<void> {
    return this.notify("notifications/roots/list_changed");
  }

  /** Ends the connection: calls under way fail, a child process is ended. Idempotent and bounded in time. */
  async close(): Promise<void> {
    await this.#link.dispatcher.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
