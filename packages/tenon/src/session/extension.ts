/**
 * Extensions as servers and clients see them: one object represents all extensions in use.
 *
 * `extensions/define-extension.ts` says how to write an extension. Its code is loaded with the extension, so that a program without
 * extensions pays only for a few checks.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { McpError } from "../jsonrpc/mcp-error.ts";
import type { RequestMeta } from "../protocol/base.ts";
import type { ClientCapabilities, ServerCapabilities } from "../protocol/capabilities.ts";
import type { InputRequest, InputResponse } from "../protocol/input-required.ts";
import type { SubscriptionFilter } from "../protocol/lifecycle.ts";
import type { HeaderNames } from "../protocol/methods.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { Clock } from "../base/clock.ts";
import type { RequestOptions } from "../dispatch/dispatcher.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import type { Reading } from "../wire/deviations.ts";
import type { Handler, HandlerContext, Middleware } from "./handler.ts";
import type { RequestContext } from "./request-context.ts";
import type { RemoteTask } from "./tasks.ts";

/** One extension, for `new McpServer(info, { extensions })` and `connect(target, { extensions })`. Made by `defineExtension`. */
export interface Extension {
  /** Its id in `capabilities.extensions`, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /** @internal */
  readonly headerNames: HeaderNames;
  /** @internal Adds what a client with this extension declares. */
  declare(capabilities: ClientCapabilities): ClientCapabilities;
  /** @internal Joins a server; the result represents all extensions that have. */
  serve(host: ServerHost, others: ServerExtensions | undefined): ServerExtensions;
  /** @internal Joins a client; the result represents all extensions that have. */
  attach(host: ClientHost, others: ClientExtensions | undefined): ClientExtensions;
}

/** What a server offers its extensions. */
export interface ServerHost {
  /** The clock of all timeouts. */
  readonly clock: Clock;
  /** What the server's `lifespan` opened. */
  readonly lifespan: unknown;
  /** Wraps the requests of one method, as `server.use` does. */
  use(method: string, middleware: Middleware<RequestContext>): unknown;
  /**
   * Registers a resource, as `server.resource` does. Returns a function that removes it.
   * @param read makes the result; undefined if the resource no longer exists
   */
  resource(
    uri: string,
    options: { readonly name: string; readonly description?: string; readonly mimeType?: string; readonly _meta?: JsonObject },
    read: (uri: string) => MaybePromise<JsonObject | undefined>,
  ): { remove(): void };
  /** Notifies clients that watch a resource of a change. */
  resourceUpdated(uri: string): void;
  /** Handles a request with the method table, without the middleware. */
  run(context: RequestContext): MaybePromise<JsonObject>;
  /** The result for a failure, if the method has one. The failure is reported to the operator. */
  recover(error: unknown, context: RequestContext): JsonObject | undefined;
  /** What is kept or sent after a request, without the secrets that its user gave (`ctx.secret`). An error is changed in place. */
  clean<T>(value: T, principal: string | undefined): T;
  /** Reports an error outside a request to the operator. `method` says where. */
  report(error: unknown, method: string): void;
  /** The error for the wire. What must not be sent is reported to the operator. */
  toMcpError(error: unknown, method: string): McpError;
}

/** What a server needs from its extensions. */
export interface ServerExtensions {
  /** Adds what the server declares. */
  declare(capabilities: ServerCapabilities): ServerCapabilities;
  readonly headerNames: HeaderNames;
  /** The handler of a method that the server itself does not have. */
  handlerOf(method: string, codec: Codec): Handler<RequestContext> | undefined;
  /** What extensions add to a tool that is registered with these options. */
  tool(name: string, options: object): ToolExtension | undefined;
  /** The extensions' part of a filter; undefined if it has none. @throws McpError if the caller is not permitted */
  listen(context: RequestContext, wanted: SubscriptionFilter): Promise<ListenExtension> | undefined;
  /** Called when the server begins to serve: with its first connection, and again when an extension is added later. */
  begin(): void;
  close(): Promise<void>;
}

/** What an extension adds to one tool. */
export interface ToolExtension {
  /** Members of the tool in lists. */
  readonly listed?: JsonObject;
  /** Wraps the handler: `run` runs it with that context, and makes a result of what it returns. */
  call(context: RequestContext, run: RunTool): MaybePromise<CallToolResult>;
}
/** Runs the handler of a tool, and makes a result of what it returns. Rejects with what the handler throws. */
export type RunTool = (context: RequestContext) => MaybePromise<CallToolResult>;

/** An extension's part of a `subscriptions/listen` filter. */
export interface ListenExtension {
  /** The part of the filter that is served. */
  readonly honoured: SubscriptionFilter;
  /** Called when the stream is open: from now on `notify` may send on it. Returns a function that stops. */
  begin(notify: (method: string, params: JsonObject) => void): () => void;
}

/** What a client offers its extensions. */
export interface ClientHost {
  /** The codec of the agreed revision. */
  readonly codec: Codec;
  /** @internal How messages of the server that deviate from the protocol are read. */
  readonly reading: Reading;
  /** The client's identity and capabilities. */
  readonly identity: ClientIdentity;
  /** What the server offers. */
  readonly serverCapabilities: ServerCapabilities;
  /** The clock of all timeouts. */
  readonly clock: Clock;
  /** Most questions of the server that the client answers at the same time: its `limits.maxInFlight`. */
  readonly maxInFlight: number;
  /** Aborts when the connection has ended. */
  readonly ended: AbortSignal;
  /** Sends a request through the middleware and resolves with its checked result. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Sends a notification, if the revision has it. */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Answers a question with the callbacks of the client. @throws McpError or what the callback threw */
  answer(question: InputRequest, context: Pick<InboundContext, "requestId" | "signal">): Promise<InputResponse>;
  /** Calls `listener` with each notification of the server from now on. Returns a function that stops. */
  subscribe(listener: (method: string, params: JsonObject) => void): () => void;
  /** Reports errors outside a call to the operator. */
  readonly report: (error: unknown) => void;
}

/** A request of the server to a client: a question, or a ping. */
export interface InboundContext extends HandlerContext {
  /** The id of the server's request; for a question in a result, its name. */
  readonly requestId: RequestId;
  /** The request's `_meta`, if it has one. */
  readonly meta: RequestMeta | undefined;
}

/** A request of the client on its way to the server. */
export interface OutboundContext extends HandlerContext {
  /** The caller's options: timeouts, and where progress goes. */
  readonly options: RequestOptions;
}

/** What a client needs from its extensions. */
export interface ClientExtensions {
  /** Outermost: sees a call before its first round and its result after the last. */
  middleware<C extends OutboundContext>(next: Handler<C>): Handler<C>;
  /** The values of `resultType` that they add for that method. */
  resultTypes(method: string): ReadonlySet<string> | undefined;
  /** Whether they handle that request of the server, which no client handles itself. */
  handlesRequest(method: string): boolean;
  /** Wraps the handler of the server's requests, inside the middleware for both directions. */
  wrapInbound<C extends InboundContext>(next: Handler<C>): Handler<C>;
  task(taskId: string): RemoteTask | undefined;
}
