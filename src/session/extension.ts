/**
 * Extensions as servers and clients see them: what they ask of the ones in use, all of which stand behind one object.
 *
 * How an extension is written is in `extensions/define-extension.ts`: what that takes is loaded with the extension, so
 * that whoever uses none pays for a few questions only.
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
import type { Handler, HandlerContext, Middleware } from "./handler.ts";
import type { RequestContext } from "./request-context.ts";
import type { RemoteTask } from "./tasks.ts";

/** One extension, for `new McpServer(info, { extensions })` and `connect(target, { extensions })`. Made by `defineExtension`. */
export interface Extension {
  /** As in `capabilities.extensions`: `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /** @internal */
  readonly headerNames: HeaderNames;
  /** @internal What a client that uses it declares, beside what it declares already. */
  declare(capabilities: ClientCapabilities): ClientCapabilities;
  /** @internal Joins a server; the result stands for all that have. */
  serve(host: ServerHost, others: ServerExtensions | undefined): ServerExtensions;
  /** @internal Joins a client; the result stands for all that have. */
  attach(host: ClientHost, others: ClientExtensions | undefined): ClientExtensions;
}

/** What a server offers its extensions. */
export interface ServerHost {
  /** What its time limits go by. */
  readonly clock: Clock;
  /** What the server's `lifespan` opened. */
  readonly lifespan: unknown;
  /** Wraps the requests of one method, as `server.use` does. */
  use(method: string, middleware: Middleware<RequestContext>): unknown;
  /**
   * Offers a resource, as `server.resource` does. Returns how to withdraw it.
   * @param read makes the result; undefined if the resource does not exist any more
   */
  resource(
    uri: string,
    options: { readonly name: string; readonly description?: string; readonly mimeType?: string },
    read: (uri: string) => MaybePromise<JsonObject | undefined>,
  ): { remove(): void };
  /** Tells clients that watch it that a resource has changed. */
  resourceUpdated(uri: string): void;
  /** Answers a request as the method table does, without the middleware. */
  run(context: RequestContext): MaybePromise<JsonObject>;
  /** The result a failure is answered with, where the method has one for it. The operator is told. */
  recover(error: unknown, context: RequestContext): JsonObject | undefined;
  /** Reports to the operator what went wrong outside a request. `method` says where. */
  report(error: unknown, method: string): void;
  /** What a failure becomes on the wire. The operator is told what must not leave. */
  toMcpError(error: unknown, method: string): McpError;
}

/** What a server asks of its extensions. */
export interface ServerExtensions {
  /** What the server declares, beside what it declares already. */
  declare(capabilities: ServerCapabilities): ServerCapabilities;
  readonly headerNames: HeaderNames;
  /** What answers a method the server itself does not have. */
  handlerOf(method: string, codec: Codec): Handler<RequestContext> | undefined;
  /** What extensions make of a tool that is registered with these options. */
  tool(name: string, options: object): ToolExtension | undefined;
  /** The part of a filter that is theirs; undefined where there is none. @throws McpError for a caller who may not */
  listen(context: RequestContext, wanted: SubscriptionFilter): Promise<ListenExtension> | undefined;
  /** The server serves from now on: called with its first connection, and again when an extension is added later. */
  begin(): void;
  close(): Promise<void>;
}

/** What an extension makes of one tool. */
export interface ToolExtension {
  /** Members of the tool in lists. */
  readonly listed?: JsonObject;
  /** Stands around the handler: `run` runs it, with that context, and makes a result of what it returns. */
  call(context: RequestContext, run: RunTool): MaybePromise<CallToolResult>;
}
/** Runs the handler of a tool, and makes a result of what it returns. Fails with what it throws. */
export type RunTool = (context: RequestContext) => MaybePromise<CallToolResult>;

/** A part of a `subscriptions/listen` filter that is an extension's. */
export interface ListenExtension {
  /** The part of the filter that is served. */
  readonly honoured: SubscriptionFilter;
  /** The stream is open: from now on notifications may be sent on it. Returns how to stop. */
  begin(notify: (method: string, params: JsonObject) => void): () => void;
}

/** What a client offers its extensions. */
export interface ClientHost {
  /** How the revision that was agreed on looks on the wire. */
  readonly codec: Codec;
  /** Who the client says it is, and what it can do. */
  readonly identity: ClientIdentity;
  /** What the server offers. */
  readonly serverCapabilities: ServerCapabilities;
  /** What its time limits go by. */
  readonly clock: Clock;
  /** Aborts when the connection has ended. */
  readonly ended: AbortSignal;
  /** Sends a request through the middleware and resolves with its checked result. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Sends a notification, if the revision has it. */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Answers a question by the callbacks of the client. @throws McpError or what the callback threw */
  answer(question: InputRequest, context: Pick<InboundContext, "requestId" | "signal">): Promise<InputResponse>;
  /** Calls `listener` with each notification of the server from now on. Returns how to stop. */
  subscribe(listener: (method: string, params: JsonObject) => void): () => void;
  /** Tells the operator of what went wrong outside a call. */
  readonly report: (error: unknown) => void;
}

/** A request of the server that a client answers. */
export interface InboundContext extends HandlerContext {
  /** Of the server's request; of a question in a result, the name it has there. */
  readonly requestId: RequestId;
  /** The request's `_meta`, if it has one. */
  readonly meta: RequestMeta | undefined;
}

/** A request of the client on its way out. */
export interface OutboundContext extends HandlerContext {
  /** What the caller said of it: how long it may take, and who is told of its progress. */
  readonly options: RequestOptions;
}

/** What a client asks of its extensions. */
export interface ClientExtensions {
  /** Outermost: sees a call before its first round and its result after the last. */
  middleware<C extends OutboundContext>(next: Handler<C>): Handler<C>;
  /** The values of `resultType` they add for that method. */
  resultTypes(method: string): ReadonlySet<string> | undefined;
  /** Whether they answer that request of the server, which no client answers by itself. */
  answers(method: string): boolean;
  /** Stands around what answers the server, inside the middleware for both ways. */
  answering<C extends InboundContext>(next: Handler<C>): Handler<C>;
  /** A task of the server by its id, where they know tasks. */
  task(taskId: string): RemoteTask | undefined;
}
