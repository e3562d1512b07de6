/** Tokens that are bound to a key, proofs of having it, and what an endpoint's `auth` makes of them. */
import {
  base64url,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type GenerateKeyPairResult,
  type JWK,
  type JWTPayload,
} from "jose";
import type { Authorized, DpopServerOptions, EndpointAuth, Refusal, VerifiedToken } from "tenon/auth";
import { AUDIENCE, authorizer, TOKENS } from "./support.ts";

export const keys: GenerateKeyPairResult = await generateKeyPair("ES256", { extractable: true });
export const jwk: JWK = await exportJWK(keys.publicKey);
const jkt = await calculateJwkThumbprint(jwk);
export const TOKEN: string = "bound-token";
export const bound: VerifiedToken = { ...TOKENS["ann"]!, claims: { cnf: { jkt } } };
const tokens: Record<string, VerifiedToken> = {
  [TOKEN]: bound,
  free: TOKENS["ann"]!,
  "bound-to-another": { ...bound, claims: { cnf: { jkt: "x".repeat(43) } } },
  "bound-twice": { ...bound, claims: { cnf: { jkt, "x5t#S256": "x" } } },
  "bound-otherwise": { ...bound, claims: { cnf: { "x5t#S256": "x" } } },
  "bound-to-nothing": { ...bound, claims: { cnf: {} } },
};

export const sha256 = async (text: string): Promise<string> =>
  base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));

export interface Changes {
  readonly claims?: JWTPayload;
  readonly header?: Record<string, unknown>;
  readonly key?: CryptoKey;
  readonly token?: string;
}

/** A proof that is good but for what is changed. */
export async function proof({ claims = {}, header = {}, key = keys.privateKey, token = TOKEN }: Changes = {}): Promise<string> {
  const payload = {
    jti: crypto.randomUUID(),
    htm: "POST",
    htu: AUDIENCE,
    iat: Math.floor(Date.now() / 1_000),
    ath: await sha256(token),
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk, ...header }).sign(key);
}

export const guarding = (dpop: boolean | DpopServerOptions = true): EndpointAuth => authorizer({ dpop }, tokens);

export interface Asked {
  readonly proof?: string | undefined;
  readonly scheme?: string;
  readonly token?: string;
  readonly url?: string;
  readonly method?: string;
}

export async function decide(
  auth: EndpointAuth,
  { proof: shown, scheme = "DPoP", token = TOKEN, url = "/mcp", method = "POST" }: Asked,
): Promise<Authorized | Refusal> {
  const headers: Record<string, string | undefined> = { authorization: `${scheme} ${token}`, dpop: shown };
  return auth.authorize({ method, url, header: (name) => headers[name] });
}

/** `200`, or the status and error of the refusal. */
export async function verdict(decision: Promise<Authorized | Refusal>): Promise<string> {
  const decided = await decision;
  if (!("status" in decided)) return "200";
  const values = decided.headers.filter((_, index) => index % 2 === 1).join();
  return `${decided.status} ${/(?:^|,)DPoP error="(\w+)"/.exec(values)?.[1] ?? ""}`;
}
