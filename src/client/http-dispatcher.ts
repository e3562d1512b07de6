/**
 * The dispatcher over Streamable HTTP: each request is one POST whose response settles that call, each other message
 * is a POST of its own.
 *
 * Ids, deadlines, progress and the requests of the server are the exchange's, as on every connection. What only HTTP
 * has is in the files beside this one: the call, the session, the headers, the tools.
 */
import type { Authorizer } from "../auth/authorizer.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isBatch, type Incoming, type Outgoing } from "../jsonrpc/incoming.ts";
import { isRequest, JsonText, type JsonObject, type JSONRPCRequest, type RequestId } from "../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { stringifyMessage, stringifyResult } from "../jsonrpc/serialise.ts";
import { METHODS, type HeaderNames } from "../protocol/methods.ts";
import { systemClock, type Clock } from "../dispatch/clock.ts";
import type { Dispatcher, OnNotification, OnRequest, RawResult, RequestOptions, TransportContext } from "../dispatch/dispatcher.ts";
import { Exchange } from "../dispatch/exchange.ts";
import { isResumable } from "../dispatch/pending.ts";
import type { ClientMessageMetadata } from "../transport/session-message.ts";
import { reportTo, toClosedError } from "../dispatch/json-rpc-dispatcher.ts";
import { withDefaults } from "../dispatch/limits.ts";
import type { Link } from "../dispatch/link.ts";
import { Authorization } from "../transport/http-client/authorization.ts";
import { Endpoint } from "../transport/http-client/endpoint.ts";
import { toFailure } from "../transport/http-client/failed-response.ts";
import { ConnectionLostError, SessionLostError } from "../transport/http-client/http-errors.ts";
import { Limiter } from "../transport/http-client/limiter.ts";
import { readBeginning } from "../transport/http-client/read-body.ts";
import { HttpCall } from "./http-call.ts";
import type { HttpConnection } from "./http-connection.ts";
import { statelessHeaders, statelessVersionOf, userHeaders, withoutOurs } from "./http-headers.ts";
import { httpLimits, type HttpClientLimits, type HttpHeaders, type HttpServerParameters } from "./http-options.ts";
import { HttpSession } from "./http-session.ts";
import { HttpTools } from "./http-tools.ts";
import type { OpenOptions } from "./opener.ts";
import { MAX_PAGES } from "./pages.ts";
import { setPatientTimer } from "./patient-timer.ts";

