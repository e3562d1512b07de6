/**
 * One request while its handler runs: what handlers and middleware see of it.
 *
 * Made once a request; everything that costs something is made when it is first asked for.
 */
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject, type RequestId } from "../jsonrpc/message.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { AuthInfo } from "../auth/resource-server/auth-info.ts";
import type { RequestMeta } from "../protocol/base.ts";
import type { ElicitResult } from "../protocol/elicitation.ts";
import type { InputResponses } from "../protocol/input-required.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, Root } from "../protocol/sampling.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { AnySchema, InferOutput } from "../schema/standard-schema.ts";
import type { InboundRequest, Outbound, TransportContext } from "../dispatch/dispatcher.ts";
import { shareOf } from "../transport/transport-context.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import { sendNotification, type Connection } from "./connection.ts";
import type { HandlerContext } from "./handler.ts";
import type { AskingContext, SampleWithoutTools, StepWork } from "./asking/asking-context.ts";
import type { QuestionChannel, FirstRound } from "./asking/question-channel.ts";
import type { Elicited, ElicitOptions, ElicitUrlOptions } from "./asking/asking-context.ts";
import type { TypedQuestions } from "./asking/typed-questions.ts";
import { ContextLog } from "./context-log.ts";
import { ServerSession } from "./server-session.ts";
import type { TaskContext } from "./tasks.ts";
import { TurnBudget } from "./turn-budget.ts";

const NO_META: RequestMeta = {};
const NO_INPUT_RESPONSES: InputResponses = {};

/** @internal Gives the handler of a request what it asks with. */
export interface QuestionSource {
  questionsOf(context: RequestContext): MaybePromise<TypedQuestions>;
}

/**
 * What a handler is told of its request, and what it can do meanwhile: ask the client, tell it of progress, log. Made for each request,
 * and good until it is answered (SS-08).
 */
export class RequestContext<Lifespan = unknown> implements HandlerContext, AskingContext {
  params: JsonObject;
  /** What the server's `lifespan` opened. */
  readonly lifespan: Lifespan;
  /**
   * Where the questions and notifications of this request go on their way to the client. A middleware may put another in
   * its place.
   */
  outbound: Outbound;
  /** The task this call is or may become: on tools with the option `task`. */
  task: TaskContext | undefined;
  /** @internal */
  connection: Connection;
  /** @internal Set while the handler can ask. */
  questionSource: QuestionSource | undefined;
  /** @internal How the handler asks; made with the first question. */
  questionChannel: QuestionChannel | undefined;
  /** @internal The round that the first question will end. */
  firstRound: FirstRound | undefined;
  #principal: string | undefined;
  #request: InboundRequest;
  /** The request whose signal the handler has: it may go on for a later one. */
  #signalled: InboundRequest | undefined;
  /** Set where the request brought its own revision and identity. */
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

  /** What is asked, such as `tools/call`. */
  get method(): string {
    return this.#request.method;
  }

  /** What is known of what carried the request here. */
  get transport(): TransportContext {
    return this.#request.transport;
  }

  /** As the client wrote it. Another one in each round of a call that asks. */
  get requestId(): RequestId {
    return this.#request.requestId;
  }

  /** The request's `_meta`; empty where it has none. */
  get meta(): RequestMeta {
    const meta = this.params["_meta"];
    return isJsonObject(meta) ? meta : NO_META;
  }

