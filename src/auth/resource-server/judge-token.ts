/**
 * Whether what a verifier says of a token is enough: issuer, audience, time and identity, the same for every way to verify.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { principalOf, type AuthInfo } from "./auth-info.ts";
import type { Authorized } from "./endpoint-auth.ts";
import type { VerifiedToken } from "./verified-token.ts";
import type { BearerSettings } from "./bearer-options.ts";
import { withIncluded } from "../scope.ts";

/** Why a request was refused: for the operator, never for the client. Holds no token. */
export class AccessRefusedError extends Error {
  override name = "AccessRefusedError";
}

/** @throws AccessRefusedError for a token that is good for somebody or something else, or not any more */
export function judgeToken(token: string, verified: VerifiedToken, settings: BearerSettings): Authorized {
  const auth = toAuthInfo(token, verified, settings);
  if (!settings.issuers.includes(auth.issuer)) throw refusedTokenError(auth, "its issuer is not one of ours");
  const audiences: readonly unknown[] = [verified.audience ?? []].flat();
  if (audiences.length === 0) throw refusedTokenError(auth, "it names no audience");
  if (!audiences.some((audience) => settings.audiences.has(audience as string)))
    throw refusedTokenError(auth, "it was issued for another audience");
  if (!isName(auth.subject) && !isName(auth.clientId)) throw refusedTokenError(auth, "it names neither a subject nor a client");
  const until = (auth.expiresAt ?? Infinity) + settings.clockTolerance;
  // A time that is none fails here as well.
  if (!(until > Date.now())) throw refusedTokenError(auth, "it has expired");
  const { nbf } = auth.claims;
  if (nbf !== undefined && !(typeof nbf === "number" && nbf * 1_000 - settings.clockTolerance <= Date.now()))
    throw refusedTokenError(auth, "it is not good yet");
  return { auth, principal: principalOf(auth), until };
}

function toAuthInfo(token: string, verified: VerifiedToken, { issuers, hierarchy }: BearerSettings): AuthInfo {
  const { issuer = issuers.length === 1 ? issuers[0]! : "", subject, clientId, scopes = [], expiresAt, claims = {} } = verified;
  const auth: AuthInfo = {
    issuer,
    subject,
    clientId,
    scopes: withIncluded(scopes, hierarchy),
    expiresAt,
    claims,
  };
  // Not to be found by whoever prints, copies or serialises it.
  Object.defineProperty(auth, "dangerouslyGetToken", { value: () => token });
  return deepFreeze(auth);
}

function isName(name: unknown): boolean {
  return typeof name === "string" && name !== "";
}

/** It is the same object for many requests: what one handler does to it, another must not see. */
function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === "object" && member !== null) deepFreeze(member as JsonObject);
  return Object.freeze(value);
}

/** Names are a stranger's text until the token is found good: escaped and short. */
function refusedTokenError({ issuer, subject, clientId }: AuthInfo, why: string): AccessRefusedError {
  const named = Object.entries({ issuer, subject, clientId })
    .filter(([, name]) => isName(name))
    .map(([what, name]) => `${what} ${JSON.stringify(name!.slice(0, 200))}`);
  return new AccessRefusedError(`Access token refused: ${why} (${named.join(", ")})`);
}
