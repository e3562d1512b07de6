/**
 * Asks the authorizer before and after each HTTP request, and pauses the time limits of calls meanwhile, because a user may
 * take minutes to log in.
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { McpError } from "../../jsonrpc/mcp-error.ts";
import type { AuthorizationHeaders, Authorizer, ChallengeResponse, RequestToSign, SettleOptions } from "../../auth/login/authorizer.ts";
import type { Pauses } from "../../dispatch/pauses.ts";
import { withStatus } from "./errors.ts";

/** The status of an authorization failure, even if no request was sent. */
const UNAUTHORIZED = 401;

export class Authorization {
  readonly #authorizer: Authorizer;
  readonly #pauses: Pauses;

  /** @param pauses the pauses of the connection, so that no time limit counts a login */
  constructor(authorizer: Authorizer, pauses: Pauses) {
    this.#authorizer = authorizer;
    this.#pauses = pauses;
  }

  sign(request: RequestToSign, url: URL): Promise<AuthorizationHeaders> {
    return this.#ask(() => this.#authorizer.sign(request, url));
  }

  settle(response: ChallengeResponse, request: RequestToSign, options: SettleOptions): Promise<boolean> {
    return this.#ask(() => this.#authorizer.settle(response, request, options));
  }

  async #ask<T>(question: () => MaybePromise<T>): Promise<T> {
    try {
      const answer = question();
      return isPromise(answer) ? await this.#pauses.during(answer) : answer;
    } catch (error) {
      throw withUnauthorizedStatus(error);
    }
  }
}

/** Marks a failed authorization as a 401, because it says nothing about the server's revision. */
function withUnauthorizedStatus(error: unknown): unknown {
  return McpError.isMcpError(error) ? withStatus(error, UNAUTHORIZED) : error;
}
