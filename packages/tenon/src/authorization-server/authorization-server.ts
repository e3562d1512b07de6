/**
 * A running authorization server: its requests, and the `auth` of the MCP servers that accept its tokens.
 *
 * The library makes URLs of the request's host and scheme. Security: these are always the issuer's, whatever a request says.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { JWK } from "jose";
import type { Provider } from "./provider/library.ts";
import { bearer } from "../auth/resource-server/bearer.ts";
import type { VerifiedToken } from "../auth/resource-server/verified-token.ts";
import { fromClaims } from "../auth/resource-server/verified-token.ts";
import { assertKnown } from "../base/known-options.ts";
import type { NodeEndpointAuth } from "../node/http/http-endpoint.ts";
import type { Settings } from "./options.ts";
import { messagePage, setPageHeaders } from "./pages/html.ts";
import type { LoginPages } from "./pages/login-pages.ts";
import { routeOf, type LibraryRoute, type RouteName } from "./provider/routes.ts";
import { senderOf } from "./provider/sender.ts";
import type { LimitedRequest, RequestLimits } from "./records/request-limits.ts";
import { SIGNING_ALGORITHM } from "./records/signing-keys.ts";

/** Options of {@link AuthorizationServer.protect}. */
export interface ProtectOptions {
  /** The URL of the MCP server. Default: the only one of the authorization server. */
  resource?: string;
  /** Scopes that every request needs. Default: none. Tools, prompts and resources may require more. */
  scopes?: readonly string[];
}

/** What {@link createAuthorizationServer} makes. */
export interface AuthorizationServer {
  /** Its URL, as its tokens and metadata spell it. */
  readonly issuer: string;
  /** Responds to a request for one of its pages; false if the URL is none of them: `if (!login.handle(request, response)) …`. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /** The option `auth` of a server that accepts its tokens. `serveHttp()` serves the pages on the same port. @throws TypeError if the resource does not belong to this server */
  protect(options?: ProtectOptions): NodeEndpointAuth;
}

export interface RunningParts {
  readonly settings: Settings;
  readonly issuer: string;
  readonly base: string;
  readonly provider: Provider;
  /** Undefined if users log in by no page. */
  readonly pages: LoginPages | undefined;
  readonly limits: RequestLimits;
  readonly jwks: { readonly keys: readonly JWK[] };
}

export class RunningAuthorizationServer implements AuthorizationServer {
  readonly issuer: string;
  readonly #parts: RunningParts;
  readonly #library: RequestListener;
  #keys: Promise<(token: string) => Promise<VerifiedToken>> | undefined;

