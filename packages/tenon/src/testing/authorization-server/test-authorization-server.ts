/**
 * An authorization server in memory, for tests and local work. It records every request for the test. Its only user approves everything,
 * so it must never protect real data.
 *
 * This file finds the endpoint of a request. Each endpoint has its own file.
 */
import type { JSONWebKeySet } from "jose";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { Guard } from "../../server/http/endpoint/guard.ts";
import type { HttpRequest, HttpResponse } from "../../server/http/http-message.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { handleAuthorize } from "./endpoints/authorize.ts";
import { nonceHeaders } from "./tokens/dpop.ts";
import { GRANT_TYPES } from "./grants/grant.ts";
import { issueAccessToken } from "./tokens/issue-tokens.ts";
import { handleDeviceAuthorization, handleDevicePage, decideDevice } from "./endpoints/device.ts";
import { inProcess } from "./in-process.ts";
import { endpointAt, type EndpointName } from "./endpoints/endpoints.ts";
import { corsHeaders, PREFLIGHT, errorResponse, readExchange, toResponse, type EndpointResponse, type Exchange } from "./exchange.ts";
import { handleJwks, handleMetadata } from "./endpoints/metadata.ts";
import { OAuthError } from "./oauth-error.ts";
import type { TestAuthorizationServerOptions, AuthorizationServerSettings } from "./options.ts";
import { MAX_RECORDED, recordedHeaders, type RecordedRequest } from "./recorded-request.ts";
import { handleRegistration } from "./endpoints/registration.ts";
import { ServerState } from "./state.ts";
import { assertTestOnly } from "./test-only.ts";
import { handleToken } from "./endpoints/token-endpoint.ts";
import { handleIntrospection, handleRevocation } from "./endpoints/token-status.ts";

interface Endpoint {
  readonly methods: readonly string[];
  readonly handle: (state: ServerState, exchange: Exchange) => MaybePromise<EndpointResponse>;
}

const ENDPOINTS: Readonly<Record<EndpointName, Endpoint>> = {
  metadata: { methods: ["GET"], handle: handleMetadata },
  jwks: { methods: ["GET"], handle: handleJwks },
  register: { methods: ["POST"], handle: handleRegistration },
  authorize: { methods: ["GET", "POST"], handle: handleAuthorize },
  token: { methods: ["POST"], handle: handleToken },
  introspect: { methods: ["POST"], handle: handleIntrospection },
  revoke: { methods: ["POST"], handle: handleRevocation },
  device_authorization: { methods: ["POST"], handle: handleDeviceAuthorization },
  device: { methods: ["GET", "POST"], handle: handleDevicePage },
};

/** How many token requests of a grant succeeded and failed. */
export interface TokenCount {
  /** Token requests that succeeded. */
  readonly granted: number;
  /** Token requests that were refused. */
  readonly refused: number;
}

/** The content of an access token. */
export interface AccessTokenOptions {
  /** Default none. */
  clientId?: string;
  /** Default the server's user. */
  subject?: string;
  /** The scopes of the token. Default: none. */
  scopes?: readonly string[];
  /** Default `defaultAudience`, or the issuer. */
  audience?: string | readonly string[];
  /** The thumbprint of the key it is bound to (RFC 9449). */
  key?: string;
  /** Milliseconds until it expires; below 0 it has expired. Default `accessTokenLifetime`. */
  lifetime?: number;
  /** Adds or replaces claims of a JWT; undefined removes a claim. */
  claims?: JsonObject;
}

/** An authorization server in memory, for tests. Security: its user approves everything, so it must protect nothing real. */
export class TestAuthorizationServer {
  /** The issuer, which is also the base URL. */
  readonly issuer: string;
  /** The settings. A test may change them between two requests. */
  readonly settings: AuthorizationServerSettings;
  /** The newest 10 000 requests, in the order they came. Security: with every secret in them. */
  readonly requests: RecordedRequest[] = [];
  readonly #state: ServerState;
  readonly #counts: Map<string, TokenCount> = new Map();
  readonly #guard: Guard;

  /**
   * @throws McpUsageError if other machines could reach the issuer, or `NODE_ENV` is `production`
   * @throws TypeError if the issuer is not a URL, or an option is unknown
   */
  constructor(issuer: string, options: TestAuthorizationServerOptions = {}) {
    assertTestOnly(issuer);
    this.issuer = issuer;
    this.#state = new ServerState(issuer, options);
    this.settings = this.#state.settings;
    this.#guard = new Guard({ allowedHosts: [new URL(issuer).hostname, "localhost", "127.0.0.1", "[::1]"] });
  }

