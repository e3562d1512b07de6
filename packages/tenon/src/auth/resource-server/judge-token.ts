/** Checks the claims of a verified token: issuer, audience, time and identity. The checks are the same for every verifier. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { isSameIssuer } from "../issuer-name.ts";
import { principalOf, sessionOwnerOf, type AuthInfo } from "./auth-info.ts";
import type { Authorized } from "./endpoint-auth.ts";
import type { VerifiedToken } from "./verified-token.ts";
import type { BearerSettings } from "./bearer-options.ts";
import { withIncluded } from "../scope.ts";

/** The reason of a refusal, for the operator and never for the client. Holds no token. */
export class AccessRefusedError extends Error {
  override name = "AccessRefusedError";
}

/** @throws AccessRefusedError if the token is for another issuer or audience, names no one, or is expired */
export function judgeToken(token: string, verified: VerifiedToken, settings: BearerSettings): Authorized {
  const auth = toAuthInfo(token, verified, settings);
  if (acceptedIssuer(auth.issuer, settings.issuers) === undefined) throw unknownIssuerError(auth.issuer, settings.issuers);
  const audiences: readonly unknown[] = [verified.audience ?? []].flat();
  if (audiences.length === 0) throw refusedTokenError(auth, "it names no audience");
  if (!audiences.some((audience) => settings.audiences.has(audience as string)))
    throw refusedTokenError(auth, `it was issued for another audience than ${quoted([...settings.audiences])}: ${quoted(audiences)}`);
  if (!isName(auth.subject) && !isName(auth.clientId)) throw refusedTokenError(auth, "it names neither a subject nor a client");
  const until = (auth.expiresAt ?? Infinity) + settings.clockTolerance;
  // This refuses an invalid time as well.
  if (!(until > Date.now())) throw refusedTokenError(auth, "it has expired");
  const { nbf } = auth.claims;
  if (nbf !== undefined && !(typeof nbf === "number" && nbf * 1_000 - settings.clockTolerance <= Date.now()))
    throw refusedTokenError(auth, "it is not good yet");
  return { auth, principal: principalOf(auth), sessionOwner: sessionOwnerOf(auth), until };
}

function toAuthInfo(token: string, verified: VerifiedToken, { issuers, hierarchy }: BearerSettings): AuthInfo {
  const { issuer: named = issuers.length === 1 ? issuers[0]! : "", subject, clientId, scopes = [], expiresAt, claims = {} } = verified;
  const auth: AuthInfo = {
    // One spelling for one issuer, so that its users have one principal.
    issuer: acceptedIssuer(named, issuers) ?? named,
    subject,
    clientId,
    scopes: withIncluded(scopes, hierarchy),
    expiresAt,
    claims,
  };
  // Not enumerable, so that printing, copying or serialising does not show it.
  Object.defineProperty(auth, "dangerouslyGetToken", { value: () => token });
  return deepFreeze(auth);
}

/** The issuer of the options that a token names, as the options spell it; undefined if it is none of them. */
export function acceptedIssuer(named: string, issuers: readonly string[]): string | undefined {
  return issuers.includes(named) ? named : issuers.find((issuer) => isSameIssuer(issuer, named));
}

function isName(name: unknown): boolean {
  return typeof name === "string" && name !== "";
}

/** Freezes the object, because many requests share it. */
function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === "object" && member !== null) deepFreeze(member as JsonObject);
  return Object.freeze(value);
}

export function unknownIssuerError(issuer: unknown, accepted: readonly string[]): AccessRefusedError {
  const what = `its issuer is not accepted: ${quoted([issuer])}, and option "issuer" has ${quoted(accepted)}`;
  return new AccessRefusedError(`Access token refused: ${what}`);
}

const MAX_NAMES = 5;

/** The first names, escaped and cut: for errors, because a token is not accepted yet. */
export function quoted(names: readonly unknown[]): string {
  return names
    .slice(0, MAX_NAMES)
    .map((name) => JSON.stringify(String(name).slice(0, 200)))
    .join(", ");
}

/** Names in the message are escaped and cut, because the token is not accepted yet. */
function refusedTokenError({ issuer, subject, clientId }: AuthInfo, why: string): AccessRefusedError {
  const named = Object.entries({ issuer, subject, clientId })
    .filter(([, name]) => isName(name))
    .map(([what, name]) => `${what} ${JSON.stringify(name!.slice(0, 200))}`);
  return new AccessRefusedError(`Access token refused: ${why} (${named.join(", ")})`);
}
