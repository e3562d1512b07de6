/**
 * What a server can say to its client and ask of it while it serves a request: `ctx.session` (checklist SS-01…SS-88).
 *
 * Holding the object is the choice of the channel. `ctx.session` speaks on the channel of the request at hand,
 * `ctx.session.standalone` on the one that belongs to no request; the seeds choose by `related_request_id`. What a channel
 * cannot do fails before anything is written. It holds no state of its own: that is the connection's.
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
import { sendNotification } from "./connection.ts";
import type { ContextLog } from "./context-log.ts";
import { canSendRequests, hasDeclared, type KnownClient } from "./client-capabilities.ts";
import { createMessage, requestClient, type ReachableClient } from "./server-requests.ts";

/** The request at hand, as far as its session needs it. */
export interface SessionContext extends KnownClient {
  readonly log: ContextLog;
}

/**
 * The client of the request at hand, for those who ask it live: `ctx.session` (SS-01, SS-08). What it sends goes with the request;
 * {@link standalone} is for what does not. `ctx.elicit`, `ctx.sample` and `ctx.roots` ask on every revision, this on stateful ones only.
 */
export class ServerSession {
  readonly #context: SessionContext;
  readonly #outbound: Outbound;

  /** @internal Made by `ctx.session`. */
  constructor(context: SessionContext, outbound: Outbound) {
    this.#context = context;
    this.#outbound = outbound;
  }

