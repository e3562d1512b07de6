/**
 * Requests and notifications from a server to its client while it handles a request: `ctx.session`.
 *
 * The object decides the channel: `ctx.session` uses the channel of the current request, `ctx.session.standalone` the one that
 * belongs to no request. If a channel cannot carry a message, the call fails before anything is written. It has no state of its
 * own: the connection has it.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from "../protocol/elicitation.ts";
import type { InitializeRequestParams, LoggingMessageNotificationParams, ProgressNotificationParams } from "../protocol/lifecycle.ts";
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ListRootsResult,
} from "../protocol/sampling.ts";
import type { Outbound, RequestOptions } from "../dispatch/dispatcher.ts";
import { assertRoots } from "./roots.ts";
import { sendNotification } from "./send-notification.ts";
import type { ContextLog } from "./context-log.ts";
import { canSendRequests, hasDeclared, type KnownClient } from "./client-capabilities.ts";
import { createMessage, requestClient, type ReachableClient } from "./server-requests.ts";

export interface SessionContext extends KnownClient {
  readonly log: ContextLog;
}

/**
 * The client of the current request: `ctx.session`. What it sends belongs to the request; {@link standalone} is for everything
 * else. Its requests work on stateful revisions only; `ctx.elicit`, `ctx.sample` and `ctx.roots` ask on every revision.
 */
export class ServerSession {
  readonly #context: SessionContext;
  readonly #outbound: Outbound;

  /** @internal Made by `ctx.session`. */
  constructor(context: SessionContext, outbound: Outbound) {
    this.#context = context;
    this.#outbound = outbound;
  }