  constructor(parts: RunningParts) {
    this.issuer = parts.issuer;
    this.#parts = parts;
    this.#library = parts.provider.callback();
  }

  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { settings, base } = this.#parts;
    const route = routeOf(request.url ?? "", settings.issuer, base);
    if (route === undefined) return false;
    this.#respond(request, response, route).catch((error: unknown) => this.#failed(response, error));
    return true;
  }

  protect(options: ProtectOptions = {}): NodeEndpointAuth {
    assertKnown("protect()", options, { resource: 1, scopes: 1 });
    const { resources, scopes: sentences } = this.#parts.settings;
    const resource = options.resource ?? (resources.length === 1 ? resources[0]! : undefined);
    if (resource === undefined || !resources.includes(resource))
      throw new TypeError(`Option "resource" of protect() must be one of ${resources.join(", ")}`);
    const { scopes = [] } = options;
    const auth = bearer({
      issuer: this.issuer,
      audience: resource,
      scopes,
      scopesSupported: Object.keys(sentences),
      verify: async (token) => (await (this.#keys ??= this.#verifier()))(token),
      cacheTtl: CACHE_TTL,
    });
    return {
      metadata: auth.metadata,
      authorize: (request) => auth.authorize(request),
      insufficientScope: (needed, who) => auth.insufficientScope(needed, who),
      handle: (request, response) => this.handle(request, response),
    };
  }

  /** Verifies tokens with the keys of this process, without a request. */
  async #verifier(): Promise<(token: string) => Promise<VerifiedToken>> {
    const { createLocalJWKSet, jwtVerify } = await import("jose");
    const keys = createLocalJWKSet({ keys: this.#parts.jwks.keys.map(({ d: _private, ...publicPart }) => publicPart) });
    const checks = { issuer: this.issuer, algorithms: [SIGNING_ALGORITHM], typ: "at+jwt", requiredClaims: ["exp", "aud"] };
    return async (token) => fromClaims((await jwtVerify(token, keys, checks)).payload, this.issuer);
  }

  async #respond(request: IncomingMessage, response: ServerResponse, route: LibraryRoute): Promise<void> {
    const { settings, pages } = this.#parts;
    request.headers["x-forwarded-proto"] = settings.issuer.protocol.slice(0, -1);
    request.headers["x-forwarded-host"] = settings.issuer.host;
    if (route.name === "register") return this.#register(request, response, route);
    if (pages === undefined && PAGES.includes(route.name)) return this.#noPage(response);
    if (route.name === "authorize" && (await this.#isTooMany("loginsPerMinute", request, response))) return;
    if (route.name === "consent") {
      this.#rewrite(request, route);
      return pages!.consent(request, response, route.uid);
    }
    if (route.name === "callback") return pages!.callback(request, response, route.query.slice(1));
    this.#rewrite(request, route.name === "authorize" ? { ...route, query: this.#withScope(route.query) } : route);
    this.#library(request, response);
  }

  #noPage(response: ServerResponse): void {
    const page = messagePage("There is no login here", "Your company's identity provider gives your program access, without a page.");
    setPageHeaders(response, page);
    response.writeHead(400).end(page.html);
  }

  /** Browsers may register from any origin: a registration needs no cookie and shows nothing. */
  async #register(request: IncomingMessage, response: ServerResponse, route: LibraryRoute): Promise<void> {
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (request.method === "OPTIONS") {
      response.writeHead(204, { "Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "content-type" }).end();
      return;
    }
    if (await this.#isTooMany("registrationsPerHour", request, response)) return;
    this.#rewrite(request, route);
    this.#library(request, response);
  }

  async #isTooMany(what: LimitedRequest, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const wait = await this.#parts.limits.count(what, senderOf(request, this.#parts.settings));
    if (wait === undefined) return false;
    request.resume();
    const description = `Too many requests from this address. The limit is the option "limits.${what}".`;
    response.writeHead(429, { "Retry-After": String(wait), "Content-Type": "application/json", "Cache-Control": "no-store" });
    response.end(JSON.stringify({ error: "temporarily_unavailable", error_description: description }));
    return true;
  }

  /** The library routes by the path below the issuer, and makes its URLs of the original one. */
  #rewrite(request: IncomingMessage, { path, query }: LibraryRoute): void {
    Object.assign(request, { originalUrl: this.#parts.base + path + query, url: path + query });
  }

  /** A request without scopes asks for all (RFC 6749 section 3.3); unknown ones are left out. */
  #withScope(query: string): string {
    const parameters = new URLSearchParams(query);
    if (parameters.getAll("scope").length > 1) return query; // the library refuses it
    const known = [...Object.keys(this.#parts.settings.scopes), "offline_access"];
    const requested = (parameters.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
    const scopes = requested.length === 0 ? known : requested.filter((scope) => known.includes(scope));
    if (scopes.length > 0) parameters.set("scope", scopes.join(" "));
    return `?${parameters.toString()}`;
  }

  #failed(response: ServerResponse, error: unknown): void {
    this.#parts.settings.onError(error);
    if (response.headersSent) return void response.destroy();
    const page = messagePage("This login cannot continue", "Something failed here. Try again later.");
    setPageHeaders(response, page);
    response.writeHead(500).end(page.html);
  }
}

/** The routes that only users with a browser need. */
const PAGES: readonly RouteName[] = ["authorize", "consent", "callback"];

/** Milliseconds for which a verified token is not verified again. */
const CACHE_TTL = 60_000;
