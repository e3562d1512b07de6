/**
 * `ClientSession`: one connection to one server that its user opens by hand, and the calls made over it.
 *
 * `protocol-calls.ts` has the requests of the protocol by name, `call/pipeline.ts` sends a call. `connect()` makes a `Client`, which is an open
 * session with iterators and streams of changes. A session holds no state of messages: the dispatcher handles ids, time limits and cancellation.
 */
import { assertKnown } from "../base/known-options.ts";
import { reportTo } from "../base/report-to.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ConnectionClosedError, McpUsageError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { PaginatedRequestParams } from "../protocol/base.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { DiscoverResult, InitializeResult } from "../protocol/lifecycle.ts";
import type { ParamsOf, RequestMethod, ResultOf } from "../protocol/messages.ts";
import type { ListToolsResult } from "../protocol/tools.ts";
import type { LoggingLevel } from "../protocol/types.ts";
import type { AnySchema, InferOutput, WholeSchemas } from "../schema/standard-schema.ts";
import type { FittingMiddleware, MethodMiddleware, Middleware } from "../session/handler.ts";
import { assertAtLeast } from "../base/number-options.ts";
import { clientLimits } from "../dispatch/limits.ts";
import { ConnectionReading } from "../session/connection-reading.ts";
import { toDispatcher, type SessionSource } from "../session/session-source.ts";
import { Answers } from "./answer/answers.ts";
import { trackAnswers } from "./answer/nesting.ts";
import type { CallOptions, OutgoingRequest, ResultOptions, ToolCallOptions } from "./call/outgoing-request.ts";
import { OutputCheck } from "./call/output-check.ts";
import { DEFAULT_LIST_SIZE } from "./call/pages.ts";
import { complete, Pipeline } from "./call/pipeline.ts";
import { ValueChecks } from "./call/value-checks.ts";
import { ServerConnection } from "./connection.ts";
import { attachExtensions } from "./extensions.ts";
import { identityOf } from "./identity.ts";
import { Inbox } from "./inbox.ts";
import { listenTo, type NotificationHandler, type NotificationOptions } from "./notification-listener.ts";
import { discover, handshake, type OpenOptions } from "./opening.ts";
import { ProtocolCalls } from "./protocol-calls.ts";
import { ToolResult } from "./result.ts";
import { isExtensionList, sessionOptionKeys, type SessionOptions } from "./session-options.ts";

/**
 * One connection to one server: opened by {@link ClientSession.initialize} or {@link ClientSession.discover}, then called.
 * {@link Client} is one that `connect()` has opened.
 */
export class ClientSession extends ProtocolCalls implements AsyncDisposable {
  /** Resolves when the connection has ended, for any reason. */
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
  /** @internal Aborts with a `ConnectionClosedError` when the connection ends. */
  readonly ended: AbortSignal;
  /** @internal See {@link ClientLimits.maxListSize}. */
  readonly maxListSize: number;
  readonly #report: (error: unknown) => void;
  readonly #output: OutputCheck;
  readonly #checks: ValueChecks;
  readonly #end: AbortController = new AbortController();
  #connected = false;
  #initializing: Promise<InitializeResult> | undefined;

