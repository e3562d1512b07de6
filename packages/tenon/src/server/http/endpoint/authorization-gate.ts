/**
 * Applies the option `auth` to a request: records the client in the request, or refuses the request.
 *
 * It runs right after the guard, for every method, path and revision, before the body is read. An endpoint without `auth` has no gate.
 */
import { andThen, attempt, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode } from "../../../jsonrpc/mcp-error.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { Authorized, EndpointAuth, Refusal } from "../../../auth/resource-server/endpoint-auth.ts";
import { AuthorizedClient } from "../authorized-client.ts";
import { EMPTY_HEADERS, JSON_HEADERS, refusal, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { internalError, notAllowed } from "../refusals.ts";
import { pathOf } from "./guard.ts";

export class AuthorizationGate {
  readonly #authorizer: EndpointAuth;
  readonly #report: (error: unknown) => void;
  readonly #paths: ReadonlySet<string>;
  readonly #document: string;

  constructor(authorizer: EndpointAuth, report: (error: unknown) => void) {
    this.#authorizer = authorizer;
    this.#report = report;
    this.#paths = new Set(authorizer.metadata?.paths);
    this.#document = JSON.stringify(authorizer.metadata?.document);
  }

  /** Whether a path is served without authorization; with a slash at its end, too. */
  isPublic(url: string): boolean {
    if (!url.includes("/.well-known/")) return false;
    const path = pathOf(url);
    return this.#paths.has(path) || this.#paths.has(path.replace(/\/$/, ""));
  }

  /** The metadata document. Every client and every web page may read it, because it is the same for all. */
  publicDocument({ method }: HttpRequest): HttpResponse {
    if (method === "OPTIONS") return { status: 204, headers: [...EMPTY_HEADERS, ...ANY_PAGE, "Access-Control-Allow-Headers", "*"] };
    if (method !== "GET" && method !== "HEAD") return notAllowed("GET, HEAD, OPTIONS");
    const headers = [...JSON_HEADERS, ...ANY_PAGE];
    return method === "HEAD" ? { status: 200, headers } : { status: 200, headers, body: this.#document };
  }

  /** Records in a request who sent it. Returns the refusal if the request is not authorized or the authorizer fails. Never rejects. */
  admit(request: HttpRequest): MaybePromise<HttpResponse | undefined> {
    return attempt(() => andThen(this.#authorizer.authorize(request), (decision) => this.#apply(request, decision)), this.#failed);
  }

  #apply(request: HttpRequest, decision: Authorized | Refusal): HttpResponse | undefined {
    if ("status" in decision) return this.refuse(decision);
    request.caller = new AuthorizedClient(this.#authorizer, decision);
    request.principal = decision.principal;
    if (decision.sessionOwner !== undefined) request.sessionOwner = decision.sessionOwner;
    return undefined;
  }

  refuse({ status, headers, message, reason }: Refusal, id: RequestId | null = null): HttpResponse {
    if (reason !== undefined) this.#report(reason);
    return refusal(status, { code: ErrorCode.InvalidRequest, message }, id, headers);
  }

  readonly #failed = (error: unknown): HttpResponse => {
    this.#report(error);
    return internalError();
  };
}

const ANY_PAGE = ["Access-Control-Allow-Origin", "*", "Access-Control-Allow-Methods", "GET"];
