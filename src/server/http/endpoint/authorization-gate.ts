/**
 * What the option `auth` does to a request: notes on it who asks and lets it in, or refuses it.
 *
 * It comes right after the guard, on every method, path and revision, and before the body is read. An endpoint without
 * `auth` has no gate.
 */
import { andThen, attempt, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode } from "../../../jsonrpc/mcp-error.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { Authorized, EndpointAuth, Refusal } from "../../../auth/resource-server/endpoint-auth.ts";
import { Caller } from "../caller.ts";
import { EMPTY_HEADERS, JSON_HEADERS, refusal, type HttpRequest, type HttpResponse } from "../http-message.ts";

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

  /** Whether everybody may ask for that path. */
  isPublic(url: string): boolean {
    return url.includes("/.well-known/") && this.#paths.has(pathOf(url));
  }

  /** What everybody may read, pages of any origin included: nothing in it depends on who asks. */
  publicDocument({ method }: HttpRequest): HttpResponse {
    if (method === "OPTIONS") return { status: 204, headers: [...EMPTY_HEADERS, ...ANY_PAGE, "Access-Control-Allow-Headers", "*"] };
    if (method !== "GET" && method !== "HEAD") return refusal(405, NOT_ALLOWED, null, ["Allow", "GET, HEAD, OPTIONS"]);
    const headers = [...JSON_HEADERS, ...ANY_PAGE];
    return method === "HEAD" ? { status: 200, headers } : { status: 200, headers, body: this.#document };
  }

  /** Notes on a request who sent it. Returns the refusal if the request is not let in, also after an error of the authorizer. Never rejects. */
  admit(request: HttpRequest): MaybePromise<HttpResponse | undefined> {
    return attempt(() => andThen(this.#authorizer.authorize(request), (decision) => this.#apply(request, decision)), this.#failed);
  }

  #apply(request: HttpRequest, decision: Authorized | Refusal): HttpResponse | undefined {
    if ("status" in decision) return this.refuse(decision);
    request.caller = new Caller(this.#authorizer, decision);
    request.principal = decision.principal;
    return undefined;
  }

  refuse({ status, headers, message, reason }: Refusal, id: RequestId | null = null): HttpResponse {
    if (reason !== undefined) this.#report(reason);
    return refusal(status, { code: ErrorCode.InvalidRequest, message }, id, headers);
  }

  readonly #failed = (error: unknown): HttpResponse => {
    this.#report(error);
    return refusal(500, { code: ErrorCode.InternalError, message: "Internal error" });
  };
}

const ANY_PAGE = ["Access-Control-Allow-Origin", "*", "Access-Control-Allow-Methods", "GET"];
const NOT_ALLOWED = { code: ErrorCode.InvalidRequest, message: "Method not allowed" };

/** The path of a URL that may be absolute, without its query. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0]!;
}
