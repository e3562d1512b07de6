/**
 * `ClientSession`: one connection to one server, opened by hand, and the calls made over it.
 *
 * A call takes the way of `call/pipeline.ts`. `connect()` makes a `Client`, which is a session that is open and has
 * iterators and streams of changes besides. A session holds no state of messages: ids, time limits and cancellation are
 * the dispatcher's.
 */
import { reportTo } from "../base/report-to.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ConnectionClosedError, McpUsageError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { EmptyResult, PaginatedRequestParams } from "../protocol/base.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { DiscoverResult, InitializeResult, ProgressNotificationParams } from "../protocol/lifecycle.ts";
import type { ParamsOf, RequestMethod, ResultOf } from "../protocol/messages.ts";
import type { CompleteRequestParams, CompleteResult, GetPromptResult, ListPromptsResult } from "../protocol/prompts.ts";
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from "../protocol/resources.ts";
import type { CallToolResult, ListToolsResult } from "../protocol/tools.ts";
import type { LoggingLevel } from "../protocol/types.ts";
import type { MethodMiddleware, Middleware } from "../session/handler.ts";
import { assertAtLeast, CLIENT_REQUEST_RATE } from "../dispatch/limits.ts";
import { toDispatcher, type SessionSource } from "../session/session-source.ts";
import { Answers } from "./answer/answers.ts";
import { trackAnswers } from "./answer/nesting.ts";
import type { CallOptions, OutgoingRequest, ToolCallOptions } from "./call/outgoing-request.ts";
import { OutputCheck } from "./call/output-check.ts";
import { DEFAULT_LIST_SIZE, items } from "./call/pages.ts";
import { Pipeline } from "./call/pipeline.ts";
import { ServerConnection } from "./connection.ts";
import { InputRequiredError } from "./errors.ts";
import { attachExtensions } from "./extensions.ts";
import { identityOf } from "./identity.ts";
import { Inbox } from "./inbox.ts";
import { discover, handshake, type OpenOptions } from "./opening.ts";
import { ToolResult } from "./result.ts";
import { areUsed, type SessionOptions } from "./session-options.ts";

const NO_OPTIONS: CallOptions = {};

/**
 * One connection to one server: opened by {@link ClientSession.initialize} or {@link ClientSession.discover}, then called.
 * {@link Client} is one that `connect()` has opened.
 */
export class ClientSession implements AsyncDisposable {
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
  /** @internal */
  readonly connection: ServerConnection;
  /** @internal */
  readonly inbox: Inbox;
  /** @internal */
  readonly answers: Answers<ClientSession>;
  /** @internal */
  readonly pipeline: Pipeline<ClientSession>;
  /** @internal */
  readonly options: SessionOptions<ClientSession>;
  /** @internal Aborts with a `ConnectionClosedError` when the connection has ended. */
  readonly ended: AbortSignal;
  /** @internal See {@link SessionOptions.maxListSize}. */
  readonly maxListSize: number;
  readonly #report: (error: unknown) => void;
  readonly #output: OutputCheck;
  readonly #end: AbortController = new AbortController();
  #connected = false;
  #initializing: Promise<InitializeResult> | undefined;

