/**
 * The definition of an extension: what it adds to the protocol, and what each side does with it.
 *
 * Methods, headers, result types and filters are data. Code is in the two halves, which are made once for each server and each client
 * that uses the extension.
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

/** The argument of `defineExtension()`: an extension as data, and its two halves. */
export interface ExtensionDefinition {
  /** A prefix with a dot, a slash, a name: `com.example/thing`. */
  readonly id: string;
  /** The settings that are declared under the id. Default `{}`: support without settings. */
  readonly settings?: JsonObject;
  /** The first revision on which it is declared. Default: all. */
  readonly since?: ProtocolVersion;
  /** The requests that it adds, as rows of the method table. Core requests of a revision need no row. */
  readonly methods?: readonly MethodRow[];
  /** Requests of the server that the client half handles in `answering`. Clients without the extension do not have them. */
  readonly answers?: readonly string[];
  /** Notifications of the server that the client half receives. */
  readonly notifications?: readonly string[];
  /** Values of `resultType` that it adds, with the methods that may return them. */
  readonly resultTypes?: Readonly<Record<string, readonly string[]>>;
  /** By method: the member of `params` that a stateless HTTP request repeats in the header `Mcp-Name`. */
  readonly headerNames?: Readonly<Record<string, string>>;
  /** The members that it adds to the filter of `subscriptions/listen`. */
  readonly listenFilters?: readonly string[];
  /**
   * Returns the capabilities that a client lacks for its methods and filters; such requests fail with -32021. Default: requires the
   * extension itself.
   */
  readonly capabilityGate?: (client: ClientCapabilities) => ClientCapabilities | undefined;
  /** What a client declares besides the extension. `declared` is what it declares already. */
  readonly clientCapabilities?: (declared: ClientCapabilities) => ClientCapabilities;
  /** The server's half. */
  readonly server?: (host: ServerHost) => ServerHalf;
  /** The client's half. */
  readonly client?: (host: ClientHost) => ClientHalf;
}

/** The server's half of an extension; made once for each server. */
export interface ServerHalf {
  /** What the server declares besides the extension. */
  readonly capabilities?: ServerCapabilities;
  /** Handlers of its methods, and of core methods that servers do not have by default. They run inside the middleware. */
  readonly handlers?: Readonly<Record<string, Handler<RequestContext>>>;
  /** Called with each tool that is registered. */
  tool?(name: string, options: object): ToolExtension | undefined;
  /** Called with a filter that has members of the extension. @throws McpError for members that are wrong */
  listen?(context: RequestContext, wanted: SubscriptionFilter): MaybePromise<ListenExtension>;
  /** Called when the server begins to serve, and again when an extension is added later. Must not throw. */
  begin?(): void;
  /** Called when the server closes. Connections close after this has resolved. */
  close?(): MaybePromise<void>;
}

/** The client's half of an extension; made once for each client. */
export interface ClientHalf {
  /** The outermost middleware: it sees a call before its first round and its result after the last. */
  middleware?<C extends OutboundContext>(next: Handler<C>): Handler<C>;
  /** Middleware around the handlers of the server's requests. */
  answering?<C extends InboundContext>(next: Handler<C>): Handler<C>;
  /** Receives the notifications that the extension names. Must not throw. */
  onNotification?(method: string, params: JsonObject): void;
  /** Makes the handle that `client.task(taskId)` returns. The task need not exist. */
  task?(taskId: string): RemoteTask;
}
