/**
 * One HTTP endpoint: takes a request of any revision and answers it.
 *
 * Decides what is refused, in the order of ruling Z4, and who answers the rest: the stateless side, or a session. It
 * works on structural requests; `fetch` and Node's server each have an edge of their own around it.
 */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError, McpError, McpUsageError, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import { parseMessage } from "../../../jsonrpc/parse.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { Gate } from "./authorize.ts";
import { inWords } from "./browser.ts";
import { Cors } from "./cors.ts";
import type { Guard } from "./guard.ts";
import type { Beating } from "../exchange/heartbeat.ts";
import { refusal, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { accepted, isJson } from "../media-type.ts";
import { guardFor, withHttpDefaults, type HttpOptions, type HttpSettings } from "../options.ts";
import {
  badRequest,
  forbidden,
  notAcceptable,
  shuttingDown,
  SlowBodyError,
  tooLarge,
  tooMany,
  tooSlow,
  unsupportedMediaType,
} from "../refusals.ts";
import { Router } from "./router.ts";
import { lackingScopes } from "./scopes.ts";
import { Serving } from "../serving.ts";
import { unsent } from "../exchange/unsent.ts";

export class HttpHandler {
  readonly settings: HttpSettings;
  readonly #server: Acceptor;
  readonly #guard: Guard;
  readonly #gate: Gate | undefined;
  readonly #cors: Cors | undefined;
  readonly #serving: Serving;
  readonly #router: Router;

  /** @throws TypeError, RangeError for options that are none */
  constructor(server: Acceptor, options: HttpOptions = {}) {
    this.settings = withHttpDefaults(options);
    this.#server = server;
    this.#guard = guardFor(options);
    this.#cors = options.cors && new Cors(options.cors);
    this.#serving = new Serving(this.settings);
    this.#gate = options.auth && new Gate(server, options.auth, (error) => this.#serving.report(error));
    this.#router = new Router(server, this.#serving);
  }

  /** Whether new requests are refused. */
  get draining(): boolean {
    return this.#serving.draining;
  }

  /** Tells the operator. */
  report(error: unknown): void {
    this.#serving.report(error);
  }

  /** Answers wait for a client: see {@link Serving.hold}. */
  hold(answers: Beating): () => void {
    return this.#serving.hold(answers);
  }

  /**
   * Refuses what is new, ends streams in good order, gives what runs `ms` milliseconds, answers the rest with an error, then closes.
   * Default 25 000: less than what orchestrators wait.
   */
  async drain(ms = 25_000): Promise<void> {
    this.#serving.draining = true;
    this.#router.endStreams();
    await this.#serving.idleWithin(ms);
    this.#router.failAll(new McpError(ErrorCode.InternalError, "The server is shutting down"));
    await this.close();
  }

  /** Ends everything at once. Idempotent. */
  async close(): Promise<void> {
    this.#serving.draining = true;
    await this.#router.close();
    this.#serving.stop();
  }

  /** Answers one request. Never rejects. */
  handle(request: HttpRequest): MaybePromise<HttpResponse> {
    const early = this.check(request);
    if (isPromise(early)) return early.then((known) => known ?? this.#readAndAnswer(request));
    return early ?? this.#readAndAnswer(request);
  }

  #readAndAnswer(request: HttpRequest): MaybePromise<HttpResponse> {
    try {
      const text = request.text();
      if (!isPromise(text)) return this.answer(request, text);
      return text.then(
        (body) => this.answer(request, body),
        (error: unknown) => this.refuseBody(request, error),
      );
    } catch (error) {
      return this.refuseBody(request, error);
    }
  }

  /** Whether a path is answered by this endpoint wherever the endpoint itself is. */
  isPublic(url: string): boolean {
    return this.#gate?.isPublic(url) === true;
  }

  /** What can be answered without the body: refusals, and every method but POST. Undefined where the body is needed. */
  check(request: HttpRequest): MaybePromise<HttpResponse | undefined> {
    const refused = this.#guard.refuse(request);
    const gate = this.#gate;
    // Every page may read what is public; a strange host is none of ours.
    if (gate !== undefined && refused !== 421 && gate.isPublic(request.url)) return gate.publicDocument(request);
    if (refused !== undefined) return forbidden(refused);
    // A preflight never has credentials; it is about the request to come, which has.
    if (gate === undefined || (request.method === "OPTIONS" && this.#cors !== undefined)) return this.#checkHead(request);
    const answer = gate.admit(request);
    return isPromise(answer) ? answer.then((known) => this.#afterGate(request, known)) : this.#afterGate(request, answer);
  }

  #afterGate(request: HttpRequest, answer: HttpResponse | undefined): MaybePromise<HttpResponse | undefined> {
    return answer === undefined ? this.#checkHead(request) : this.#exposeNow(request, inWords(request, answer));
  }

  #checkHead(request: HttpRequest): MaybePromise<HttpResponse | undefined> {
    // What ends something is let in: it makes room.
    const full = unsent.size > this.settings.maxUnsent && request.method !== "DELETE";
    if (full) return this.#expose(request, tooMany(503, "maxUnsent"));
    if (request.method !== "POST") return this.#answerHead(request);
    const early = this.#checkPost(request);
    return early && this.#expose(request, early);
  }

  #answerHead(request: HttpRequest): MaybePromise<HttpResponse> {
    try {
      const preflight = request.method === "OPTIONS" ? this.#cors?.preflight(request) : undefined;
      const answer = preflight ?? this.#router.answerHead(request);
      return this.#expose(request, isPromise(answer) ? answer : inWords(request, answer));
    } catch (error) {
      return this.#failed(request, error);
    }
  }

  #checkPost(request: HttpRequest): HttpResponse | undefined {
    if (this.#serving.draining) return shuttingDown();
    if (!isJson(request.header("content-type"))) return unsupportedMediaType("Content-Type must be application/json");
    // Nothing is unpacked, so that nothing can be packed small (F9).
    if ((request.header("content-encoding") ?? "identity") !== "identity") return unsupportedMediaType("a body must not be compressed");
    const { json, events } = accepted(request.header("accept"));
    if (!json && !events) return notAcceptable("application/json and text/event-stream");
    return Number(request.header("content-length")) > this.settings.maxBodyBytes ? tooLarge(this.settings.maxBodyBytes) : undefined;
  }

  /** What a body that could not be read is answered with. */
  refuseBody(request: HttpRequest, error: unknown): HttpResponse {
    if (error instanceof LimitExceededError) return this.#exposeNow(request, tooLarge(error.max));
    if (error instanceof SlowBodyError) return this.#exposeNow(request, tooSlow(error));
    if (!McpError.isMcpError(error)) this.#serving.report(error);
    return this.#exposeNow(
      request,
      badRequest(McpError.isMcpError(error) ? error : new McpError(ErrorCode.ParseError, "The body could not be read")),
    );
  }

  /** Answers a POST that passed {@link check}. */
  answer(request: HttpRequest, text: string): MaybePromise<HttpResponse> {
    try {
      const response = this.#expose(request, this.#answer(request, text));
      return isPromise(response) ? response.catch((error: unknown) => this.#failed(request, error)) : response;
    } catch (error) {
      return this.#failed(request, error);
    }
  }

  /** There is always an answer, whatever went wrong here (R10). */
  #failed(request: HttpRequest, error: unknown): HttpResponse {
    if (error instanceof ProtocolViolationError) return this.#exposeNow(request, badRequest(error));
    this.#serving.report(error);
    return this.#exposeNow(request, refusal(500, { code: ErrorCode.InternalError, message: "Internal error" }));
  }

  #answer(request: HttpRequest, text: string): MaybePromise<HttpResponse> {
    const incoming = parseMessage(text);
    const scopes = lackingScopes(this.#server, incoming, request.caller?.auth);
    if (scopes !== undefined) return this.#forbid(request, scopes, incoming);
    return this.#router.answerPost(request, incoming);
  }

  /** Before anything of it runs, so that no stream has begun (M1.6). */
  #forbid(request: HttpRequest, scopes: readonly string[], incoming: Incoming): HttpResponse {
    const id = "id" in incoming ? (incoming.id ?? null) : null;
    const { caller } = request;
    if (caller !== undefined && this.#gate !== undefined) return this.#gate.refuse(caller.challenge(scopes), id);
    this.#serving.report(new McpUsageError('Something that needs scopes was asked for, and this endpoint has no option "auth"'));
    return refusal(403, { code: ErrorCode.InvalidRequest, message: "Forbidden: this needs scopes, and nobody can be authorized here" }, id);
  }

  #expose(request: HttpRequest, response: MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
    if (this.#cors === undefined && request.caller === undefined) return response;
    return isPromise(response) ? response.then((known) => this.#exposeNow(request, known)) : this.#exposeNow(request, response);
  }

  #exposeNow(request: HttpRequest, response: HttpResponse): HttpResponse {
    const own = request.caller?.headers;
    const whole = own === undefined ? response : { ...response, headers: [...response.headers, ...own] };
    return this.#cors === undefined ? whole : this.#cors.expose(request, whole);
  }
}
