/**
 * Signs the requests to one server with its tokens, and settles the server's challenges by getting new ones.
 *
 * It limits how often one request may be refused before it fails, so that no server can make a client log in forever.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { AuthorizationError, printableErrorCode } from "../authorization-error.ts";
import type { AuthorizationHeaders, Authorizer, ChallengeResponse, RequestToSign, SettleOptions } from "./authorizer.ts";
import { readChallenge, type Challenge } from "./challenge.ts";
import { skewOf } from "../issuer-metadata.ts";
import type { HeldTokens, Renewal, ServerTokens } from "./server-tokens.ts";

interface History {
  /** The token of its last attempt. */
  used: string | undefined;
  refusals: number;
  stepUps: number;
  /** Proofs of possession that were sent again with a new nonce or time. */
  proofs: number;
  last: Renewal | undefined;
}

/** Most step-ups of one request. With the first authorization that makes three. */
const MAX_STEP_UPS = 2;
/** Most refusals: one leads to a refresh, one to a new authorization. */
const MAX_REFUSALS = 2;
/** Most repeated proofs: one for a nonce, one for a corrected clock. */
const MAX_PROOFS = 2;
const UNSIGNED: AuthorizationHeaders = {};

export class OAuthAuthorizer implements Authorizer {
  readonly #server: URL;
  readonly #tokens: ServerTokens;
  readonly #histories = new WeakMap<RequestToSign, History>();
  #headers: { readonly token: string; readonly headers: AuthorizationHeaders } | undefined;
  /** Milliseconds the server's clock is ahead of the local one. */
  #skew = 0;

  constructor(server: URL, tokens: ServerTokens) {
    this.#server = server;
    this.#tokens = tokens;
  }

  sign(request: RequestToSign, url: URL): MaybePromise<AuthorizationHeaders> {
    const held = this.#tokens.atHand;
    if (held === undefined) return this.#tokens.current(request.signal).then((current) => this.#sign(current, request, url));
    return this.#sign(held, request, url);
  }

  #sign(held: HeldTokens | undefined, request: RequestToSign, url: URL): MaybePromise<AuthorizationHeaders> {
    const token = held?.tokens.accessToken;
    this.#historyOf(request).used = token;
    if (held === undefined || token === undefined) return UNSIGNED;
    if (held.prover !== undefined && held.tokens.tokenType === "dpop") {
      const { method, body } = request;
      const proof = held.prover.prove({ method, url, accessToken: token, body, skew: this.#skew });
      return proof.then((dpop) => ({ authorization: `DPoP ${token}`, dpop }));
    }
    if (this.#headers?.token !== token) this.#headers = { token, headers: { authorization: `Bearer ${token}` } };
    return this.#headers.headers;
  }

  #historyOf(request: RequestToSign): History {
    const known = this.#histories.get(request);
    if (known !== undefined) return known;
    const history = { used: undefined, refusals: 0, stepUps: 0, proofs: 0, last: undefined };
    this.#histories.set(request, history);
    return history;
  }

  settle(response: ChallengeResponse, request: RequestToSign, { silent = false }: SettleOptions = {}): MaybePromise<boolean> {
    const isNewNonce = this.#tokens.prover?.noteNonce(this.#server, response.headers) === true;
    if (response.status !== 401 && response.status !== 403) return false;
    const challenge = readChallenge(response, this.#server);
    const history = this.#historyOf(request);
    if (response.status === 403) return challenge.error === "insufficient_scope" && this.#stepUp(challenge, history, request);
    if (this.#canProveAgain(response, challenge, isNewNonce) && history.proofs++ < MAX_PROOFS) return true;
    // The end of a session is not worth a login.
    if (request.method === "DELETE") return false;
    return silent ? this.#refusedSilently(challenge, history, request) : this.#refused(challenge, history, request);
  }

  /** Replaces a refused token once, if no user has to be asked. */
  async #refusedSilently(challenge: Challenge, history: History, request: RequestToSign): Promise<boolean> {
    if (history.refusals > 0) return false;
    const need = { used: history.used, challenge, stepUp: false, fresh: false, silent: true };
    const last = await this.#tokens.renew(need, request.signal);
    if (last === "withheld") return false;
    history.refusals++;
    history.last = last;
    return true;
  }

  /** Whether only the proof was refused, and another nonce or time may help. */
  #canProveAgain({ headers }: ChallengeResponse, { error }: Challenge, isNewNonce: boolean): boolean {
    if (error === "use_dpop_nonce") return isNewNonce;
    if (error !== "invalid_dpop_proof") return false;
    const skew = skewOf(headers);
    const isNew = Math.abs(skew - this.#skew) > 5_000;
    this.#skew = skew;
    return isNew;
  }

  async #refused(challenge: Challenge, history: History, request: RequestToSign): Promise<boolean> {
    if (history.refusals >= MAX_REFUSALS || history.last === "obtained") {
      const code = printableErrorCode(challenge.error);
      const problem = `the server refuses a token that was just issued for it${code === undefined ? "" : ` (${code})`}`;
      const remedy =
        "The operator of the MCP server must see to it that it takes tokens of the authorization server it names, for the resource it names.";
      throw new AuthorizationError({ hop: "access", url: this.#server, problem, remedy, error: challenge.error });
    }
    const fresh = history.refusals++ > 0 && history.last === "refreshed";
    history.last = await this.#tokens.renew({ used: history.used, challenge, stepUp: false, fresh }, request.signal);
    return true;
  }

  async #stepUp(challenge: Challenge, history: History, request: RequestToSign): Promise<boolean> {
    if (history.stepUps++ >= MAX_STEP_UPS) {
      const problem = `the server wants more permissions after ${MAX_STEP_UPS} further authorizations`;
      const remedy = "Ask the operator of the MCP server which permissions this call needs, and have them granted.";
      throw new AuthorizationError({ hop: "access", url: this.#server, problem, remedy, error: challenge.error });
    }
    await this.#tokens.renew({ used: history.used, challenge, stepUp: true, fresh: false }, request.signal);
    return true;
  }
}
