/**
 * An authorization server in memory, for tests and local work: a function from requests to answers, with everything that
 * came in kept for the test to look at. It has one user, who agrees to everything, and so it must never guard anything.
 *
 * Which endpoint a request is for is decided here; what each does stands in a file of its own.
 */
import type { JSONWebKeySet } from "jose";
import type { MaybePromise } from "../../jsonrpc/maybe-promise.ts";
import { Guard } from "../../server/http/guard.ts";
import type { HttpRequest, HttpResponse } from "../../server/http/http-message.ts";
import { answerAuthorize } from "./authorize.ts";
import { corsHeaders, PREFLIGHT } from "./cors.ts";
import { endpointAt, type EndpointName } from "./endpoints.ts";
import { errorAnswer, readExchange, toResponse, type Answer, type Exchange } from "./exchange.ts";
import { answerJwks, answerMetadata } from "./metadata.ts";
import { OAuthError } from "./oauth-error.ts";
import type { AuthorizationServerOptions, AuthorizationServerSettings } from "./options.ts";
import { MAX_RECORDED, recordedHeaders, type RecordedRequest } from "./recorded-request.ts";
import { answerRegistration } from "./registration.ts";
import { ServerState } from "./state.ts";
import { assertTestOnly } from "./test-only.ts";
import { answerToken } from "./token-endpoint.ts";
import { answerIntrospection, answerRevocation } from "./token-status.ts";

interface Endpoint {
  readonly methods: readonly string[];
  readonly answer: (state: ServerState, exchange: Exchange) => MaybePromise<Answer>;
}

const ENDPOINTS: Readonly<Record<EndpointName, Endpoint>> = {
  metadata: { methods: ["GET"], answer: answerMetadata },
  jwks: { methods: ["GET"], answer: answerJwks },
  register: { methods: ["POST"], answer: answerRegistration },
  authorize: { methods: ["GET", "POST"], answer: answerAuthorize },
  token: { methods: ["POST"], answer: answerToken },
  introspect: { methods: ["POST"], answer: answerIntrospection },
  revoke: { methods: ["POST"], answer: answerRevocation },
};

export class AuthorizationServer {
  /** The issuer, and the URL everything else is found from. */
  readonly issuer: string;
  /** How it behaves; may be changed between two requests. */
  readonly settings: AuthorizationServerSettings;
  /** The newest 10 000 requests, in the order they came. Security: with every secret in them. */
  readonly requests: RecordedRequest[] = [];
  readonly #state: ServerState;
  readonly #guard: Guard;

  /**
   * @throws McpUsageError for an issuer that others could reach, and where `NODE_ENV` is `production`
   * @throws TypeError for an issuer that is none, and for options there are none of
   */
  constructor(issuer: string, options: AuthorizationServerOptions = {}) {
    assertTestOnly(issuer);
    this.issuer = issuer;
    this.#state = new ServerState(issuer, options);
    this.settings = this.#state.settings;
    this.#guard = new Guard({ allowedHosts: [new URL(issuer).hostname, "localhost", "127.0.0.1", "[::1]"] });
  }

  /** Signs with a new key from now on. The old ones stay published, unless `withdraw`: then what they signed is void. */
  rotateKeys({ withdraw = false }: { withdraw?: boolean } = {}): Promise<void> {
    return this.#state.keys.rotate(withdraw);
  }

  /** What `jwks_uri` answers with. */
  jwks(): Promise<JSONWebKeySet> {
    return this.#state.keys.published();
  }

  /** Answers one request. Never rejects: what goes wrong in here is a 500. */
  async handle(request: HttpRequest): Promise<HttpResponse> {
    const refused = this.#guard.refuse(request);
    if (refused !== undefined) return toResponse({ status: refused });
    const url = new URL(request.url, this.issuer);
    try {
      return await this.#answer(request, url);
    } catch (error) {
      return toResponse(errorAnswer(new OAuthError("server_error", error instanceof Error ? error.message : "Unknown error", 500)));
    }
  }

  async #answer(request: HttpRequest, url: URL): Promise<HttpResponse> {
    const exchange = await readExchange(request, url);
    const endpoint = endpointAt(this.issuer, url.pathname);
    const recorded = this.#record(request, exchange, endpoint);
    const instead = await this.settings.before?.(recorded);
    const answer = typeof instead === "number" ? { status: instead } : await this.#ask(endpoint, exchange);
    const altered = this.#alter(answer, recorded);
    recorded.status = altered.status;
    return toResponse({ ...altered, headers: [...(altered.headers ?? []), ...corsHeaders(exchange.header)] });
  }

  async #ask(name: EndpointName | undefined, exchange: Exchange): Promise<Answer> {
    if (name === undefined) return { status: 404 };
    const endpoint = ENDPOINTS[name];
    if (exchange.method === "OPTIONS") return PREFLIGHT;
    if (!endpoint.methods.includes(exchange.method)) return { status: 405, headers: ["Allow", endpoint.methods.join(", ")] };
    try {
      return await endpoint.answer(this.#state, exchange);
    } catch (error) {
      if (error instanceof OAuthError) return errorAnswer(error);
      throw error;
    }
  }

  #alter(answer: Answer, recorded: RecordedRequest): Answer {
    if (answer.redirect !== undefined) this.settings.alterRedirect?.(answer.redirect.parameters, recorded);
    if (answer.json === undefined || this.settings.alterAnswer === undefined) return answer;
    const json = this.settings.alterAnswer(answer.json, recorded);
    return json === undefined ? { status: 404 } : { ...answer, json };
  }

  #record(request: HttpRequest, { method, url, parameters, body }: Exchange, endpoint: EndpointName | undefined): Recording {
    const recorded: Recording = {
      endpoint,
      method,
      url: url.href,
      headers: recordedHeaders(request),
      parameters: parameters.toJSON(),
      body,
      status: undefined,
    };
    if (this.requests.length === MAX_RECORDED) this.requests.shift();
    this.requests.push(recorded);
    return recorded;
  }
}

type Recording = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };
