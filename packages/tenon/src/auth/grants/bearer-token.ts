/** `bearerToken()`: sends a token that the user got elsewhere. */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { AuthorizationError } from "../authorization-error.ts";
import type { AuthorizationHeaders, AuthProvider, Authorizer, ChallengeResponse, RequestToSign } from "../login/authorizer.ts";
import { assertSecure } from "../login/oauth-provider.ts";

/**
 * Sends a token with each request, to the server's origin and over TLS only. A function is called for each request. If the server
 * refuses its token (401), the function is called once more, and the request is sent again if the token is another one.
 * @throws TypeError if there is no token, or a header cannot hold it
 */
export function bearerToken(token: string | (() => MaybePromise<string>)): AuthProvider {
  if (typeof token !== "function") headersFor(token);
  return {
    authorizerFor(server): Authorizer {
      assertSecure(server);
      return new BearerAuthorizer(server, token);
    },
  };
}

class BearerAuthorizer implements Authorizer {
  readonly #server: URL;
  readonly #token: string | (() => MaybePromise<string>);
  /** The headers that each request was sent with first. */
  readonly #used = new WeakMap<RequestToSign, AuthorizationHeaders>();
  /** The new headers of requests that were refused once. */
  readonly #renewed = new WeakMap<RequestToSign, AuthorizationHeaders>();

  constructor(server: URL, token: string | (() => MaybePromise<string>)) {
    this.#server = server;
    this.#token = token;
  }

  sign(request: RequestToSign): MaybePromise<AuthorizationHeaders> {
    const headers = this.#renewed.get(request) ?? this.#current();
    return isPromise(headers) ? headers.then((made) => this.#note(request, made)) : this.#note(request, headers);
  }

  #note(request: RequestToSign, headers: AuthorizationHeaders): AuthorizationHeaders {
    this.#used.set(request, headers);
    return headers;
  }

  #current(): MaybePromise<AuthorizationHeaders> {
    const token = typeof this.#token === "string" ? this.#token : this.#token();
    return isPromise(token) ? token.then(headersFor) : headersFor(token);
  }

  settle({ status }: ChallengeResponse, request: RequestToSign): MaybePromise<boolean> {
    if (status !== 401) return false;
    return typeof this.#token === "string" ? this.#refuse() : this.#again(request);
  }

  async #again(request: RequestToSign): Promise<boolean> {
    if (this.#renewed.has(request)) this.#refuse();
    const headers = await this.#current();
    if (headers["authorization"] === this.#used.get(request)?.["authorization"]) this.#refuse();
    this.#renewed.set(request, headers);
    return true;
  }

  #refuse(): never {
    const remedy = "Get a token that the server takes; one that is for another server, or has expired, is not.";
    throw new AuthorizationError({ hop: "access", url: this.#server, problem: "the server refuses the token it was given", remedy });
  }
}

function headersFor(token: string): { authorization: string } {
  if (typeof token !== "string")
    throw new TypeError(`bearerToken() needs a token, or a function that returns one, and got ${typeof token}`);
  if (token === "") throw new TypeError("bearerToken() got an empty token: is the variable or the file that holds it set?");
  if (!/^[\x21-\x7E]+$/.test(token)) throw new TypeError('A bearer token is visible ASCII without spaces, and without "Bearer" before it');
  return { authorization: `Bearer ${token}` };
}
