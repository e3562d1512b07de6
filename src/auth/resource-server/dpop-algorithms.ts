/** What DPoP proofs may be signed with: asymmetric ones only, for a proof is made with a key that its receiver must not have. */
export const DPOP_ALGORITHMS: readonly string[] = ["ES256", "ES384", "ES512", "RS256", "PS256", "EdDSA", "Ed25519"];