  /** The same session on the channel that belongs to no request: the GET stream over HTTP. Stateless revisions have none. */
  get standalone(): ServerSession {
    return new ServerSession(this.#context, this.#context.connection.dispatcher);
  }

  // ---- the client ----

  /**
   * The params of the client's `initialize`; on stateless revisions, the same data from this request. Undefined if the client did
   * not state its identity. Security: unverified; base no decision on it.
   */
  get clientParams(): InitializeRequestParams | undefined {
    const { codec, client, connection } = this.#context;
    if (!codec.stateless) return connection.clientParams;
    const { info, capabilities } = client;
    return info && { protocolVersion: codec.version, capabilities, clientInfo: info };
  }

  /** The capabilities that the client declared; on stateless revisions, for this request. To test one: {@link checkClientCapability}. */
  get clientCapabilities(): ClientCapabilities {
    return this.#context.client.capabilities;
  }

  /** The revision of this request; always known. */
  get protocolVersion(): string {
    return this.#context.codec.version;
  }

  /** Whether requests can be sent to the client: see {@link request}. */
  get canSendRequest(): boolean {
    return canSendRequests(this.#context);
  }

  /** Whether the client declared all of these capabilities. Others are ignored; false before the client has introduced itself. */
  checkClientCapability(required: ClientCapabilities): boolean {
    return hasDeclared(this.#context, required);
  }

  // ---- requests ----

  /** Checks that the client responds. */
  async ping(options?: RequestOptions): Promise<void> {
    await this.request("ping", undefined, options);
  }

  /**
   * Requests a message from the client's model. Checked before anything is written: the channel, then the capability for tools,
   * then that every use of a tool in the conversation has its result.
   * @throws NoBackChannelError; McpError -32602 if the client does not accept tools; RangeError if a tool result matches no use
   * @throws ProtocolViolationError if the result is of the wrong kind
   * @throws MissingClientCapabilityError if the client lacks `sampling`, or `sampling.context` and the request needs it
   * @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself.
   */
  createMessage(
    params: CreateMessageRequestParams & { tools?: undefined; toolChoice?: undefined },
    options?: RequestOptions,
  ): Promise<CreateMessageResult>;
  /**
   * Requests a message from the client's model, which may call tools: the result may have several blocks, and uses of tools.
   * @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself.
   */
  createMessage(params: CreateMessageRequestParams, options?: RequestOptions): Promise<CreateMessageResultWithTools>;
  createMessage(params: CreateMessageRequestParams, options?: RequestOptions): Promise<CreateMessageResultWithTools> {
    return createMessage(this.#channel, params, options);
  }

  /** Asks the user to fill in a form, on stateful revisions only. The schema is sent unchanged. Use `ctx.elicit`; this is for a form that it cannot express. */
  elicitForm(params: Omit<ElicitRequestFormParams, "mode">, options?: RequestOptions): Promise<ElicitResult> {
    return this.#elicit({ mode: "form", ...params }, options);
  }

  /** Asks the user to visit a page, on stateful revisions only: use `ctx.elicitUrl`. `accept` is consent to open it, not completion. Default `elicitationId`: a random one. */
  elicitUrl(params: Omit<ElicitRequestURLParams, "mode">, options?: RequestOptions): Promise<ElicitResult> {
    return this.#elicit({ mode: "url", elicitationId: crypto.randomUUID(), ...params }, options);
  }

  #elicit(params: ElicitRequestFormParams | ElicitRequestURLParams, options: RequestOptions | undefined): Promise<ElicitResult> {
    const needs = { elicitation: { [params.mode ?? "form"]: {} } };
    return this.request("elicitation/create", params, options, needs) as Promise<ElicitResult>; // checked by the codec
  }

  /**
   * Requests the client's roots.
   * @throws McpError -32602 if one of them is no `file:` URI
   * @deprecated in the protocol as of 2026-07-28, where it still works: take directories as arguments, or as configuration.
   */
  async listRoots(options?: RequestOptions): Promise<ListRootsResult> {
    const result = (await this.request("roots/list", undefined, options, { roots: {} })) as ListRootsResult; // checked by the codec
    assertRoots(result.roots);
    return result;
  }

  /**
   * Sends any request that the revision has; the result is checked. `needs` is what the client must have declared.
   * @throws NoBackChannelError if the channel has no back-channel, before anything is written
   * @throws MissingClientCapabilityError if the client did not declare `needs`
   * @throws McpError the client's error, or `RequestTimeoutError`, `ConnectionClosedError`, `ProtocolViolationError`
   */
  request(method: string, params?: JsonObject, options?: RequestOptions, needs?: ClientCapabilities): Promise<JsonObject> {
    return requestClient(this.#channel, { method, params, needs }, options);
  }

  get #channel(): ReachableClient {
    const { codec, client, connection } = this.#context;
    return { codec, client, connection, outbound: this.#outbound };
  }

  // ---- notifications ----

  /**
   * Sends any notification that the revision has, or a custom one. Never fails: without a channel, or on a closed connection, it is dropped. Await
   * it so that a slow client slows the handler down.
   */
  async notify(method: string, params?: JsonObject): Promise<void> {
    const { codec, connection } = this.#context;
    const nowhere = codec.stateless && this.#outbound === connection.dispatcher;
    if (!nowhere) await sendNotification(codec, this.#outbound, method, params);
  }

  /**
   * Sends a log message, if the client wants that level. Use `ctx.log`; this is for {@link standalone}, where a message belongs to no request.
   * `data` is any JSON value, `null` included.
   * @throws TypeError if the data has no JSON form
   * @deprecated in the protocol as of 2026-07-28, where it still works: write to stderr, or trace with OpenTelemetry.
   */
  sendLogMessage(params: LoggingMessageNotificationParams): Promise<void> {
    const sent = (async () => this.#context.log.sendBy(this, params))();
    // A caller that does not await it causes no unhandled rejection.
    sent.catch(() => undefined);
    return sent;
  }

  /** Sends progress for a token of the client. For the current request use `ctx.progress`. */
  sendProgress(params: ProgressNotificationParams): Promise<void> {
    return this.notify("notifications/progress", params);
  }

  /** Notifies the client that the user finished what a page was for: the client may send the refused request again. */
  sendElicitComplete(elicitationId: string): Promise<void> {
    return this.notify("notifications/elicitation/complete", { elicitationId });
  }

  /** Notifies this client that a resource changed, whether it subscribed or not. `server.resourceUpdated` notifies all subscribers. */
  sendResourceUpdated(uri: string | URL): Promise<void> {
    return this.standalone.notify("notifications/resources/updated", { uri: String(uri) });
  }

  /** Notifies this client that the list of tools changed. The server does so itself when a tool is registered or removed. */
  sendToolListChanged(): Promise<void> {
    return this.standalone.notify("notifications/tools/list_changed");
  }

  /** Notifies this client that the lists of resources or resource templates changed. */
  sendResourceListChanged(): Promise<void> {
    return this.standalone.notify("notifications/resources/list_changed");
  }

  /** Notifies this client that the list of prompts changed. */
  sendPromptListChanged(): Promise<void> {
    return this.standalone.notify("notifications/prompts/list_changed");
  }
}