  /**
   * Opens nothing: that is {@link connect}. Options about the connection, such as `timeout`, are those of the dispatcher if
   * one is handed over.
   * @throws TypeError for a source of the wrong type, or for two at once; RangeError if a limit is out of range
   */
  constructor(source: SessionSource, options: SessionOptions<ClientSession> = {}) {
    this.options = options;
    this.#report = (error) => reportTo(options.onError, error);
    const { maxRequestRate = CLIENT_REQUEST_RATE, maxListSize = DEFAULT_LIST_SIZE } = options;
    this.maxListSize = assertAtLeast("maxListSize", maxListSize, 1);
    const dispatcher = toDispatcher(source, { ...options, maxRequestRate, onError: this.#report, respondToMalformed: false });
    this.connection = new ServerConnection(dispatcher, identityOf(options));
    this.inbox = new Inbox(options, this.#report);
    this.ended = this.#end.signal;
    this.closed = new Promise((resolve) => this.ended.addEventListener("abort", () => resolve(), { once: true }));
    const { connection, inbox, ended } = this;
    const report = this.#report;
    this.answers = new Answers<ClientSession>({ connection, options, session: this, report });
    this.pipeline = new Pipeline({ connection, inbox, answers: this.answers, ended, options, report });
    this.#output = new OutputCheck({ validator: options.validator, lookUp: (name) => this.#lookUp(name), report });
    inbox.subscribe((method) => {
      if (method === "notifications/tools/list_changed") this.#output.forget();
    });
  }

  // ---- opening and closing ----

  /**
   * Begins to read. Requests can be made from now on, notifications could be before. Once only.
   * @throws McpUsageError when called again; `signal.reason`
   */
  async connect({ signal }: { signal?: AbortSignal } = {}): Promise<this> {
    signal?.throwIfAborted();
    if (this.#connected || this.ended.aborted) throw new McpUsageError("A session can be connected once");
    const { connection, pipeline, answers, inbox } = this;
    const { extensions, onElicit, onSample } = this.options;
    if (areUsed(extensions) && extensions.length > 0) {
      connection.extensions = attachExtensions(this, extensions, this.#report);
      pipeline.compose();
    }
    if ((onElicit ?? onSample) !== undefined) await trackAnswers();
    const over = connection.dispatcher.run(
      (request) => answers.answerRequest(request),
      (method, params) => inbox.deliver(connection.codec, method, params),
    );
    this.#connected = true;
    void over.then(() => this.#end.abort(new ConnectionClosedError()));
    return this;
  }

  /**
   * The handshake of the stateful revisions: offers the newest one that has it and takes any of them (CF-19, CS-35). The
   * first result is given again without asking (CF-22); after a failure it can be tried again.
   * @throws McpError; ProtocolViolationError for a revision this side does not speak: then the connection is closed (CS-36)
   */
  initialize(options: OpenOptions = {}): Promise<InitializeResult> {
    this.#initializing ??= this.#initialize(options);
    return this.#initializing;
  }

  async #initialize(options: OpenOptions): Promise<InitializeResult> {
    try {
      const result = await handshake(this, options);
      await this.applyLogLevel();
      return result;
    } catch (error) {
      this.#initializing = undefined;
      if (error instanceof ProtocolViolationError) await this.close();
      throw error;
    }
  }

  /**
   * The opening of the stateless revision, instead of a handshake: what the server can do, and from now on every request
   * says by itself who asks. @throws McpError; UnsupportedVersionError for a server that does not speak it
   */
  discover(options: OpenOptions = {}): Promise<DiscoverResult> {
    return discover(this, options);
  }

  /** @internal What was asked for once and for all is asked of the server, as soon as it is known. */
  async applyLogLevel(): Promise<void> {
    const { logLevel } = this.options;
    if (logLevel && this.serverCapabilities.logging) await this.setLoggingLevel(logLevel);
  }

  /** What the server answered to {@link initialize}; undefined until then, and on stateless revisions (CS-38). */
  get initializeResult(): InitializeResult | undefined {
    return this.connection.initializeResult;
  }

  /**
   * Ends the connection: calls under way fail, callbacks are aborted, streams closed, a child process ended. Idempotent and
   * bounded in time (CS-08).
   */
  async close(): Promise<void> {
    await this.connection.dispatcher.close();
    this.#end.abort(new ConnectionClosedError());
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // ---- the server ----

  /** The revision both sides speak; the newest one with a handshake until one was agreed on (CF-11). */
  get protocolVersion(): string {
    return this.connection.codec.version;
  }

  /** What the server can do, as it said when the session was opened; nothing until then. */
  get serverCapabilities(): ServerCapabilities {
    return this.connection.server.capabilities;
  }

  /** Who the server says it is. Not verified; absent where it does not say. */
  get serverInfo(): Implementation | undefined {
    return this.connection.server.info;
  }

  /** How to use this server, for the model. */
  get instructions(): string | undefined {
    return this.connection.server.instructions;
  }

  // ---- any request ----

  /**
   * Sends a request and resolves with its checked result.
   * @throws McpError what the server answered, or `RequestTimeoutError`, `ConnectionClosedError`, `ProtocolViolationError`
   * @throws McpUsageError before {@link connect}
   */
  request<M extends RequestMethod>(method: M, params?: ParamsOf<M>, options?: CallOptions): Promise<ResultOf<M>>;
  /** Sends a request whose method the compiler does not know, such as an extension's. */
  request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  request(method: string, params: JsonObject = {}, options: CallOptions = NO_OPTIONS): Promise<JsonObject> {
    return this.pipeline.request(method, params, options);
  }

  /**
   * Wraps every request, or those of one method; what was added first is outermost. Takes effect at once; what is to
   * see the handshake too is the option `middleware`.
   */
  use(middleware: Middleware<OutgoingRequest>): this;
  /** Wraps the requests of one method, inside what was added before; params and results are those of the method. */
  use<M extends RequestMethod>(method: M, middleware: MethodMiddleware<M, OutgoingRequest>): this;
  /** Wraps the requests of any method, such as one of an extension. */
  use(method: string, middleware: Middleware<OutgoingRequest>): this;
  use(first: string | Middleware<OutgoingRequest>, second?: unknown): this {
    // With a method there is middleware.
    if (typeof first === "string") this.pipeline.use(second as Middleware<OutgoingRequest>, new Set([first]));
    else this.pipeline.use(first);
    return this;
  }

  /** Sends a notification, if the revision has it; others are not sent. Never fails: on a closed connection it is dropped (CS-11). */
  async notify(method: string, params?: JsonObject): Promise<void> {
    const { codec, dispatcher } = this.connection;
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
    if (options.validateOutput ?? this.options.validateOutput ?? true) {
      const checking = this.#output.check(name, called);
      if (checking !== undefined) await checking;
    }
    return new ToolResult<Data>(called);
  }

  /** One page of the tools. */
  async listTools(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListToolsResult> {
    const page = await this.request("tools/list", params, options);
    this.#output.learn(page.tools);
    return page;
  }

  async #lookUp(wanted: string): Promise<void> {
    const tools = items(
      (cursor) => this.listTools(cursor === undefined ? {} : { cursor }),
      (page) => page.tools,
      this.maxListSize,
    );
    for await (const { name } of tools) if (name === wanted) return;
  }

  // ---- resources, prompts and the rest ----

  /** One page of the resources. */
  listResources(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListResourcesResult> {
    return this.request("resources/list", params, options);
  }

  /** One page of the resource templates. */
  listResourceTemplates(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListResourceTemplatesResult> {
    return this.request("resources/templates/list", params, options);
  }

  /** Reads a resource. The URI is sent as it is, never normalised (CL-17). */
  async readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    const result = await this.request("resources/read", { uri }, options);
    if (result.resultType === "input_required") throw new InputRequiredError("resources/read", result);
    return result as ReadResourceResult; // the other kind of result has been ruled out
  }

  /** From now on the server tells when that resource changes. Stateful revisions only: `Client.listen` works on all. */
  subscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult> {
    return this.request("resources/subscribe", { uri }, options);
  }

  /** The server tells no more of that resource. Stateful revisions only. */
  unsubscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult> {
    return this.request("resources/unsubscribe", { uri }, options);
  }

  /** One page of the prompts. */
  listPrompts(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListPromptsResult> {
    return this.request("prompts/list", params, options);
  }

  /** Fills in a prompt. Arguments are strings. */
  async getPrompt(name: string, args?: { [name: string]: string }, options?: CallOptions): Promise<GetPromptResult> {
    const result = await this.request("prompts/get", args === undefined ? { name } : { name, arguments: args }, options);
    if (result.resultType === "input_required") throw new InputRequiredError("prompts/get", result);
    return result as GetPromptResult; // the other kind of result has been ruled out
  }

  /** Suggestions for an argument of a prompt or a variable of a resource template. @throws TypeError for half an argument */
  async complete(params: CompleteRequestParams, options?: CallOptions): Promise<CompleteResult> {
    const { name, value } = params.argument;
    if (typeof name !== "string" || typeof value !== "string") throw new TypeError('"argument" needs a "name" and a "value"');
    return this.request("completion/complete", params, options);
  }

  /** Asks whether the server is there. Stateful revisions only. */
  ping(options?: CallOptions): Promise<EmptyResult> {
    return this.request("ping", {}, options);
  }

  /** Tells the server how far one of its requests has come. Stateful revisions only. */
  sendProgress(params: ProgressNotificationParams): Promise<void> {
    return this.notify("notifications/progress", params);
  }

  /**
   * Tells the server that the roots have changed. Stateful revisions only.
   * @deprecated in the protocol as of 2026-07-28, where there is no such message: give directories as arguments, or as configuration.
   */
  sendRootsListChanged(): Promise<void> {
    return this.notify("notifications/roots/list_changed");
  }

  /**
   * The least severe log message wanted from now on. On stateless revisions every request says so by itself.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  async setLoggingLevel(level: LoggingLevel, options?: CallOptions): Promise<void> {
    const { connection } = this;
    if (connection.codec.stateless) connection.identity = { ...connection.identity, logLevel: level };
    else await this.request("logging/setLevel", { level }, options);
  }
}
