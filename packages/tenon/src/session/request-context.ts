/**
 * One request while its handler runs: what handlers and middleware see of it.
 *
 * Made once per request; everything expensive is made at its first use.
 */
import type { Abortable } from "../base/abort.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject, type RequestId } from "../jsonrpc/message.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { AuthInfo } from "../auth/resource-server/auth-info.ts";
import type { RequestMeta } from "../protocol/base.ts";
import type { ElicitResult } from "../protocol/elicitation.ts";
import type { InputRequest, InputResponses } from "../protocol/input-required.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, Root } from "../protocol/sampling.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { AnySchema, InferOutput } from "../schema/standard-schema.ts";
import type { InboundRequest, Outbound, ProgressCallback, TransportContext } from "../dispatch/dispatcher.ts";
import { shareOf } from "../transport/transport-context.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import type { Connection, ServerHome } from "./connection.ts";
import { sendNotification } from "./send-notification.ts";
import { progressParams } from "./progress.ts";
import type { HandlerContext } from "./handler.ts";
import type {
  AskingContext,
  SampleWithoutTools,
  StepWork,
  StepKeeper,
  Elicited,
  FlatForm,
  ElicitOptions,
  ElicitUrlOptions,
  SecretOptions,
} from "./asking/questions/asking-context.ts";
import type { QuestionChannel, FirstRound } from "./asking/questions/question-channel.ts";
import type { TypedQuestions } from "./asking/questions/typed-questions.ts";
import { ContextLog } from "./context-log.ts";
import type { Selection, VisibilityChange } from "./feature-filter.ts";
import { ServerSession } from "./server-session.ts";
import type { TaskContext } from "./tasks.ts";
import { TurnBudget } from "./turn-budget.ts";

const NO_META: RequestMeta = {};
const NO_INPUT_RESPONSES: InputResponses = {};

/** @internal Makes the object with which the handler of a request asks its client. */
export interface QuestionSource extends ServerHome {
  questionsOf(context: RequestContext): MaybePromise<TypedQuestions>;
  /** What is kept of a result, without the secrets that its user gave. An error is changed in place. */
  clean<T>(value: T, principal: string | undefined): T;
}

/**
 * The request of a handler, and what the handler can do: ask the client, send progress, log. Each request has its own; it is valid
 * until the response is sent.
 */
export class RequestContext<Lifespan = unknown> implements HandlerContext, AskingContext {
  params: JsonObject;
  /** What the server's `lifespan` opened. */
  readonly lifespan: Lifespan;
  /** The channel of this request's questions and notifications. A middleware may replace it. */
  outbound: Outbound;
  /** The task that this call is or may become: on tools with the option `task`. */
  task: TaskContext | undefined;
  /** @internal */
  connection: Connection;
  /** @internal Whether the result was checked already, so that it is sent without a check. */
  isResultChecked = false;
  /** @internal Set while the handler can ask. */
  questionSource: QuestionSource | undefined;
  /** @internal How the handler's questions reach the client; made with the first question. */
  questionChannel: QuestionChannel | undefined;
  /** @internal Keeps finished steps longer than the call. Absent unless the tool says so. */
  declare stepKeeper?: StepKeeper | undefined;
  /** @internal The name that the client called, if the handler is of a server that another one has mounted. */
  declare calledAs?: string;
  /** @internal The first round, which the first question will end. */
  firstRound: FirstRound | undefined;
  #principal: string | undefined;
  #request: InboundRequest;
  /** The request whose signal the handler has: the handler may continue for a later one. */
  #signalled: InboundRequest | undefined;
  /** Set if the request brought its own revision and identity. */
  readonly #codec: Codec | undefined;
  #identity: ClientIdentity | undefined;
  #progress = -Infinity;
  #turn: TurnBudget | undefined;
  #log: ContextLog | undefined;
  #session: ServerSession | undefined;