  /**
   * Makes a session without opening it; {@link connect} opens it. If the source is a dispatcher, its own options apply to the
   * connection, such as `timeout`.
   * @throws TypeError if the source has a wrong type or is two sources at once, or an option does not exist; RangeError if a limit is out of range
   */
  constructor(source: SessionSource, options: SessionOptions<ClientSession> = {}) {
    super();
    if (new.target === ClientSession) assertKnown("new ClientSession()", options, sessionOptionKeys());
    this.options = options;
    this.#report = (error) => reportTo(options.onError, error);
    const { maxListSize = DEFAULT_LIST_SIZE } = options.limits ?? {};
    this.maxListSize = assertAtLeast("limits.maxListSize", maxListSize, 1);
    const limits = clientLimits(options.limits);
    const dispatcher = toDispatcher(source, { ...options, limits, onError: this.#report, respondToMalformed: false });
    this.connection = new ServerConnection(dispatcher, identityOf(options), new ConnectionReading(options, this.#report));
    this.inbox = new Inbox(options, this.#report);
    this.ended = this.#end.signal;
    this.closed = new Promise((resolve) => this.ended.addEventListener("abort", () => resolve(), { once: true }));
    const { connection, inbox, ended } = this;
    const report = this.#report;
    this.answers = new Answers<ClientSession>({ connection, options, session: this, report });
    this.pipeline = new Pipeline({ connection, inbox, answers: this.answers, ended, options, report });
    this.#output = new OutputCheck({
      validator: options.validator,
      listTools: (page) => this.listTools(page),
      reading: connection.reading,
      maxListSize,
      report,
    });
    this.#checks = new ValueChecks(options.validator);
    inbox.subscribe((method) => {
      if (method === "notifications/tools/list_changed") this.#output.forget();
    });
  }

  // ---- opening and closing ----

  /** Begins to read. Requests can be sent from now on. Can be called once. @throws McpUsageError if it is called again; `signal.reason` */
  async connect({ signal }: { signal?: AbortSignal } = {}): Promise<this> {
    signal?.throwIfAborted();
    if (this.#connected || this.ended.aborted) throw new McpUsageError("A session can be connected once");
    const { connection, pipeline, answers, inbox } = this;
    const { extensions, onElicit, onSample } = this.options;
    if (isExtensionList(extensions) && extensions.length > 0) {
      connection.extensions = attachExtensions(this, extensions, this.#report);
      pipeline.compose();
    }
    if ((onElicit ?? onSample) !== undefined) await trackAnswers();
    const over = connection.dispatcher.run(
      (request) => answers.answerRequest(request),
      (method, params) => inbox.deliver(connection, method, params),
    );
    this.#connected = true;
    void over.then(() => this.#end.abort(new ConnectionClosedError()));
    return this;
  }

  /**
   * Performs the handshake of the stateful revisions: offers the newest one and accepts any of them. Further calls return the
   * first result. After a failure it can be called again.
   * @throws McpError; ProtocolViolationError if this side does not speak the server's revision: then the connection is closed
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
   * Opens the session in the stateless revision, instead of a handshake. Returns what the server can do. From now on every
   * request carries the client's identity. @throws McpError; UnsupportedVersionError if the server does not speak the revision
   */
  discover(options: OpenOptions = {}): Promise<DiscoverResult> {
    return discover(this, options);
  }

  /** @internal Sends the option `logLevel` to the server, if the server has logging. */
  async applyLogLevel(): Promise<void> {
    const { logLevel } = this.options;
    if (logLevel && this.serverCapabilities.logging) await this.setLoggingLevel(logLevel);
  }

  /** The result of {@link initialize}; undefined before it, and on stateless revisions. */
  get initializeResult(): InitializeResult | undefined {
    return this.connection.initializeResult;
  }

  /**
   * Ends the connection: pending calls fail, callbacks are aborted, streams are closed, a child process is ended. Idempotent and
   * bounded in time.
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

  /** The agreed revision. Before it is agreed: the newest one with a handshake. */
  get protocolVersion(): string {
    return this.connection.codec.version;
  }

  /** The capabilities that the server declared when the session was opened; empty before. */
  get serverCapabilities(): ServerCapabilities {
    return this.connection.server.capabilities;
  }

  /** The name and version that the server declares. Not verified; undefined if it declares none. */
  get serverInfo(): Implementation | undefined {
    return this.connection.server.info;
  }

  /** The server's instructions for a model. */
  get instructions(): string | undefined {
    return this.connection.server.instructions;
  }

  // ---- any request ----

  /**
   * Sends a request and resolves with its checked result.
   * @throws McpError the server's error, or `RequestTimeoutError`, `ConnectionClosedError`, `ProtocolViolationError`
   * @throws McpUsageError before {@link connect}
   */
  request<M extends RequestMethod>(method: M, params?: ParamsOf<M>, options?: CallOptions): Promise<ResultOf<M>>;
  /**
   * Sends a request of a custom method, and checks its result by your schema: a Standard Schema or a JSON Schema. The schema sees the
   * result without `_meta` and `resultType`, which belong to the protocol.
   * @throws ProtocolViolationError if the result does not match; TypeError (rejects) if the schema cannot be used, before anything is sent
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "shop", version: "1.0.0" });
   * server.method("shop/count", {}, () => ({ items: 3 }));
   * await using client = await connect(server);
   * const result = { type: "object", properties: { items: { type: "integer" } }, required: ["items"] } as const;
   * const { items } = await client.request("shop/count", {}, { result });
   * console.log(items + 1); // 4
   * ```
   */
  request<const Result extends AnySchema>(
    method: string,
    params: JsonObject | undefined,
    options: ResultOptions<Result> & WholeSchemas<{ result: Result }>,
  ): Promise<InferOutput<Result>>;
  /** Sends a request whose method the compiler does not know, such as an extension's. */
  request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  request(method: string, params: JsonObject = {}, options?: CallOptions | ResultOptions): Promise<unknown> {
    return options !== undefined && "result" in options
      ? this.#requestChecked(method, params, options)
      : this.pipeline.request(method, params, options);
  }

  async #requestChecked(method: string, params: JsonObject, { result: schema, ...options }: ResultOptions): Promise<unknown> {
    const check = await this.#checks.of(schema, `result of "${method}"`);
    return check(await this.pipeline.request(method, params, options));
  }

  /**
   * Calls `handler` with each notification of that method that the server sends, in order. Returns a function that stops it. This is the
   * way for custom notifications; `listen` is for changes, the option `onLog` for log messages, and `onMessage` sees everything.
   * @throws TypeError if the specification has the method and no server can send it
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   * import * as z from "zod";
   *
   * const server = new McpServer({ name: "shop", version: "1.0.0" });
   * server.tool("sell", {}, async (_input, ctx) => {
   *   await ctx.notify("notifications/shop/sold", { item: "tea" });
   *   return "sold";
   * });
   * await using client = await connect(server);
   * const params = z.object({ item: z.string() });
   * const stop = client.onNotification("notifications/shop/sold", { params }, ({ item }) => console.log(item));
   * await client.callTool("sell"); // prints: tea
   * stop();
   * ```
   */
  onNotification(method: string, handler: NotificationHandler): () => void;
  /** Calls `handler` with each notification of that method whose params match the schema. Others are reported to `onError` and dropped. */
  onNotification<const Params extends AnySchema | undefined = undefined>(
    method: string,
    options: NotificationOptions<Params> & WholeSchemas<{ params: Params }>,
    handler: NotificationHandler<Params>,
  ): () => void;
  onNotification(method: string, first: NotificationHandler | NotificationOptions, second?: NotificationHandler<never>): () => void {
    const [options, handler] = typeof first === "function" ? [{}, first] : [first, second];
    return listenTo({ checks: this.#checks, report: this.#report, inbox: this.inbox }, method, options, handler);
  }

  /**
   * Adds middleware around every request; the first added is outermost. It takes effect at once. Use the option `middleware` to
   * see the handshake as well.
   */
  use(middleware: Middleware<OutgoingRequest>): this;
  /**
   * Adds middleware around the requests of one method, inside the middleware that was added before; params and results are those
   * of the method.
   */
  use<M extends RequestMethod>(method: M, middleware: MethodMiddleware<M, OutgoingRequest>): this;
  /** Adds middleware around the requests of any method, such as one of an extension. */
  use<const M extends string, Layer extends Middleware<OutgoingRequest>>(method: M, middleware: Layer & FittingMiddleware<M, Layer>): this;
  use(first: string | Middleware<OutgoingRequest>, second?: unknown): this {
    // With a method there is middleware.
    if (typeof first === "string") this.pipeline.use(second as Middleware<OutgoingRequest>, new Set([first]));
    else this.pipeline.use(first);
    return this;
  }

  /**
   * Sends a notification if the revision has it, and drops it otherwise. Never fails: on a closed connection the notification is
   * dropped.
   */
  async notify(method: string, params?: JsonObject): Promise<void> {
    const { codec, dispatcher } = this.connection;
    if (codec.hasNotification(method, "client")) await dispatcher.notify(method, codec.encodeParams(method, params));
  }

  // ---- tools ----

  /**
   * Calls a tool. A failure of the tool is a result with `isError`, not an exception.
   * @throws McpError if the tool is unknown, or if the server responds with an error; TypeError if `name` is not a string
   * @throws ToolOutputValidationError if structured content does not match the tool's output schema
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "sums", version: "1.0.0" });
   * server.tool("slow", {}, async (_input, ctx) => {
   *   await ctx.progress(1, 2);
   *   return "done";
   * });
   * await using client = await connect(server);
   * const result = await client.callTool("slow", {}, { timeout: 10_000, onProgress: ({ progress }) => progress });
   * console.log(result.isError === true ? "failed" : result.text); // done
   * ```
   */
  async callTool<Data = unknown>(name: string, args?: JsonObject, options?: ToolCallOptions): Promise<ToolResult<Data>> {
    // Other SDKs take one object.
    if (typeof name !== "string") throw new TypeError('The tool and its arguments are two parameters: callTool("add", { a: 1 })');
    const params = args === undefined ? { name } : { name, arguments: args };
    const result = complete("tools/call", await this.request<"tools/call">("tools/call", params, options));
    if (options?.validateOutput ?? this.options.validateOutput ?? true) {
      const checking = this.#output.check(name, result);
      if (checking !== undefined) await checking;
    }
    return new ToolResult<Data>(result);
  }

  /** Lists one page of the tools. */
  async listTools(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListToolsResult> {
    const page = await this.request("tools/list", params, options);
    this.#output.learn(page.tools);
    return page;
  }

  // ---- logging ----

  /**
   * Sets the lowest level of log messages that the server sends. On stateless revisions every later request carries it.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  async setLoggingLevel(level: LoggingLevel, options?: CallOptions): Promise<void> {
    const { connection } = this;
    if (connection.codec.stateless) connection.identity = { ...connection.identity, logLevel: level };
    else await this.request("logging/setLevel", { level }, options);
  }
}
