/**
 * Makes the refusals of requests: `WWW-Authenticate` of RFC 6750, RFC 9449 and RFC 9728.
 *
 * A client learns what to do next. Of the reason it learns only the error codes of those standards.
 */
import type { Refusal } from "./endpoint-auth.ts";
import type { Scheme } from "./presented-token.ts";

export type RefusalError = "invalid_request" | "invalid_token" | "insufficient_scope" | "invalid_dpop_proof" | "use_dpop_nonce";

export interface RefusalOptions {
  readonly metadataUrl: string;
  /** Scopes that every request needs, as clients must request them. */
  readonly scopes: readonly string[];
  /** Algorithms of DPoP proofs; empty if bound tokens are not accepted. */
  readonly dpopAlgorithms: readonly string[];
  readonly dpopRequired: boolean;
}

export interface RefusedToken {
  readonly error: RefusalError;
  /** For the operator. */
  readonly reason: Error;
  /** More headers of the response, names and values in turn. */
  readonly headers?: readonly string[];
}

const RETRY_AFTER_S = "5";

export class Refusals {
  readonly #options: RefusalOptions;

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  unauthorized(): Refusal {
    return { status: 401, headers: this.#headers("bearer"), message: "Unauthorized: an access token is needed" };
  }

  malformed(reason: Error): Refusal {
    return {
      status: 400,
      headers: this.#headers("bearer", "invalid_request"),
      message: 'Bad request: one header "Authorization" with one token is taken, and nothing else',
      reason,
    };
  }

  refused(scheme: Scheme, { error, reason, headers = [] }: RefusedToken): Refusal {
    return {
      status: 401,
      headers: [...this.#headers(scheme, error), ...headers],
      message: "Unauthorized: the access token is not accepted",
      reason,
    };
  }

  /** Refuses a token that lacks scopes. @param scopes all scopes that the operation needs, as clients must request them */
  insufficient(scheme: Scheme, scopes: readonly string[], reason: Error): Refusal {
    const all = [...new Set([...this.#options.scopes, ...scopes])];
    const message = `Forbidden: the access token needs the scope "${all.join(" ")}"`;
    return { status: 403, headers: this.#headers(scheme, "insufficient_scope", all), message, reason };
  }

  /** Refuses a request whose token cannot be verified now. The client keeps its token and tries again later. */
  unavailable(reason: Error): Refusal {
    return { status: 503, headers: ["Retry-After", RETRY_AFTER_S], message: "Access tokens cannot be checked at the moment", reason };
  }

  /** The used scheme comes first, because many clients read only the first challenge. */
  #headers(used: Scheme, error?: RefusalError, scopes: readonly string[] = this.#options.scopes): string[] {
    const { metadataUrl, dpopAlgorithms, dpopRequired } = this.#options;
    const common = { resource_metadata: metadataUrl, ...(scopes.length > 0 && { scope: scopes.join(" ") }) };
    const bearer = challenge("Bearer", { ...(used === "bearer" && error !== undefined && describe(error)), ...common });
    if (dpopAlgorithms.length === 0) return ["WWW-Authenticate", bearer];
    const bound = { ...common, algs: dpopAlgorithms.join(" ") };
    const dpop = challenge("DPoP", { ...((used === "dpop" || dpopRequired) && error !== undefined && describe(error)), ...bound });
    if (dpopRequired) return ["WWW-Authenticate", dpop];
    return used === "dpop"
      ? ["WWW-Authenticate", dpop, "WWW-Authenticate", bearer]
      : ["WWW-Authenticate", bearer, "WWW-Authenticate", dpop];
  }
}

const DESCRIPTIONS: Partial<Record<RefusalError, string>> = {
  insufficient_scope: "The operation needs these scopes",
  use_dpop_nonce: "The proof must carry the nonce of this response",
};

function describe(error: RefusalError): Record<string, string> {
  const description = DESCRIPTIONS[error];
  return { error, ...(description !== undefined && { error_description: description }) };
}

/** Values need no escapes: each is a URL, a list of scopes or a constant, without quotes. */
function challenge(scheme: string, parameters: Record<string, string>): string {
  return `${scheme} ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")}`;
}
