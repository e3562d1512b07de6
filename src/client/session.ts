/**
 * `ClientSession`: one connection to one server, opened by hand, and the calls made over it.
 *
 * A call goes middleware → codec → dispatcher and back. `connect()` makes a `Client`, which is a session that was opened
 * and has comforts added. What the server asks in the other direction is answered in `answers.ts`. It holds no state
 * of messages: ids, time limits and cancellation are the dispatcher's.
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ConnectionClosedError, McpUsageError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { PaginatedRequestParams } from "../protocol/base.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { DiscoverResult, InitializeResult } from "../protocol/lifecycle.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import type { ParamsOf, RequestMethod, ResultOf } from "../protocol/messages.ts";
import type { CallToolResult, ListToolsResult } from "../protocol/tools.ts";
import { systemClock } from "../base/clock.ts";
import { reportTo } from "../base/report-to.ts";
import { onlyFor, type Middleware } from "../session/handler.ts";
import { toDispatcher, type SessionSource } from "../session/session-source.ts";
import { answerServer, callbacksOf } from "./answer/answering.ts";
import { InputRequiredError } from "./errors.ts";
import { identityOf, isList } from "./identity.ts";
import { Inbox } from "./inbox.ts";
import { ClientLink } from "./connection.ts";
import { discover, handshake, type OpenOptions } from "./negotiate.ts";
import type { ClientSessionOptions } from "./options.ts";
import { Outgoing } from "./call/pipeline.ts";
import type { CallOptions, OutgoingRequest, ToolCallOptions } from "./call/outgoing-request.ts";
import { OutputCheck } from "./call/output-check.ts";
import { items } from "./call/pages.ts";
import { answerRounds } from "./call/rounds.ts";
import { SessionCalls } from "./session-calls.ts";
import { ToolResult } from "./result.ts";

const NO_OPTIONS: CallOptions = {};

/**
 * One connection to one server: opened by {@link ClientSession.initialize} or {@link ClientSession.discover}, then called.
 * {@link Client} is one that `connect()` has opened.
 */
export class ClientSession extends SessionCalls implements AsyncDisposable {
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
  /** @internal */
  readonly link: ClientLink;
  /** @internal */
  readonly inbox: Inbox;
  /** @internal */
  readonly options: ClientSessionOptions;
  /** @internal Aborts when the connection has ended. */
  readonly ended: AbortSignal;
  readonly #report: (error: unknown) => void;
  readonly #output: OutputCheck;
  readonly #outgoing: Outgoing;
  readonly #end: AbortController = new AbortController();
  #connected = false;
  #initializing: Promise<InitializeResult> | undefined;

  /**
   * Opens nothing: that is {@link connect} (checklist CS-01…CS-06). Options about the connection, such as `timeout`, are those
   * of a dispatcher where one is handed over.
   * @throws TypeError for what is none of the three, or two at once; RangeError for a limit that is none
   */
  constructor(source: SessionSource, options: ClientSessionOptions = {}) {
    super();
    this.options = options;
    this.#report = (error) => reportTo(options.onError, error);
    const dispatcher = toDispatcher(source, { ...options, onError: this.#report, answerMalformed: false });
    this.link = new ClientLink(dispatcher, identityOf(options), options.clock ?? systemClock, callbacksOf(options));
    this.link.use(...(options.middleware ?? []));
    this.inbox = new Inbox(options, this.#report);
    this.ended = this.#end.signal;
    this.closed = new Promise((resolve) => this.ended.addEventListener("abort", () => resolve(), { once: true }));
    this.#output = new OutputCheck({ validator: options.validator, lookUp: (name) => this.#lookUp(name), report: this.#report });
    this.inbox.subscribe((method) => {
      if (method === "notifications/tools/list_changed") this.#output.forget();
    });
    this.#outgoing = new Outgoing(this.link, answerRounds(this, this.#report), options);
  }

  // ---- opening and closing ----

  /**
   * Begins to read. Requests can be made from now on, notifications could be before (CS-07, CS-10). Once only (CF-22).
   * @throws McpUsageError when called again; `signal.reason`
   */
  async connect({ signal }: { signal?: AbortSignal } = {}): Promise<this> {
    signal?.throwIfAborted();
    if (this.#connected || this.ended.aborted) throw new McpUsageError("A session can be connected once");
    const { link, inbox } = this;
    const { extensions } = this.options;
    if (isList(extensions) && extensions.length > 0) {
      const { attachExtensions } = await import("./extensions.ts");
      link.extend(attachExtensions(this, extensions, this.#report));
      this.#outgoing.compose();
    }
    const over = link.dispatcher.run(
      (request) => answerServer(this, this.#report, request),
      (method, params) => inbox.deliver(link, method, params),
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
      const result = await handshake(this.link, options);
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
    return discover(this.link, options);
  }

  /** @internal What was asked for once and for all is asked of the server, as soon as it is known. */
  async applyLogLevel(): Promise<void> {
    const { logLevel } = this.options;
    if (logLevel && this.serverCapabilities.logging) await this.setLoggingLevel(logLevel);
  }

  /** What the server answered to {@link initialize}; undefined until then, and on stateless revisions (CS-38). */
  get initializeResult(): InitializeResult | undefined {
    return this.link.initializeResult;
  }

  /**
   * Ends the connection: calls under way fail, callbacks are aborted, streams closed, a child process ended. Idempotent and
   * bounded in time (CS-08).
   */
  async close(): Promise<void> {
    await this.link.dispatcher.close();
    this.#end.abort(new ConnectionClosedError());
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // ---- the server ----

  /** The revision both sides speak; the newest one with a handshake until one was agreed on (CF-11). */
  get protocolVersion(): string {
    return this.link.codec.version;
  }

  /** What the server can do, as it said when the session was opened; nothing until then. */
  get serverCapabilities(): ServerCapabilities {
    return this.link.server.capabilities;
  }

  /** Who the server says it is. Not verified; absent where it does not say. */
  get serverInfo(): Implementation | undefined {
    return this.link.server.info;
  }

  /** How to use this server, for the model. */
  get instructions(): string | undefined {
    return this.link.server.instructions;
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
    return this.#outgoing.request(method, params, options);
  }

  /**
   * Wraps every request, or those of one method; what was added first is outermost. Takes effect at once; what is to
   * see the handshake too is the option `middleware`.
   */
  use(middleware: Middleware<OutgoingRequest>): this;
  /** Wraps the requests of one method, inside what was added before. */
  use(method: string, middleware: Middleware<OutgoingRequest>): this;
  use(first: string | Middleware<OutgoingRequest>, second?: Middleware<OutgoingRequest>): this {
    this.#outgoing.use(typeof first === "string" ? onlyFor(first, second!) : first);
    return this;
  }

  /** Sends a notification, if the revision has it; others are not sent. Never fails: on a closed connection it is dropped (CS-11). */
  async notify(method: string, params?: JsonObject): Promise<void> {
    const { codec, dispatcher } = this.link;
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

  async #lookUp(wanted: string): Promise<void> {
    const tools = items(
      (cursor) => this.listTools(cursor === undefined ? {} : { cursor }),
      (page) => page.tools,
    );
    for await (const { name } of tools) if (name === wanted) return;
  }

  /**
   * The least severe log message wanted from now on. On stateless revisions every request says so by itself.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  async setLoggingLevel(level: LoggingLevel, options?: CallOptions): Promise<void> {
    if (this.link.codec.stateless) this.link.identity = { ...this.link.identity, logLevel: level };
    else await this.request("logging/setLevel", { level }, options);
  }
}
