/**
 * What an extension is written as: one object that says what it adds to the protocol, and what each side does with it.
 *
 * What is data stands as data: methods, headers, result types, filters. Code is in the two halves, which are made once
 * for each server and each client that uses the extension.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../protocol/capabilities.ts";
import type { SubscriptionFilter } from "../protocol/lifecycle.ts";
import type { MethodRow } from "../protocol/methods.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { InboundContext, ClientHost, ListenExtension, OutboundContext, ServerHost, ToolExtension } from "../session/extension.ts";
import type { Handler } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { RemoteTask } from "../session/tasks.ts";

/** What `defineExtension()` takes: an extension as data, and its two halves. */
export interface ExtensionDefinition {
  /** A prefix with a dot, a slash, a name: `com.example/thing` (A6.3). */
  readonly id: string;
  /** What is declared under the id. Default `{}`: support without settings. */
  readonly settings?: JsonObject;
  /** The first revision it is declared on. Default: all. */
  readonly since?: ProtocolVersion;
  /** The requests it adds, as rows of the method table. Requests that a revision has in its core need no row. */
  readonly methods?: readonly MethodRow[];
  /** Requests of the server that the client half answers in `answering`, and no client by itself. */
  readonly answers?: readonly string[];
  /** Notifications of the server that the client half hears. */
  readonly notifications?: readonly string[];
  /** Values of `resultType` it adds, and the methods that may be answered with them. */
  readonly resultTypes?: Readonly<Record<string, readonly string[]>>;
  /** By method: the member of `params` that a stateless HTTP request repeats in `Mcp-Name` (O13, Z16). */
  readonly headerNames?: Readonly<Record<string, string>>;
  /** The members it adds to the filter of `subscriptions/listen`. */
  readonly listenFilters?: readonly string[];
  /**
   * What a client must have declared to use its methods and filters, as far as it has not: answered with -32021 (A3.12).
   * Default: the extension itself.
   */
  readonly capabilityGate?: (client: ClientCapabilities) => ClientCapabilities | undefined;
  /** What a client that uses it declares beside the extension. `declared` is what it declares already. */
  readonly clientCapabilities?: (declared: ClientCapabilities) => ClientCapabilities;
  /** The server's half. */
  readonly server?: (host: ServerHost) => ServerHalf;
  /** The client's half. */
  readonly client?: (host: ClientHost) => ClientHalf;
}

/** What an extension does in a server; made once for each. */
export interface ServerHalf {
  /** What the server declares beside the extension. */
  readonly capabilities?: ServerCapabilities;
  /** What answers its methods, and methods of the core that no server has by itself. Middleware runs before. */
  readonly handlers?: Readonly<Record<string, Handler<RequestContext>>>;
  /** Called with each tool that is registered. */
  tool?(name: string, options: object): ToolExtension | undefined;
  /** Called with a filter that has members of the extension. @throws McpError for members that are wrong */
  listen?(context: RequestContext, wanted: SubscriptionFilter): MaybePromise<ListenExtension>;
  /** The server serves from now on: called with its first connection, and again when an extension is added later. Must not throw. */
  begin?(): void;
  /** The server closes: no connection is served any more when this has resolved. */
  close?(): MaybePromise<void>;
}

/** What an extension does in a client; made once for each. */
export interface ClientHalf {
  /** Outermost: sees a call before its first round and its result after the last. */
  middleware?<C extends OutboundContext>(next: Handler<C>): Handler<C>;
  /** Stands around what answers the server's requests. */
  answering?<C extends InboundContext>(next: Handler<C>): Handler<C>;
  /** Hears the notifications the extension names. Must not throw. */
  onNotification?(method: string, params: JsonObject): void;
  /** What `client.task(taskId)` is: a task of the server, which need not exist. */
  task?(taskId: string): RemoteTask;
}
