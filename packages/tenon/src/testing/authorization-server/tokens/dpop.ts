/** The key that tokens are bound to: DPoP at the token endpoint (RFC 9449 sections 5 and 8). */
import { checkDpopProof, DPOP_MAX_AGE, DpopProofError, type DpopProof } from "../../../auth/resource-server/dpop-proof.ts";
import type { Exchange } from "../exchange.ts";
import { OAuthError } from "../oauth-error.ts";
import { newSecret, type ServerState } from "../state.ts";

/** The thumbprint of the key that a request proves; undefined if it has no proof. @throws OAuthError */
export async function provenKey(state: ServerState, exchange: Exchange): Promise<string | undefined> {
  const proof = exchange.header("dpop");
  if (proof === undefined) return undefined;
  const { thumbprint, jti, nonce } = await check(state, exchange, proof);
  if (state.settings.dpopNonces && (nonce === undefined || state.nonces.get(nonce) === undefined)) {
    throw new OAuthError("use_dpop_nonce", 'The proof must have the nonce of the header "DPoP-Nonce"');
  }
  // A proof expires before its `jti` is dropped.
  if (!state.usedAssertions.claim(`dpop ${thumbprint} ${jti}`, true, 2 * DPOP_MAX_AGE)) throw refusal("it was used before");
  return thumbprint;
}

async function check(state: ServerState, { method, url }: Exchange, proof: string): Promise<DpopProof> {
  try {
    return await checkDpopProof({ proof, method, url: url.href, now: state.clock() });
  } catch (error) {
    throw error instanceof DpopProofError ? refusal(error.message) : error;
  }
}

/** Names and values in turn: the nonce that proofs must have from now on. */
export function nonceHeaders(state: ServerState): readonly string[] {
  if (!state.settings.dpopNonces) return [];
  const lifetime = state.settings.dpopNonceLifetime;
  const { nonce } = state;
  if (nonce.value !== "" && state.clock() < nonce.until) return ["DPoP-Nonce", nonce.value];
  nonce.value = newSecret();
  // The next nonce is issued while this one is still valid, so that a client with the newest nonce is never refused.
  nonce.until = state.clock() + lifetime / 2;
  state.nonces.set(nonce.value, true, lifetime);
  return ["DPoP-Nonce", nonce.value];
}

/** @throws OAuthError if the client or the setting requires tokens that are bound to a key */
export function assertBound({ settings }: ServerState, dpopBound: boolean, key: string | undefined): void {
  if (key === undefined && (dpopBound || settings.dpop === "required")) throw refusal("it is missing, and tokens must be bound to a key");
}

function refusal(why: string): OAuthError {
  return new OAuthError("invalid_dpop_proof", `The DPoP proof is invalid: ${why}`);
}