  /** @internal Made by `handle-request.ts`. */
  constructor(
    request: InboundRequest,
    connection: Connection,
    params: JsonObject,
    lifespan: Lifespan,
    own?: { codec: Codec; identity: ClientIdentity },
  ) {
    this.#request = request;
    this.outbound = request;
    this.connection = connection;
    this.params = params;
    this.lifespan = lifespan;
    this.#codec = own?.codec;
    this.#identity = own?.identity;
  }

  /** The method, such as `tools/call`. */
  get method(): string {
    return this.#request.method;
  }

  /** The transport that the request came in on. */
  get transport(): TransportContext {
    return this.#request.transport;
  }

  /** The request's id, as the client wrote it. Each round of a call has another one. */
  get requestId(): RequestId {
    return this.#request.requestId;
  }

  /** The request's `_meta`; empty if it has none. */
  get meta(): RequestMeta {
    const meta = this.params["_meta"];
    return isJsonObject(meta) ? meta : NO_META;
  }

  /** Aborts when the client cancels, the connection closes or the handler's timeout passes. */
  get signal(): AbortSignal {
    return (this.#signalled ??= this.#request).signal;
  }

  /** @internal What `signal` aborts with, without the cost of a signal. */
  get cancellation(): Abortable {
    const request = (this.#signalled ??= this.#request);
    return request.abort ?? request.signal;
  }

  /** The client's identity and capabilities. Security: the client states them itself; base no decision on them. */
  get client(): ClientIdentity {
    return this.#identity ?? this.connection.client;
  }

  /**
   * A header of the HTTP request, by its name in any case; undefined on other transports. Security: the client wrote it unverified;
   * use `auth` for decisions.
   */
  header(name: string): string | undefined {
    return this.#request.transport.header?.(name.toLowerCase());
  }

  /**
   * The authenticated client, as the endpoint's `auth` verified it, unlike `client`. Undefined if there is no `auth`, which is
   * always so on stdio and in process.
   */
  get auth(): AuthInfo | undefined {
    return this.#request.transport.auth;
  }

  /**
   * The principal: one string per authenticated client, for keys. No two have the same. State between the rounds of a call, and
   * everything else that is kept, is valid for the same principal only. Middleware with its own authentication may set it.
   */
  get principal(): string | undefined {
    return this.#principal ?? this.#request.transport.principal;
  }

  set principal(principal: string | undefined) {
    this.#principal = principal;
  }

  /** @internal Whose share of a limit this request counts against: its principal, or else its address. */
  get share(): string | undefined {
    return shareOf({ principal: this.principal, address: this.#request.transport.address });
  }

  /**
   * Returns only if the client's token has all of these scopes; otherwise the client is asked to get one that has (MCP 2025-11-25,
   * Authorization, Runtime Insufficient Scope Errors: HTTP 403 with a challenge, if nothing was sent yet). Without tokens, on stdio
   * and in process, it requires nothing. If you know the scopes beforehand, set the option `scopes` of the tool, resource or
   * prompt; the challenge here contains those too.
   * @throws McpError -32600; let it pass
   */
  requireScopes(...scopes: readonly string[]): void {
    this.#request.transport.requirements?.check({ scopes });
  }

  /** The revision of this request. */
  get protocolVersion(): string {
    return this.codec.version;
  }

  /** @internal */
  get codec(): Codec {
    return this.#codec ?? this.connection.codec;
  }

  /**
   * Sends the progress of this request to the client. Does nothing if the client did not request progress, if `progress` does not
   * grow, or if it is infinite, which JSON cannot express; an infinite `total` is omitted. Await it so that a slow client slows the
   * handler down and other requests are served: every few milliseconds the wait lasts until the next turn of the event loop.
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "sums", version: "1.0.0" });
   * server.tool("copy", {}, async (_input, ctx) => {
   *   for (let file = 1; file <= 3; file++) await ctx.progress(file, 3, `File ${file}`);
   *   return "copied";
   * });
   * await using client = await connect(server);
   * let last = "";
   * await client.callTool("copy", {}, { onProgress: ({ message = "" }) => (last = message) });
   * console.log(last); // File 3
   * ```
   */
  progress(progress: number, total?: number, message?: string): MaybePromise<void> {
    const params = progressParams(this.meta.progressToken, { progress, total, message }, this.#progress);
    if (params === undefined) return undefined;
    this.#progress = progress;
    return this.notify("notifications/progress", params);
  }

  /** The result of a tool that failed in a way that the model should read: `return ctx.fail("…")`. */
  fail(text: string): CallToolResult {
    return { content: [{ type: "text", text }], isError: true };
  }

  /**
   * Log messages for the client: `ctx.log.info(data)`. Sent if the client wants that level. This is the way to log to a client.
   * @deprecated in the protocol as of 2026-07-28, where it still works: write to stderr, or trace with OpenTelemetry.
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "sums", version: "1.0.0" });
   * server.tool("work", {}, async (_input, ctx) => {
   *   await ctx.log.warning("The disk is nearly full");
   *   return "done";
   * });
   * await using client = await connect(server, { logLevel: "info", onLog: ({ data }) => console.log(data) });
   * await client.callTool("work"); // prints: The disk is nearly full
   * ```
   */
  get log(): ContextLog {
    return (this.#log ??= new ContextLog(this));
  }

  // ---- asking the client: docs/servers/asking.md, and `AskingContext` ----

  elicit<const Schema extends AnySchema>(
    name: string,
    options: ElicitOptions<Schema> & FlatForm<Schema>,
  ): Promise<Elicited<InferOutput<Schema>>> {
    return this.#ask((questions) => questions.elicit<Schema>(name, options));
  }

  elicitUrl(name: string, options: ElicitUrlOptions): Promise<ElicitResult["action"]> {
    return this.#ask((questions) => questions.elicitUrl(name, options));
  }

  confirm(name: string, message: string): Promise<boolean> {
    return this.#ask((questions) => questions.confirm(name, message));
  }

  secret(name: string, options: SecretOptions): Promise<string> {
    return this.#ask((questions) => questions.secret(name, options));
  }

  /** @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself. */
  sample(name: string, params: SampleWithoutTools): Promise<CreateMessageResult>;
  /** @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself. */
  sample(name: string, params: CreateMessageRequestParams): Promise<CreateMessageResultWithTools>;
  sample(name: string, params: CreateMessageRequestParams): Promise<CreateMessageResultWithTools> {
    return this.#ask((questions) => questions.sample(name, params));
  }

  /** @deprecated in the protocol as of 2026-07-28, where it still works: take directories as arguments, or as configuration. */
  roots(name = "roots"): Promise<readonly Root[]> {
    return this.#ask((questions) => questions.roots(name));
  }

  /** @internal Asks what another server asks, to which the request was forwarded. */
  passOn(name: string, question: InputRequest, onProgress?: ProgressCallback): Promise<JsonObject> {
    return this.#ask((questions) => questions.passOn(name, question, onProgress));
  }

  step<T>(name: string, work: StepWork<T>): Promise<T> {
    return this.#ask((questions) => questions.step(name, work), false);
  }

  /** The client's answers to the questions of `inputRequired()`, by their names. Security: unchecked beyond their shape. */
  get inputResponses(): InputResponses {
    return (this.params["inputResponses"] ?? NO_INPUT_RESPONSES) as InputResponses; // checked by the codec
  }

  /** The `requestState` that `inputRequired()` set in the round before. Authentic, and of this very call. */
  get requestState(): string | undefined {
    return this.params["requestState"] as string | undefined; // checked by the codec
  }

  // ---- what the client sees ----

  /**
   * Hides features from this client for its session, by name, URI or filter: they are unknown to it from its next request on. On stateless
   * revisions, which have no session, it holds for the principal, for 24 hours after the last change.
   * @throws McpUsageError on a stateless revision without a principal; LimitExceededError for more than 1 000 selections
   */
  hide(...selections: readonly Selection[]): void {
    this.#changeVisibility({ action: "hide", selections });
  }

  /**
   * Shows features to this client again that were hidden with `ctx.hide` or with the option `hidden`. It never beats a rule of visibility.
   * @throws as {@link RequestContext.hide}
   */
  show(...selections: readonly Selection[]): void {
    this.#changeVisibility({ action: "show", selections });
  }

  /** Undoes every `ctx.hide` and `ctx.show` of this session. @throws as {@link RequestContext.hide} */
  resetVisibility(): void {
    this.#changeVisibility({ action: "reset", selections: [] });
  }

  #changeVisibility(change: VisibilityChange): void {
    if (this.codec.stateless && this.principal === undefined)
      throw new McpUsageError(
        "Without a session only a principal can have hidden features: this revision has no sessions, and there is no auth",
      );
    this.connection.visibility?.change(this, change);
  }

  #ask<T>(ask: (questions: TypedQuestions) => Promise<T>, question = true): Promise<T> {
    // Never at once: the handler has to return its promise first.
    const answer = this.#assertMayAsk(question).then((rounds) => andThen(rounds.questionsOf(this), ask));
    // A question that is cancelled and not awaited is no unhandled rejection.
    answer.catch(() => undefined);
    return answer;
  }

  async #assertMayAsk(question: boolean): Promise<QuestionSource> {
    const { questionSource } = this;
    if (questionSource === undefined)
      throw new McpUsageError(
        `Only handlers of tools, prompts and resources can ask, and only while they run: not middleware, and not "${this.method}"`,
      );
    if (question) this.questionChannel?.assertMayAsk();
    return questionSource;
  }

  /** Asks the handler to end: its signal aborts. Its result still counts, and so does what middleware returns in its place. */
  abort(reason: unknown): void {
    this.#request.stop(reason);
  }

  /** @internal Cancels the handler, whose result is no longer wanted. */
  cancel(reason: unknown): void {
    (this.#signalled ??= this.#request).stop(reason);
  }

  /**
   * @internal Lets the handler continue for a later request of the same call. From now on it uses the channel of that request, and
   * is cancelled with it.
   */
  continueFor(later: RequestContext): void {
    this.#request = later.#request;
    this.outbound = later.outbound;
    this.#identity = later.#identity;
    this.#principal = later.#principal;
    this.#progress = -Infinity;
    this.#session = undefined;
    this.connection = later.connection;
    this.params = { ...this.params, _meta: later.params["_meta"] };
    const { signal } = later;
    const stop = (): void => this.cancel(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  }

  /** Requests to the client while this one runs. On stateless revisions they fail with `NoBackChannelError`. */
  get session(): ServerSession {
    return (this.#session ??= new ServerSession(this, this.outbound));
  }

  /**
   * Ends the HTTP stream of this request while the handler continues: the client reconnects for the rest after a while, and no
   * connection stays open meanwhile. Does nothing if the client could not reconnect: on other transports, and on revisions other
   * than 2025-11-25.
   */
  closeStream(): void {
    this.#request.release();
  }

  /** @internal Lifts the timeout of the handler, for requests that stay open by design. */
  keepOpen(): void {
    this.#request.keepOpen();
  }

  /**
   * Sends a notification on this request's own channel. One of the specification is dropped if the revision does not have it; a custom
   * one, such as `notifications/shop/sold`, reaches the client's `onNotification` on every revision. Await it so that a slow client
   * slows the handler down.
   */
  notify(method: string, params?: JsonObject): MaybePromise<void> {
    const sent = sendNotification(this.codec, this.outbound, method, params);
    const turn = (this.#turn ??= new TurnBudget()).spend();
    return turn === undefined ? sent : andThen(sent, () => turn);
  }
}
