/**
 * What an HTTP client does for its authorizer: asks it before and after each request, and stops the clock meanwhile.
 *
 * A user who logs in takes minutes; those are not the server's, so no call's deadline counts them.
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { McpError } from "../../jsonrpc/mcp-error.ts";
import type { AuthorizationHeaders, Authorizer, ChallengeResponse, RequestToSign } from "../../auth/login/authorizer.ts";
import { withStatus } from "./errors.ts";

/** The status that stands for "not authorized", also where no request was sent. */
const UNAUTHORIZED = 401;

export class Authorization {
  readonly #authorizer: Authorizer;
  readonly #now: () => number;
  #waiting = 0;
  #waitedAt = -Infinity;

  /** @param now milliseconds, on the clock deadlines are on */
  constructor(authorizer: Authorizer, now: () => number) {
    this.#authorizer = authorizer;
    this.#now = now;
  }

  /** When a request was last held up by authorization: see `RequestOptions.heldUntil`. */
  readonly heldUntil = (): number => (this.#waiting > 0 ? this.#now() : this.#waitedAt);

  sign(request: RequestToSign, url: URL): MaybePromise<AuthorizationHeaders> {
    return this.#ask(() => this.#authorizer.sign(request, url));
  }

  settle(response: ChallengeResponse, request: RequestToSign): MaybePromise<boolean> {
    return this.#ask(() => this.#authorizer.settle(response, request));
  }

  #ask<T>(question: () => MaybePromise<T>): MaybePromise<T> {
    try {
      const answer = question();
      return isPromise(answer) ? this.#hold(answer) : answer;
    } catch (error) {
      throw unauthorized(error);
    }
  }

  async #hold<T>(answer: Promise<T>): Promise<T> {
    this.#waiting++;
    try {
      return await answer;
    } catch (error) {
      throw unauthorized(error);
    } finally {
      this.#waiting--;
      this.#waitedAt = this.#now();
    }
  }
}

/** Its failure says nothing about what the server speaks: it is a 401 for whoever negotiates. */
function unauthorized(error: unknown): unknown {
  return McpError.isMcpError(error) ? withStatus(error, UNAUTHORIZED) : error;
}
