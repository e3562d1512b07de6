/**
 * Checks a DPoP proof: that the sender of a request holds the key that a token is bound to (RFC 9449 section 4.3). For
 * resource servers and authorization servers.
 *
 * The caller checks whether a proof was used before, whether its nonce is valid, and which key it must have.
 */
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify, type JWK, type JWTPayload } from "jose";
import { hashed } from "../../base/hash.ts";
import { weaknessOf } from "./weak-keys.ts";
import { DPOP_ALGORITHMS } from "./dpop-options.ts";

/** Milliseconds a proof may be older or newer than the local time. Its `jti` must be remembered for twice as long. */
export const DPOP_MAX_AGE = 300_000;
/** Most characters of a proof. */
const MAX_PROOF = 8_192;
/** The only accepted form of a signed JWT. Decoders ignore white space and padding, which would give one proof many spellings. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export interface DpopRequest {
  /** The value of the `DPoP` header. */
  readonly proof: string;
  readonly method: string;
  /** The absolute URL of the request. Query and fragment are ignored. */
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The token of the request, which the proof must name; absent at a token endpoint. */
  readonly accessToken?: string;
}

export interface DpopProof {
  /** The thumbprint of the key, which `cnf.jkt` of a bound token must equal (RFC 7638, SHA-256). */
  readonly thumbprint: string;
  /** The proof's id, which is valid once for this key. */
  readonly jti: string;
  readonly nonce: string | undefined;
  /** When the proof expires and its id may be forgotten, in milliseconds since 1970. */
  readonly expires: number;
}

/** A proof is invalid. The message repeats no value of it. */
export class DpopProofError extends Error {
  override readonly name = "DpopProofError";
}

/** @throws DpopProofError */
export async function checkDpopProof(request: DpopRequest): Promise<DpopProof> {
  const { jwk, payload } = await verify(request);
  const { htm, htu, iat, jti, nonce, ath } = payload;
  if (typeof jti !== "string" || jti === "" || jti.length > 256) throw new DpopProofError('its "jti" is missing or no short text');
  if (htm !== request.method) throw new DpopProofError('its "htm" is another method');
  if (typeof htu !== "string" || !URL.canParse(htu) || target(htu) !== target(request.url)) {
    throw new DpopProofError('its "htu" is another URL');
  }
  if (typeof iat !== "number" || !(Math.abs(request.now - iat * 1_000) <= DPOP_MAX_AGE)) {
    throw new DpopProofError(`its "iat" is more than ${DPOP_MAX_AGE / 1_000} s away`);
  }
  if (nonce !== undefined && typeof nonce !== "string") throw new DpopProofError('its "nonce" is no text');
  if (request.accessToken !== undefined && ath !== (await hashed(request.accessToken))) {
    throw new DpopProofError('its "ath" is not the digest of the token');
  }
  return { thumbprint: await calculateJwkThumbprint(jwk), jti, nonce, expires: iat * 1_000 + DPOP_MAX_AGE };
}

async function verify({ proof, now }: DpopRequest): Promise<{ jwk: JWK; payload: JWTPayload }> {
  if (proof.length > MAX_PROOF) throw new DpopProofError(`it is longer than ${MAX_PROOF} characters`);
  try {
    if (!COMPACT.test(proof)) throw new TypeError("Not a compact JWS");
    const options = { typ: "dpop+jwt", algorithms: [...DPOP_ALGORITHMS], currentDate: new Date(now) };
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, options);
    const jwk = protectedHeader.jwk!; // it was verified with it
    if (weaknessOf({ ...jwk }) !== undefined) throw new TypeError("With a weak key anyone could make the proof");
    return { payload, jwk };
  } catch {
    throw new DpopProofError("it is no JWT of type dpop+jwt that is signed with the public key in it");
  }
}

/** A URL without query and fragment, in the form the platform's parser gives it. */
function target(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
