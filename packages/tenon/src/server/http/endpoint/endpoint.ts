/**
 * One HTTP endpoint: takes a request of any revision and responds to it.
 *
 * It refuses requests or passes them to the router. It checks the head first, and reads the body only if the head is accepted. `fetch`
 * and Node's server each have their own edge around it.
 */
import { andThen, attempt, isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError, McpError, McpUsageError, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "../../../jsonrpc/json-limits.ts";
import { LONG_TEXT, parseLongMessage } from "../../../jsonrpc/long-message.ts";
import { parseMessage } from "../../../jsonrpc/parse.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import type { HeartbeatTarget } from "../exchange/heartbeat.ts";
import { unsent } from "../../../base/unsent.ts";
import { type AcceptHeader, type HttpRequest, type HttpResponse, isJson, parseAccept, refusal } from "../http-message.ts";
import type { HttpOptions } from "../options.ts";
import { guardFor, withHttpDefaults, type HttpSettings } from "../settings.ts";
import {
  badRequest,
  forbidden,
  internalError,
  isStoreFailure,
  notAcceptable,
  shuttingDown,
  SlowBodyError,
  storeUnavailable,
  tooLarge,
  tooMany,
  tooSlow,
  unsupportedMediaType,
} from "../refusals.ts";
import { Serving } from "../serving.ts";
import { AuthorizationGate } from "./authorization-gate.ts";
import { explainToBrowser, isPageRequest } from "./browser.ts";
import { Cors } from "./cors.ts";
import { cardAt, type ServerCardOptions } from "../card/options.ts";
import type { ServerCard } from "../card/server-card.ts";
import type { WelcomePage } from "../welcome/welcome-page.ts";
import { pathOf, type Guard } from "./guard.ts";
import { requirementsOfBody } from "./requirements.ts";
import { HttpRouter, type AcceptedPost } from "./http-router.ts";

export class Endpoint {
  readonly settings: HttpSettings;
  readonly #server: Acceptor;
  readonly #guard: Guard;
  readonly #gate: AuthorizationGate | undefined;
  readonly #cors: Cors | undefined;
  readonly #serving: Serving;
  readonly #router: HttpRouter;
  /** An operator who allows longer bodies allows longer texts. */
  readonly #jsonLimits: Partial<JsonLimits> | undefined;
  #leaving = false;
  #card: Promise<ServerCard> | undefined;
  #welcome: Promise<WelcomePage> | undefined;

  /** @throws TypeError, RangeError for an option with a wrong value */
  constructor(server: Acceptor, options: HttpOptions = {}) {
    this.settings = withHttpDefaults(options);
    const { maxBodyBytes } = this.settings.limits;
    if (maxBodyBytes > DEFAULT_JSON_LIMITS.size) this.#jsonLimits = { size: maxBodyBytes };
    this.#server = server;
    this.#guard = guardFor(options);
    this.#cors = options.cors && new Cors(options.cors);
    this.#serving = new Serving(this.settings);
    this.#gate = options.auth && new AuthorizationGate(options.auth, (error) => this.#serving.report(error));
    this.#router = new HttpRouter(server, this.#serving);
  }

  /** Whether a balancer may send requests. */
  get ready(): boolean {
    return !this.leaving && this.#router.sessions.ready;
  }

  /** Whether it drains, or is about to. */
  get leaving(): boolean {
    return this.#leaving || this.#serving.draining;
  }

  /** Is not ready any more, and serves for `ms` milliseconds longer, until every balancer has noticed. */
  async leave(ms: number): Promise<void> {
    this.#leaving = true;
    if (ms > 0) await new Promise<void>((resolve) => void this.settings.clock.setTimer(ms, resolve));
  }

  /** Joins the nodes that share stores, before the first request. @throws McpUsageError if the stores cannot be used */
  begin(): Promise<void> {
    return this.#router.sessions.join();
  }

  report(error: unknown): void {
    this.#serving.report(error);
  }

  /** Watches responses that a client has not read: see {@link Serving.hold}. */
  hold(responses: HeartbeatTarget): () => void {
    return this.#serving.hold(responses);
  }

  /**
   * Refuses new requests, ends streams in order, waits up to `ms` milliseconds for running requests, fails the rest, then closes. Default
   * 25 000, which is less than orchestrators wait.
   */
  async drain(ms = 25_000): Promise<void> {
    this.#serving.draining = true;
    this.#router.endStreams();
    await Promise.all([this.#serving.idleWithin(ms), this.#leaveStores(ms)]);
    this.#router.failAll(new McpError(ErrorCode.InternalError, "The server is shutting down"));
    await this.close();
  }

  /** Ends everything at once. Idempotent. */
  async close(): Promise<void> {
    this.#serving.draining = true;
    await this.#router.close();
    await this.#leaveStores(0);
    this.#serving.stop();
  }

  async #leaveStores(ms: number): Promise<void> {
    if (this.settings.stores !== undefined) await this.#server.shared?.leaveStores?.(ms);
  }

  /** Whether the endpoint serves this path without authorization, such as its metadata document. */
  isPublic(url: string): boolean {
    if (this.#server.http?.pages?.isAt(pathOf(url)) === true) return true;
    return this.#gate?.isPublic(url) === true || (this.settings.card !== undefined && cardAt(url, this.settings.card) === "catalog");
  }

  /** Responds to one request; at once if its body is not needed. Never rejects. */
  handle(request: HttpRequest): MaybePromise<HttpResponse> {
    const refused = this.#guard.refuse(request);
    const gate = this.#gate;
    // Every page may read public documents, but a wrong host gets nothing.
    if (gate !== undefined && refused !== 421 && gate.isPublic(request.url)) return gate.publicDocument(request);
    const { card } = this.settings;
    const pages = this.#server.http?.pages;
    // Forms of these pages come from the endpoint's own origin, which they check themselves.
    if (pages !== undefined && refused !== 421 && pages.isAt(pathOf(request.url)))
      return attempt((): Promise<HttpResponse> => pages.respond(request), this.#failed);
    const wantedCard = card !== undefined && refused !== 421 && cardAt(request.url, card);
    if (wantedCard) return this.#publishCard(card, request, wantedCard);
    if (refused !== undefined) return forbidden(refused);
    // A browser has no token to show. The page has nothing that needs one.
    if (this.settings.welcome && isPageRequest(request)) return this.#showWelcome(request);
    // A preflight has no credentials. The request that follows has them.
    if (gate === undefined || (request.method === "OPTIONS" && this.#cors !== undefined)) return this.#serve(request);
    return andThen(gate.admit(request), (refusal) => (refusal === undefined ? this.#serve(request) : this.#present(request, refusal)));
  }

  async #publishCard(options: ServerCardOptions, request: HttpRequest, asked: "card" | "catalog"): Promise<HttpResponse> {
    this.#card ??= import("../card/server-card.ts").then(({ ServerCard: Card }) => new Card(this.#server, options));
    return this.#card.then((card) => card.respond(request, asked)).catch(this.#failed);
  }

  async #showWelcome(request: HttpRequest): Promise<HttpResponse> {
    this.#welcome ??= import("../welcome/welcome-page.ts").then(({ WelcomePage: Page }) => {
      return new Page(this.#server, this.settings, (own) => this.#serve(own));
    });
    return this.#welcome.then((page) => page.respond(request)).catch(this.#failed);
  }

  #serve(request: HttpRequest): MaybePromise<HttpResponse> {
    const accepts = parseAccept(request.header("accept"));
    const refusal = this.#refuse(request, accepts);
    if (refusal !== undefined) return this.#present(request, refusal);
    if (request.method === "POST") return this.#handlePost(request, accepts);
    return this.#present(
      request,
      attempt(() => this.#handleHead(request, accepts), this.#failed),
    );
  }

  /** Why a request is refused by its head alone. */
  #refuse(request: HttpRequest, { json, events }: AcceptHeader): HttpResponse | undefined {
    // A DELETE is accepted, because it ends a session and so frees memory.
    if (unsent.size > this.settings.limits.maxUnsent && request.method !== "DELETE") return tooMany(503, "limits.maxUnsent");
    if (request.method !== "POST") return undefined;
    if (this.#serving.draining) return shuttingDown();
    if (!isJson(request.header("content-type"))) return unsupportedMediaType("Content-Type must be application/json");
    // The endpoint decompresses nothing, so a small body cannot become a large one.
    if ((request.header("content-encoding") ?? "identity") !== "identity") return unsupportedMediaType("a body must not be compressed");
    if (!json && !events) return notAcceptable("application/json and text/event-stream");
    return Number(request.header("content-length")) > this.settings.limits.maxBodyBytes
      ? tooLarge(this.settings.limits.maxBodyBytes)
      : undefined;
  }

  /** Responds to every method except POST. */
  #handleHead(request: HttpRequest, accepts: AcceptHeader): MaybePromise<HttpResponse> {
    const preflight = request.method === "OPTIONS" ? this.#cors?.preflight(request) : undefined;
    return preflight ?? this.#router.handleHead(request, accepts);
  }

  #handlePost(request: HttpRequest, accepts: AcceptHeader): MaybePromise<HttpResponse> {
    const refused = (error: unknown): MaybePromise<HttpResponse> => this.#present(request, this.#refuseBody(error));
    try {
      const text = request.parts === undefined ? request.text() : request.parts();
      const handle = (known: string | readonly string[]): MaybePromise<HttpResponse> => this.#handleText(request, accepts, known);
      return isPromise(text) ? text.then(handle, refused) : handle(text);
    } catch (error) {
      return refused(error);
    }
  }

  #handleText(request: HttpRequest, accepts: AcceptHeader, text: string | readonly string[]): MaybePromise<HttpResponse> {
    const behind = request.isBehind?.(this.settings.limits.maxBuffered) === true;
    return this.#present(
      request,
      behind ? tooMany(503, "limits.maxBuffered") : attempt(() => this.#parseAndHandle(request, accepts, text), this.#failed),
    );
  }

  #parseAndHandle(request: HttpRequest, accepts: AcceptHeader, text: string | readonly string[]): MaybePromise<HttpResponse> {
    const characters = typeof text === "string" ? text.length : text.reduce((sum, part) => sum + part.length, 0);
    if (characters < LONG_TEXT) {
      const incoming = parseMessage(typeof text === "string" ? text : text.join(""), this.#jsonLimits);
      return this.#handleMessage({ request, accepts, incoming, characters });
    }
    const parsed = parseLongMessage(text, this.#jsonLimits);
    return parsed.then((incoming) => this.#handleMessage({ request, accepts, incoming, characters }));
  }

  #handleMessage({ request, incoming, characters, accepts }: Omit<AcceptedPost, "required">): MaybePromise<HttpResponse> {
    const required = requirementsOfBody(this.#server.http, incoming);
    const refused = required && this.#forbid(request, required.scopes, incoming);
    // Named one by one: a spread costs as much as the parsing of a small message.
    return refused ?? this.#router.handlePost({ request, incoming, characters, accepts, required });
  }

  /** The refusal of a client that lacks scopes, before any of its request runs. */
  #forbid({ caller }: HttpRequest, scopes: readonly string[], incoming: Incoming): HttpResponse | undefined {
    if (scopes.length === 0) return undefined;
    const id = "id" in incoming ? (incoming.id ?? null) : null;
    if (caller !== undefined) {
      const refused = caller.refuse(scopes);
      return refused && this.#gate!.refuse(refused, id); // the gate made the caller
    }
    this.#serving.report(new McpUsageError('A request needs scopes, but this endpoint has no option "auth"'));
    return refusal(
      403,
      { code: ErrorCode.InvalidRequest, message: "Forbidden: this needs scopes, and the endpoint has no authorization" },
      id,
    );
  }

  #refuseBody(error: unknown): HttpResponse {
    if (error instanceof LimitExceededError) return tooLarge(error.max);
    if (error instanceof SlowBodyError) return tooSlow(error);
    if (McpError.isMcpError(error)) return badRequest(error);
    this.#serving.report(error);
    return badRequest(new McpError(ErrorCode.ParseError, "The body could not be read"));
  }

  /** Converts any failure to a response. */
  readonly #failed = (error: unknown): HttpResponse => {
    if (error instanceof ProtocolViolationError) return badRequest(error);
    this.#serving.report(error);
    if (McpError.isMcpError(error) && isStoreFailure(error)) return storeUnavailable(error);
    return internalError();
  };

  /** Adds the authorizer's headers and the CORS headers, and an explanation for browsers. */
  #present(request: HttpRequest, response: MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
    if (this.#cors === undefined && request.caller?.headers === undefined && request.method === "POST") return response;
    return andThen(response, (known) => {
      const whole = withHeaders(explainToBrowser(request, known), request.caller?.headers);
      return this.#cors === undefined ? whole : this.#cors.expose(request, whole);
    });
  }
}

function withHeaders(response: HttpResponse, headers: readonly string[] | undefined): HttpResponse {
  return headers === undefined ? response : { ...response, headers: [...response.headers, ...headers] };
}
