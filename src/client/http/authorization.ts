/**
 * Asks the authorizer before and after each HTTP request, and pauses the time limits of calls meanwhile.
 *
 * A user who logs in takes minutes, and the server is not slow for it.
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { McpError } from "../../jsonrpc/mcp-error.ts";
import type { AuthorizationHeaders, Authorizer, ChallengeResponse, RequestToSign } from "../../auth/login/authorizer.ts";
import type { Pauses } from "../../dispatch/pauses.ts";
import { withStatus } from "./errors.ts";

/** The status of what is not authorized, also if no request was sent. */
const UNAUTHORIZED = 401;

export class Authorization {
  readonly #authorizer: Authorizer;
  readonly #pauses: Pauses;

  /** @param pauses those of the connection: no time limit counts a login */
  constructor(authorizer: Authorizer, pauses: Pauses) {
    this.#authorizer = authorizer;
    this.#pauses = pauses;
  }

  sign(request: RequestToSign, url: URL): Promise<AuthorizationHeaders> {
    return this.#ask(() => this.#authorizer.sign(request, url));
  }

  settle(response: ChallengeResponse, request: RequestToSign): Promise<boolean> {
    return this.#ask(() => this.#authorizer.settle(response, request));
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

/** A failed authorization says nothing about what the server speaks: for the negotiation it is a 401. */
function withUnauthorizedStatus(error: unknown): unknown {
  return McpError.isMcpError(error) ? withStatus(error, UNAUTHORIZED) : error;
}