  /** The same session on the channel that belongs to no request: the GET stream over HTTP. None on stateless revisions. */
  get standalone(): ServerSession {
    return new ServerSession(this.#context, this.#context.connection.dispatcher);
  }

  // ---- the client ----

  /**
   * What the client said when it opened the conversation; on stateless revisions, what this request says. Undefined where
   * it did not say who it is (SS-03, SS-31). Not verified: no base for security decisions.
   */
  get clientParams(): InitializeRequestParams | undefined {
    const { codec, client, connection } = this.#context;
    if (!codec.stateless) return connection.clientParams;
    const { info, capabilities } = client;
    return info && { protocolVersion: codec.version, capabilities, clientInfo: info };
  }

  /** What the client declared, for this request on stateless revisions. To ask for one: {@link checkClientCapability}. */
  get clientCapabilities(): ClientCapabilities {
    return this.#context.client.capabilities;
  }

  /** The revision this request is answered in; always known (SS-29, SS-30). */
  get protocolVersion(): string {
    return this.#context.codec.version;
  }

  /** Whether the client can be asked anything: see {@link request}. */
  get canSendRequest(): boolean {
    return canSendRequests(this.#context);
  }

  /**
   * Whether the client declared all of that. Only what is asked for is looked at; false for a client that has not
   * introduced itself (SS-40…SS-51).
   */
  checkClientCapability(required: ClientCapabilities): boolean {
    return hasDeclared(this.#context, required);
  }

  // ---- asking it ----

  /** Asks whether the client is there. */
  async ping(options?: RequestOptions): Promise<void> {
    await this.request("ping", undefined, options);
  }

  /**
   * Lets the client's model answer. Checked before anything is written: the channel, then the capability for tools, then
   * that every use of a tool in the conversation has its results (SS-82).
   * @throws NoBackChannelError; McpError -32602 for tools the client does not take; RangeError for results that answer nothing
   * @throws ProtocolViolationError for an answer that is not of the kind asked for
   * @throws MissingClientCapabilityError for a client without `sampling`, or without `sampling.context` where that is asked for
   * @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself.
   */
  createMessage(
    params: CreateMessageRequestParams & { tools?: undefined; toolChoice?: undefined },
    options?: RequestOptions,
  ): Promise<CreateMessageResult>;
  /**
   * Lets the client's model answer that may call tools: its answer may be several blocks, and ask for them (CF-13).
   * @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself.
   */
  createMessage(params: CreateMessageRequestParams, options?: RequestOptions): Promise<CreateMessageResultWithTools>;
  createMessage(params: CreateMessageRequestParams, options?: RequestOptions): Promise<CreateMessageResultWithTools> {
    return createMessage(this.#channel, params, options);
  }

  /** Asks the user to fill in a form. The schema is sent as it is. */
  elicitForm(params: Omit<ElicitRequestFormParams, "mode">, options?: RequestOptions): Promise<ElicitResult> {
    return this.#elicit({ mode: "form", ...params }, options);
  }

  /** Asks the user to visit a page. `accept` is consent to open it, not completion. `elicitationId` is made up where absent. */
  elicitUrl(params: Omit<ElicitRequestURLParams, "mode">, options?: RequestOptions): Promise<ElicitResult> {
    return this.#elicit({ mode: "url", elicitationId: crypto.randomUUID(), ...params }, options);
  }

  #elicit(params: ElicitRequestFormParams | ElicitRequestURLParams, options: RequestOptions | undefined): Promise<ElicitResult> {
    const needs = { elicitation: { [params.mode ?? "form"]: {} } };
    return this.request("elicitation/create", params, options, needs) as Promise<ElicitResult>; // checked by the codec
  }

  /**
   * Asks for the client's roots.
   * @deprecated in the protocol as of 2026-07-28, where it still works: take directories as arguments, or as configuration.
   */
  listRoots(options?: RequestOptions): Promise<ListRootsResult> {
    return this.request("roots/list", undefined, options, { roots: {} }) as Promise<ListRootsResult>; // checked by the codec
  }

  /**
   * Sends any request the revision has; the result is checked (SS-60, SS-63). `needs` is what the client must have declared.
   * @throws NoBackChannelError where the channel has no way back, before anything is written (SS-61)
   * @throws MissingClientCapabilityError where the client did not declare what it takes
   * @throws McpError what the client answered, or `RequestTimeoutError`, `ConnectionClosedError`, `ProtocolViolationError`
   */
  request(method: string, params?: JsonObject, options?: RequestOptions, needs?: ClientCapabilities): Promise<JsonObject> {
    return requestClient(this.#channel, { method, params, needs }, options);
  }

  get #channel(): ReachableClient {
    const { codec, client, connection } = this.#context;
    return { codec, client, connection, outbound: this.#outbound };
  }

  // ---- telling it ----

  /**
   * Sends any notification the revision has. Never fails: without a channel, or on a closed connection, it is dropped
   * (SS-65). Await it to let a slow client slow the handler down.
   */
  async notify(method: string, params?: JsonObject): Promise<void> {
    const { codec, connection } = this.#context;
    const nowhere = codec.stateless && this.#outbound === connection.dispatcher;
    if (!nowhere) await sendNotification(codec, this.#outbound, method, params);
  }

  /**
   * Sends a log message, where the client wants that level (SS-66). `data` is any JSON value, `null` included.
   * @throws TypeError for data that has no JSON form
   * @deprecated in the protocol as of 2026-07-28, where it still works: write to stderr, or trace with OpenTelemetry.
   */
  sendLogMessage(params: LoggingMessageNotificationParams): Promise<void> {
    const sent = (async () => this.#context.log.sendBy(this, params))();
    // That nobody waits for it is no failure of the process.
    sent.catch(() => undefined);
    return sent;
  }

  /** Tells how far something has come that the client gave this token for (SS-69). For the request at hand: `ctx.progress`. */
  sendProgress(params: ProgressNotificationParams): Promise<void> {
    return this.notify("notifications/progress", params);
  }

  /** Tells that what the user did on a page is complete: what waited for it may be tried again (SS-71). */
  sendElicitComplete(elicitationId: string): Promise<void> {
    return this.notify("notifications/elicitation/complete", { elicitationId });
  }

  /** Tells this client that a resource changed, whether it subscribed or not (SS-67). `server.resourceUpdated` tells all who did. */
  sendResourceUpdated(uri: string | URL): Promise<void> {
    return this.standalone.notify("notifications/resources/updated", { uri: String(uri) });
  }

  /** Tells this client that there are other tools (SS-68). The server does so by itself when something is registered or removed. */
  sendToolListChanged(): Promise<void> {
    return this.standalone.notify("notifications/tools/list_changed");
  }

  /** Tells this client that there are other resources or resource templates (SS-68). */
  sendResourceListChanged(): Promise<void> {
    return this.standalone.notify("notifications/resources/list_changed");
  }

  /** Tells this client that there are other prompts (SS-68). */
  sendPromptListChanged(): Promise<void> {
    return this.standalone.notify("notifications/prompts/list_changed");
  }
}