  /** Aborts when the client cancels, the connection closes or the handler's time is over. */
  get signal(): AbortSignal {
    return (this.#signalled ??= this.#request).signal;
  }

  /** Who asks and what they can do. What it says of itself is not verified: no base for security decisions (A3.9). */
  get client(): ClientIdentity {
    return this.#identity ?? this.connection.client;
  }

  /**
   * A header of the HTTP request this one came in, by its name in any case; undefined on other transports. What the client
   * says there is not verified: no base for security decisions, for which there is `auth`.
   */
  header(name: string): string | undefined {
    return this.#request.transport.header?.(name.toLowerCase());
  }

  /**
   * Who asks, as the endpoint's `auth` has made sure of it: verified, unlike `client`. Undefined where there is none, which
   * is always so on stdio and in process.
   */
  get auth(): AuthInfo | undefined {
    return this.#request.transport.auth;
  }

  /**
   * The same as one name, for keys: no two principals share it. What is handed to the client between the rounds of a call,
   * and everything else that is kept for it, is good for the same principal only. Middleware that knows better may set it.
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
   * Goes on only where the client's token has all of these scopes; else the client is told to get one that has (M1.6: HTTP
   * 403 with a challenge, where nothing was said yet). Where there are no tokens, on stdio and in process, nothing is
   * required. Scopes that are known beforehand belong into the option `scopes` of the tool, resource or prompt; those are
   * asked for once more here.
   * @throws McpError -32600, to be passed on
   */
  requireScopes(...scopes: readonly string[]): void {
    this.#request.transport.policy?.check({ scopes });
  }

  /** The revision this request is answered in. */
  get protocolVersion(): string {
    return this.codec.version;
  }

  /** @internal */
  get codec(): Codec {
    return this.#codec ?? this.connection.codec;
  }

  /**
   * Tells the client how far this request has come. Does nothing where it did not ask for progress, or where
   * `progress` does not grow (G6) or is infinite, which JSON cannot say; a `total` that is infinite is left out. Await it
   * to let a slow client slow the handler down, and to let other requests be served: every few milliseconds the wait lasts until
   * the next turn of the event loop.
   */
  progress(progress: number, total?: number, message?: string): MaybePromise<void> {
    const { progressToken } = this.meta;
    if (progressToken === undefined || !Number.isFinite(progress) || progress <= this.#progress) return undefined;
    this.#progress = progress;
    const params: JsonObject = { progressToken, progress };
    if (Number.isFinite(total)) params["total"] = total;
    if (message !== undefined) params["message"] = message;
    return this.notify("notifications/progress", params);
  }

  /** The result of a tool that failed in a way the model should read: `return ctx.fail("…")`. */
  fail(text: string): CallToolResult {
    return { content: [{ type: "text", text }], isError: true };
  }

  /**
   * Log messages for the client: `ctx.log.info(data)`. Sent where the client wants that level.
   * @deprecated in the protocol as of 2026-07-28, where it still works: write to stderr, or trace with OpenTelemetry.
   */
  get log(): ContextLog {
    return (this.#log ??= new ContextLog(this));
  }

  // ---- asking the client: docs/servers/asking.md, and `Asking` ----

  elicit<const Schema extends AnySchema>(name: string, options: ElicitOptions<Schema>): Promise<Elicited<InferOutput<Schema>>> {
    return this.#ask((questions) => questions.elicit(name, options));
  }

  elicitUrl(name: string, options: ElicitUrlOptions): Promise<ElicitResult["action"]> {
    return this.#ask((questions) => questions.elicitUrl(name, options));
  }

  confirm(name: string, message: string): Promise<boolean> {
    return this.#ask((questions) => questions.confirm(name, message));
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

  step<T>(name: string, work: StepWork<T>): Promise<T> {
    return this.#ask((questions) => questions.step(name, work), false);
  }

  /** The client's answers to what `inputRequired()` asked, under the same names. As the client sent them. */
  get inputResponses(): InputResponses {
    return (this.params["inputResponses"] ?? NO_INPUT_RESPONSES) as InputResponses; // checked by the codec
  }

  /** What `inputRequired()` gave as `requestState` the last time. Authentic, and of this very call. */
  get requestState(): string | undefined {
    return this.params["requestState"] as string | undefined; // checked by the codec
  }

  #ask<T>(ask: (questions: TypedQuestions) => Promise<T>, question = true): Promise<T> {
    // Never at once: the handler has to return its promise first.
    const asked = this.#assertMayAsk(question).then((rounds) => andThen(rounds.questionsOf(this), ask));
    // That nobody waits for a question that is given up is no failure of the process.
    asked.catch(() => undefined);
    return asked;
  }

  async #assertMayAsk(question: boolean): Promise<QuestionSource> {
    const { questionSource } = this;
    if (questionSource === undefined)
      throw new McpUsageError(
        `Only handlers of tools, prompts and resources can ask, while they run: no middleware, and not "${this.method}"`,
      );
    if (question) this.questionChannel?.assertMayAsk();
    return questionSource;
  }

  /** Tells the handler to end: its signal aborts. What it answers still counts; what middleware answers in its place too. */
  abort(reason: unknown): void {
    this.#request.stop(reason);
  }

  /** @internal The handler is no longer wanted. */
  cancel(reason: unknown): void {
    (this.#signalled ??= this.#request).stop(reason);
  }

  /**
   * @internal The handler outlives the request it was called for: it goes on for a later request of the same call. From now on it
   * speaks on the channel of that request, and is cancelled with it.
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
   * Ends the HTTP stream of this request while the handler goes on: the client comes back for the rest after a while,
   * and no connection is held open meanwhile. Does nothing where the client could not come back: on other transports, and
   * on revisions other than 2025-11-25 (E1.9).
   */
  closeStream(): void {
    this.#request.release();
  }

  /** @internal Lifts the time limit of the handler: for requests that stay open by design. */
  keepOpen(): void {
    this.#request.keepOpen();
  }

  /** Sends a notification on this request's own channel; nothing where the revision does not have it. */
  notify(method: string, params?: JsonObject): MaybePromise<void> {
    const sent = sendNotification(this.codec, this.outbound, method, params);
    const turn = (this.#turn ??= new TurnBudget()).spend();
    return turn === undefined ? sent : andThen(sent, () => turn);
  }
}
