/**
 * One HTTP endpoint: takes a request of any revision and answers it.
 *
 * It decides which requests are refused, and hands the others to the router. The head is judged first; the body is read
 * only if it is wanted. Requests are structural: `fetch` and Node's server each have an edge of their own around it.
 */
import { andThen, attempt, isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError, McpError, McpUsageError, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import { parseMessage } from "../../../jsonrpc/parse.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import type { HeartbeatTarget } from "../exchange/heartbeat.ts";
import { unsent } from "../exchange/event-stream.ts";
import { type HttpRequest, type HttpResponse, isJson, parseAccept, refusal } from "../http-message.ts";
import type { HttpOptions } from "../options.ts";
import { guardFor, withHttpDefaults, type HttpSettings } from "../settings.ts";
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
import { Serving } from "../serving.ts";
import { AuthorizationGate } from "./authorization-gate.ts";
import { explainToBrowser } from "./browser.ts";
import { Cors } from "./cors.ts";
import type { Guard } from "./guard.ts";
import { requirementsOf } from "./policy.ts";
import { HttpRouter } from "./http-router.ts";

export class Endpoint {
  readonly settings: HttpSettings;
  readonly #server: Acceptor;
  readonly #guard: Guard;
  readonly #gate: AuthorizationGate | undefined;
  readonly #cors: Cors | undefined;
  readonly #serving: Serving;
  readonly #router: HttpRouter;

  /** @throws TypeError, RangeError for an option with a wrong value */
  constructor(server: Acceptor, options: HttpOptions = {}) {
    this.settings = withHttpDefaults(options);
    this.#server = server;
    this.#guard = guardFor(options);
    this.#cors = options.cors && new Cors(options.cors);
    this.#serving = new Serving(this.settings);
    this.#gate = options.auth && new AuthorizationGate(options.auth, (error) => this.#serving.report(error));
    this.#router = new HttpRouter(server, this.#serving);
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
  hold(answers: HeartbeatTarget): () => void {
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

  /** Whether a path is answered by this endpoint wherever the endpoint itself is. */
  isPublic(url: string): boolean {
    return this.#gate?.isPublic(url) === true;
  }

  /** Answers one request: at once if its body is not needed. Never rejects. */
  handle(request: HttpRequest): MaybePromise<HttpResponse> {
    const refused = this.#guard.refuse(request);
    const gate = this.#gate;
    // Every page may read what is public, but nothing is served under a strange host.
    if (gate !== undefined && refused !== 421 && gate.isPublic(request.url)) return gate.publicDocument(request);
    if (refused !== undefined) return forbidden(refused);
    // A preflight never has credentials; it is about the request to come, which has.
    if (gate === undefined || (request.method === "OPTIONS" && this.#cors !== undefined)) return this.#serve(request);
    return andThen(gate.admit(request), (refusal) => (refusal === undefined ? this.#serve(request) : this.#present(request, refusal)));
  }

  #serve(request: HttpRequest): MaybePromise<HttpResponse> {
    const refusal = this.#refuse(request);
    if (refusal !== undefined) return this.#present(request, refusal);
    if (request.method === "POST") return this.#handlePost(request);
    return this.#present(
      request,
      attempt(() => this.#handleHead(request), this.#failed),
    );
  }

  /** Why a request is refused by its head alone. */
  #refuse(request: HttpRequest): HttpResponse | undefined {
    // A DELETE is let in: it ends a session, which makes room.
    if (unsent.size > this.settings.limits.maxUnsent && request.method !== "DELETE") return tooMany(503, "limits.maxUnsent");
    if (request.method !== "POST") return undefined;
    if (this.#serving.draining) return shuttingDown();
    if (!isJson(request.header("content-type"))) return unsupportedMediaType("Content-Type must be application/json");
    // Nothing is unpacked, so that nothing can be packed small.
    if ((request.header("content-encoding") ?? "identity") !== "identity") return unsupportedMediaType("a body must not be compressed");
    const { json, events } = parseAccept(request.header("accept"));
    if (!json && !events) return notAcceptable("application/json and text/event-stream");
    return Number(request.header("content-length")) > this.settings.limits.maxBodyBytes
      ? tooLarge(this.settings.limits.maxBodyBytes)
      : undefined;
  }

  /** Answers every method but POST. */
  #handleHead(request: HttpRequest): MaybePromise<HttpResponse> {
    const preflight = request.method === "OPTIONS" ? this.#cors?.preflight(request) : undefined;
    return preflight ?? this.#router.handleHead(request);
  }

  /** Reads the body and answers what it says. */
  #handlePost(request: HttpRequest): MaybePromise<HttpResponse> {
    const refused = (error: unknown): MaybePromise<HttpResponse> => this.#present(request, this.#refuseBody(error));
    try {
      const text = request.text();
      return isPromise(text) ? text.then((known) => this.#handleText(request, known), refused) : this.#handleText(request, text);
    } catch (error) {
      return refused(error);
    }
  }

  #handleText(request: HttpRequest, text: string): MaybePromise<HttpResponse> {
    const behind = request.isBehind?.(this.settings.limits.maxBuffered) === true;
    return this.#present(
      request,
      behind ? tooMany(503, "limits.maxBuffered") : attempt(() => this.#handleMessage(request, text), this.#failed),
    );
  }

  #handleMessage(request: HttpRequest, text: string): MaybePromise<HttpResponse> {
    const incoming = parseMessage(text);
    const required = requirementsOf(this.#server, incoming);
    const forbidden = required && this.#forbid(request, required.scopes, incoming);
    return forbidden ?? this.#router.handlePost(request, incoming, required);
  }

  /** The refusal of a client that lacks scopes, before anything of its request runs: no stream has begun. */
  #forbid({ caller }: HttpRequest, scopes: readonly string[], incoming: Incoming): HttpResponse | undefined {
    if (scopes.length === 0) return undefined;
    const id = "id" in incoming ? (incoming.id ?? null) : null;
    if (caller !== undefined) {
      const refused = caller.refuse(scopes);
      return refused && this.#gate!.refuse(refused, id); // the gate made the caller
    }
    this.#serving.report(new McpUsageError('Something that needs scopes was asked for, and this endpoint has no option "auth"'));
    return refusal(403, { code: ErrorCode.InvalidRequest, message: "Forbidden: this needs scopes, and nobody can be authorized here" }, id);
  }

  /** The response to a request whose body could not be read. */
  #refuseBody(error: unknown): HttpResponse {
    if (error instanceof LimitExceededError) return tooLarge(error.max);
    if (error instanceof SlowBodyError) return tooSlow(error);
    if (McpError.isMcpError(error)) return badRequest(error);
    this.#serving.report(error);
    return badRequest(new McpError(ErrorCode.ParseError, "The body could not be read"));
  }

  /** There is always a response, whatever went wrong here. */
  readonly #failed = (error: unknown): HttpResponse => {
    if (error instanceof ProtocolViolationError) return badRequest(error);
    this.#serving.report(error);
    return refusal(500, { code: ErrorCode.InternalError, message: "Internal error" });
  };

  /** The response as its reader may see it: with the authorizer's headers, open to allowed pages, in words for a person. */
  #present(request: HttpRequest, response: MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
    if (this.#cors === undefined && request.caller === undefined && request.method === "POST") return response;
    return andThen(response, (known) => {
      const whole = withHeaders(explainToBrowser(request, known), request.caller?.headers);
      return this.#cors === undefined ? whole : this.#cors.expose(request, whole);
    });
  }
}

function withHeaders(response: HttpResponse, headers: readonly string[] | undefined): HttpResponse {
  return headers === undefined ? response : { ...response, headers: [...response.headers, ...headers] };
}
