/** The refusals of requests with secrets that the operator hands out, and without one (RFC 6750). */
import type { Refusal } from "../auth/resource-server/endpoint-auth.ts";

const RETRY_AFTER_S = "5";

/** How clients read what they must send. */
export interface SecretWords {
  readonly one: string;
  readonly the: string;
}

const API_KEY: SecretWords = { one: "an API key", the: "the API key" };

export class KeyRefusals {
  readonly #scopes: readonly string[];
  readonly #what: SecretWords;

  constructor(scopes: readonly string[], what: SecretWords = API_KEY) {
    this.#scopes = scopes;
    this.#what = what;
  }

  unauthorized(): Refusal {
    return { status: 401, headers: challenge(), message: `Unauthorized: ${this.#what.one} is needed` };
  }

  malformed(reason: Error): Refusal {
    const message = 'Bad request: one header "Authorization" with one key is taken, and nothing else';
    return { status: 400, headers: challenge('error="invalid_request"'), message, reason };
  }

  refused(reason: Error): Refusal {
    return { status: 401, headers: challenge('error="invalid_token"'), message: `Unauthorized: ${this.#what.the} is not accepted`, reason };
  }

  insufficient(scopes: readonly string[], reason: Error): Refusal {
    const all = [...new Set([...this.#scopes, ...scopes])].join(" ");
    const message = `Forbidden: ${this.#what.the} needs the scope "${all}"`;
    return { status: 403, headers: challenge('error="insufficient_scope"', `scope="${all}"`), message, reason };
  }

  /** The store does not answer. The client keeps its key and tries again later. */
  unavailable(reason: Error): Refusal {
    return { status: 503, headers: ["Retry-After", RETRY_AFTER_S], message: "API keys cannot be checked at the moment", reason };
  }
}

function challenge(...parameters: readonly string[]): readonly string[] {
  return ["WWW-Authenticate", ["Bearer", ['realm="mcp"', ...parameters].join(", ")].join(" ")];
}
