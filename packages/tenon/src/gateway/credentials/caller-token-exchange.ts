/** `callerTokenExchange()`: a gateway exchanges the token of each caller for a token of the server (RFC 8693). */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { AuthorizationError } from "../../auth/authorization-error.ts";
import {
  assertExchange,
  EXCHANGE_OPTIONS,
  tokenExchange,
  type ExchangeOptions,
  type SubjectToken,
} from "../../auth/grants/token-exchange.ts";
import { isSameIssuer } from "../../auth/issuer-name.ts";
import { MemoryStore } from "../../auth/login/auth-store.ts";
import { assertResource, oauthOptions, type OAuthOptions } from "../../auth/login/oauth-options.ts";
import { CallerAuth, type CredentialsOwner } from "./caller-auth.ts";

/** Options of {@link callerTokenExchange}. */
export interface CallerTokenExchangeOptions extends Omit<OAuthOptions, "account">, ExchangeOptions {
  /**
   * Other issuers whose tokens the authorization server takes. Security: a caller's token is sent to no other authorization server than
   * the one that issued it, unless its issuer is listed here. Default: none.
   */
  readonly trustedIssuers?: readonly string[];
}

/**
 * Exchanges each caller's token for one of the server, at the authorization server of both. Tokens are kept for one principal with one set
 * of scopes, until they or the caller's token expire. The caller's token itself is never sent to the server.
 * @throws TypeError if the issuer or a secret is missing, or an option does not exist; RangeError if an option has a wrong value
 */
export function callerTokenExchange(options: CallerTokenExchangeOptions): CallerAuth {
  const { account: _, ...common } = oauthOptions();
  const keys: OptionKeys<CallerTokenExchangeOptions> = { ...common, ...EXCHANGE_OPTIONS, trustedIssuers: 1 };
  assertKnown("callerTokenExchange()", options, keys);
  assertExchange(options);
  assertResource(options.resource);
  const { trustedIssuers = [], store = new MemoryStore(), ...exchange } = options;
  const issuers = [options.issuer, ...trustedIssuers];
  const auth = new CallerAuth((owner) =>
    tokenExchange({ ...exchange, store, account: auth.keyOf(owner), subjectToken: () => tokenOf(owner, issuers) }),
  );
  return auth;
}

/** @throws AuthorizationError if there is no token, or none that may be sent there */
function tokenOf({ auth }: CredentialsOwner, issuers: readonly string[]): SubjectToken {
  const fail = (problem: string, remedy: string): AuthorizationError =>
    new AuthorizationError({ hop: "token", url: issuers[0]!, problem, remedy }); // the own issuer is first
  const token = auth?.dangerouslyGetToken?.();
  if (auth === undefined || token === undefined)
    throw fail("the caller has no token that could be exchanged", 'Serve the gateway over HTTP with option "auth".');
  if (!issuers.some((issuer) => isSameIssuer(issuer, auth.issuer)))
    throw fail("the caller's token comes from another issuer", 'If tokens of both are taken there, list it in option "trustedIssuers".');
  return { token, expiresAt: auth.expiresAt };
}