const NO_OPTIONS: RequestOptions = {};
const UNTRIED: readonly Remedy[] = [];
/** Milliseconds a server has to take a message that needs no answer. */
const POST_TIMEOUT = 30_000;
/** Requests that change nothing, so that sending one twice is safe. */
const REPEATABLE: ReadonlySet<string> = new Set([
  ...METHODS.filter((row) => row.cacheable).map((row) => row.method),
  "ping",
  "prompts/get",
  "completion/complete",
]);
/** Requests whose success this client has to know of. */
const OBSERVED: ReadonlySet<string> = new Set(["tools/list", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"]);

/** What is done before a call is made again: learn its headers, wait for a new session, or nothing. */
type Remedy = "headers" | "session" | "again";

/** A call, and what was done for it already. */
interface Attempt {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
  readonly tried: readonly Remedy[];
}

export class HttpDispatcher implements Dispatcher, Link, HttpConnection {
  readonly clock: Clock;
  readonly context: TransportContext = { kind: "http" };
  readonly endpoint: Endpoint;
  readonly limits: HttpClientLimits;
  readonly limiter: Limiter;
  readonly session: HttpSession;
  readonly open: Set<AbortController> = new Set();
  readonly heldUntil?: () => number;
  readonly #exchange: Exchange;
  readonly #calls = new Map<RequestId, HttpCall>();
  /** The one that was begun last. */
  #latest: HttpCall | undefined;
  readonly #tools: HttpTools;
  readonly #headerNames: HeaderNames | undefined;
  readonly #userHeaders: () => MaybePromise<HttpHeaders>;
  readonly #onError: ((error: Error) => void) | undefined;
  #onClose!: () => void;
  readonly #ended: Promise<void>;
  #closing: Promise<void> | undefined;

  /** @throws TypeError for a URL that cannot be used, RangeError for a limit that is none */
  constructor(server: HttpServerParameters, options: OpenOptions = {}, authorizer?: Authorizer) {
    this.clock = options.clock ?? systemClock;
    const authorization = authorizer && new Authorization(authorizer, () => this.clock.now());
    if (authorization !== undefined) this.heldUntil = authorization.heldUntil;
    this.endpoint = new Endpoint(server.url, server.fetch, authorization);
    this.limits = httpLimits(server);
    this.limiter = new Limiter(this.limits.maxConcurrentRequests);
    this.#onError = options.onError;
    this.#userHeaders = userHeaders(server.headers);
    this.#headerNames = options.headerNames;
    this.session = new HttpSession(this);
    this.#tools = new HttpTools((error) => this.report(error));
    this.#exchange = new Exchange(this, { limits: withDefaults(options), answerMalformed: false });
    this.#ended = new Promise((resolve) => {
      this.#onClose = resolve;
    });
  }

  // ---- the dispatcher ----

  get acceptsBatches(): boolean {
    return this.#exchange.acceptsBatches;
  }

  set acceptsBatches(legal: boolean) {
    this.#exchange.acceptsBatches = legal;
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    this.#exchange.start(onRequest, onNotification);
    return this.#ended;
  }

  request(method: string, params?: JsonObject, options: RequestOptions = NO_OPTIONS): Promise<JsonObject> {
    const { renewing } = this.session;
    return renewing === undefined ? this.#request(method, params, options) : renewing.then(() => this.#request(method, params, options));
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#exchange.notify(method, params);
  }

  close(reason?: unknown): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: unknown): Promise<void> {
    this.#exchange.close(toClosedError(reason));
    for (const call of [...this.#calls.values()]) call.cancel();
    for (const abort of [...this.open]) abort.abort();
    await this.session.end();
    this.#onClose();
  }

  // ---- calls, and making one again ----

  #request(method: string, params: JsonObject | undefined, options: RequestOptions): Promise<JsonObject> {
    const answer = this.#attempt({ method, params, options, tried: UNTRIED });
    return OBSERVED.has(method) ? answer.then((result) => this.#observe(method, params, result)) : answer;
  }

  #attempt(attempt: Attempt): Promise<JsonObject> {
    const { method, params } = attempt;
    const options = this.#patient(attempt.options);
    this.#latest = undefined;
    const answer = this.#exchange.request(method, params, options);
    if (isResumable(options)) this.#endWith(answer, this.#latest);
    return answer.catch((error: unknown) => this.#recover(error, attempt));
  }

  /** One that can be taken up again is not cancelled when it is given up: only this side stops to wait (DI-10). */
  #endWith(answer: Promise<unknown>, call: HttpCall | undefined): void {
    const end = (): void => {
      if (call !== undefined && this.#calls.get(call.id) === call) call.cancel();
    };
    void answer.then(end, end);
  }

  /** A user who logs in is not a server that is slow. */
  #patient(options: RequestOptions): RequestOptions {
    const held = this.heldUntil;
    return held === undefined ? options : { ...options, heldUntil: () => Math.max(held(), options.heldUntil?.() ?? -Infinity) };
  }

  #observe(method: string, params: JsonObject = {}, result: JsonObject): JsonObject {
    if (method === "tools/list") return this.#tools.learn(result, statelessVersionOf(params) !== undefined);
    this.session.note(method, params);
    return result;
  }

  /**
   * Makes a call again where that is safe, once for each way it can fail (C10, C14, F1.7, F3.6).
   * @throws what it failed with
   */
  async #recover(error: unknown, { method, params, options, tried }: Attempt): Promise<JsonObject> {
    const remedy = this.#remedyFor(error, method, params, options);
    if (remedy === undefined || tried.includes(remedy)) throw error;
    if (remedy === "headers" && !(await this.#learnAgain(params))) throw error;
    if (remedy === "session") await this.session.renewing;
    options.signal?.throwIfAborted();
    return this.#attempt({ method, params, options, tried: [...tried, remedy] });
  }

  #remedyFor(error: unknown, method: string, params: JsonObject | undefined, options: RequestOptions): Remedy | undefined {
    if (!McpError.isMcpError(error) || this.#closing !== undefined) return undefined;
    if (error.code === ErrorCode.HeaderMismatch && method === "tools/call") return "headers";
    if (!(error instanceof ConnectionLostError) || error.outcome === "not-sent") return undefined;
    // An id of the caller's own must not be used twice.
    if (options.requestId !== undefined || !this.#isRepeatable(method, params)) return undefined;
    return error instanceof SessionLostError ? "session" : "again";
  }

  #isRepeatable(method: string, params: JsonObject | undefined): boolean {
    return REPEATABLE.has(method) || (method === "tools/call" && this.#tools.isRepeatable(params?.["name"]));
  }

  isRepeatable({ method, params }: JSONRPCRequest): boolean {
    return this.#isRepeatable(method, params);
  }

  /** Reads the list again until the tool of a call is in it. False where that fails. */
  async #learnAgain(params: JsonObject | undefined): Promise<boolean> {
    const { progressToken: _, ...meta } = { ...(params?.["_meta"] as JsonObject | undefined) }; // stateless: an object, encoded by us
    let cursor: unknown;
    try {
      for (let page = 0; page < MAX_PAGES; page++) {
        const list = await this.#exchange.request("tools/list", { _meta: meta, ...(cursor !== undefined && { cursor }) });
        this.#tools.learn(list, true);
        cursor = list["nextCursor"];
        if (typeof cursor !== "string" || listsTool(list, params?.["name"])) return true;
      }
    } catch (error) {
      this.report(error);
    }
    return false;
  }

  // ---- the link below the exchange ----

  send(message: Outgoing, _related?: RequestId, metadata?: ClientMessageMetadata): MaybePromise<void> {
    const text = stringifyMessage(message);
    if (isBatch(message) || !isRequest(message)) return this.#post(message, text);
    const call = new HttpCall(this, message, text, metadata);
    this.#calls.set(message.id, call);
    this.#latest = call;
    call.start();
    return undefined;
  }

  tell(message: Outgoing): MaybePromise<void> {
    if (this.#closing !== undefined || this.#isCancelled(message)) return undefined;
    try {
      return this.#post(message, stringifyMessage(message)).catch((error: unknown) => this.report(error));
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  /** Whether a message cancels a call for which ending the exchange says so already (G3), or that never left. */
  #isCancelled(message: Outgoing): boolean {
    if (isBatch(message) || !("method" in message) || message.method !== "notifications/cancelled") return false;
    const call = this.#calls.get(message.params?.["requestId"] as RequestId); // another type finds nothing
    if (call === undefined) return false;
    this.#calls.delete(call.id);
    return !call.cancel() || call.stateless;
  }

  /** Sends a message that is no request. Resolves once the server has taken it. */
  async #post(message: Outgoing, body: string): Promise<void> {
    const abort = new AbortController();
    const sessionId = this.session.id;
    this.open.add(abort);
    const stopTimer = setPatientTimer(this.clock, POST_TIMEOUT, this.heldUntil, () =>
      abort.abort(new ConnectionLostError(`${this.endpoint.name} did not answer`, "unknown")),
    );
    try {
      const response = await this.endpoint.send({ method: "POST", headers: await this.headersOf(message), body, signal: abort.signal });
      if (!response.ok) {
        const failure = await toFailure(response, this.endpoint.name);
        throw response.status === 404 && sessionId !== undefined ? this.session.lost(sessionId, failure) : failure;
      }
      await readBeginning(response, 1024);
      if (!isBatch(message) && "method" in message && message.method === "notifications/initialized") await this.session.standBy();
    } finally {
      stopTimer();
      this.open.delete(abort);
    }
  }

  encode(result: JsonObject): RawResult {
    return new JsonText(stringifyResult(result));
  }

  report(error: unknown): void {
    if (this.#closing === undefined) reportTo(this.#onError, error);
  }

  // ---- what the parts ask of us ----

  async headersOf(message: Outgoing, own?: HttpHeaders): Promise<HttpHeaders> {
    const stateless = statelessHeaders(message, this.#headerNames);
    const mirrored = stateless?.["mcp-method"] === "tools/call" ? this.#tools.headersOf((message as JSONRPCRequest).params) : undefined; // only requests have that method
    return {
      ...(await this.#userHeaders()),
      ...withoutOurs(own ?? {}),
      ...(stateless ?? this.session.headers),
      ...mirrored,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    };
  }

  async plainHeaders(own?: HttpHeaders): Promise<HttpHeaders> {
    return { ...(await this.#userHeaders()), ...withoutOurs(own ?? {}), ...this.session.headers };
  }

  call(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#exchange.request(method, params, this.#patient({ cancelOnAbandon: false }));
  }

  async tellServer(method: string): Promise<void> {
    const message = { jsonrpc: "2.0", method } as const;
    await this.#post(message, stringifyMessage(message));
  }

  deliver(incoming: Incoming): void {
    this.#exchange.accept(incoming);
  }

  failCall(id: RequestId, error: unknown): void {
    this.#exchange.failCall(id, error);
  }

  finished(call: HttpCall): void {
    if (this.#calls.get(call.id) === call) this.#calls.delete(call.id);
  }
}

function listsTool({ tools }: JsonObject, name: unknown): boolean {
  return (
    Array.isArray(tools) && tools.some((tool: unknown) => typeof tool === "object" && tool !== null && "name" in tool && tool.name === name)
  );
}