  /** Signs with a new key from now on. The old keys stay published, unless `withdraw`: then their signatures are invalid. */
  rotateKeys({ withdraw = false }: { withdraw?: boolean } = {}): Promise<void> {
    return this.#state.keys.rotate(withdraw);
  }

  /** The key set that `jwks_uri` returns. */
  jwks(): Promise<JSONWebKeySet> {
    return this.#state.keys.published();
  }

  /** Counts the token requests of one grant (`refresh_token` …). */
  count(grantType: string): TokenCount {
    return this.#counts.get(grantType) ?? { granted: 0, refused: 0 };
  }

  /** Issues an access token without a client. With `claims` and `lifetime` it can be one that a resource must refuse. */
  issueAccessToken(token: AccessTokenOptions = {}): Promise<string> {
    const { clientId, subject = this.settings.subject, scopes = [], audience = [], key, lifetime, claims } = token;
    const resources = [audience].flat();
    const grant = { clientId, subject, scopes, resources, revoked: false };
    return issueAccessToken(this.#state, { grant, scopes, resources, key }, { lifetime, claims });
  }

  /** Signs claims with the current key: for valid and invalid ID tokens, ID-JAGs and workload identities. */
  sign(typ: string, claims: JsonObject): Promise<string> {
    return this.#state.keys.sign(typ, claims);
  }

  /** Approves or denies a device without the page. @throws Error if no device waits with that code */
  decideDevice(userCode: string, decision: "approve" | "deny"): void {
    decideDevice(this.#state, userCode, decision === "approve");
  }

  /** `fetch` without a network, for clients in this process. It refuses other origins and follows no redirect. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    if (new URL(request.url).origin !== new URL(this.issuer).origin) throw new TypeError(`${request.url} is not at ${this.issuer}`);
    return inProcess((received) => this.handle(received), request);
  };

  /** Handles one request. Never rejects: an internal failure becomes a 500. */
  async handle(request: HttpRequest): Promise<HttpResponse> {
    const refused = this.#guard.refuse(request);
    if (refused !== undefined) return toResponse({ status: refused });
    const url = new URL(request.url, this.issuer);
    try {
      return await this.#respond(request, url);
    } catch (error) {
      return toResponse(errorResponse(new OAuthError("server_error", error instanceof Error ? error.message : "Unknown error", 500)));
    }
  }

  async #respond(request: HttpRequest, url: URL): Promise<HttpResponse> {
    const exchange = await readExchange(request, url);
    const endpoint = endpointAt(this.issuer, url.pathname);
    const recorded = this.#record(request, exchange, endpoint);
    const instead = await this.settings.before?.(recorded);
    const response = typeof instead === "number" ? { status: instead } : await this.#handle(endpoint, exchange, recorded);
    const isForm = endpoint === "token" && this.settings.tokenFormat === "form";
    const altered = { ...this.#alter(response, recorded), ...(isForm && { isForm }) };
    recorded.status = altered.status;
    if (endpoint === "token") this.#count(String(recorded.parameters["grant_type"]), altered.status);
    return toResponse({ ...altered, headers: [...(altered.headers ?? []), ...nonceHeaders(this.#state), ...corsHeaders(exchange.header)] });
  }

  async #handle(name: EndpointName | undefined, exchange: Exchange, recorded: RecordedRequest): Promise<EndpointResponse> {
    if (name === undefined) return { status: 404 };
    const endpoint = ENDPOINTS[name];
    if (exchange.method === "OPTIONS") return PREFLIGHT;
    if (!endpoint.methods.includes(exchange.method)) return { status: 405, headers: ["Allow", endpoint.methods.join(", ")] };
    const refused = this.settings.refuse?.(recorded);
    const refusal = refused && new OAuthError(refused.code, refused.description);
    try {
      if (refusal !== undefined && name !== "authorize") throw refusal;
      return await endpoint.handle(this.#state, { ...exchange, ...(refusal && { refusal }) });
    } catch (error) {
      if (error instanceof OAuthError) return errorResponse(error);
      throw error;
    }
  }

  #alter(response: EndpointResponse, recorded: RecordedRequest): EndpointResponse {
    if (response.redirect !== undefined) this.settings.alterRedirect?.(response.redirect.parameters, recorded);
    if (response.json === undefined || this.settings.alterResponse === undefined) return response;
    const json = this.settings.alterResponse(response.json, recorded);
    return json === undefined ? { status: 404 } : { ...response, json };
  }

  #count(grantType: string, status: number): void {
    // Unknown names share one count, so that the table is bounded.
    const name = GRANT_TYPES.includes(grantType) ? grantType : "unknown";
    const { granted, refused } = this.count(name);
    this.#counts.set(name, status === 200 ? { granted: granted + 1, refused } : { granted, refused: refused + 1 });
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
