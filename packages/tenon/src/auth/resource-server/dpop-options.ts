/** The option `dpop` of `bearer()`: how tokens that are bound to a key are accepted. */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { assertNonceOptions, type DpopNonceOptions } from "./dpop-nonces.ts";

/** Records which proofs were used, for several nodes. Every `StateStore` is one. */
export interface ProofStore {
  /** Returns true for the first claim of `key` within `ms` milliseconds, and false for every later one. Must be atomic. */
  claim(key: string, ms: number): MaybePromise<boolean>;
}

/** Options for tokens that are bound to a key: `dpop` of `bearer()`. */
export interface DpopServerOptions {
  /** Whether every token must be bound to a key. Default false: ordinary tokens are accepted too. */
  readonly required?: boolean;
  /**
   * Whether proofs must contain a nonce of this server, so that none can be made in advance (RFC 9449 section 9). Default false.
   * Several nodes need the same `secret`.
   */
  readonly nonce?: boolean | DpopNonceOptions;
  /** Most proofs to remember, each for at most ten minutes. Default 500 000. Beyond it new requests get a 503. */
  readonly maxProofs?: number;
  /**
   * Records which proofs were used. Default: this process, with its `workers`. Security: with several nodes and no shared store, a stolen proof can
   * be used once at each node.
   */
  readonly store?: ProofStore;
}

export interface DpopSettings {
  readonly required: boolean;
  readonly nonce: DpopNonceOptions | undefined;
  readonly maxProofs: number;
  readonly store: ProofStore | undefined;
}

const DEFAULT_PROOFS = 500_000;

/** The algorithms that DPoP proofs may be signed with. All are asymmetric: the server that checks a proof must not be able to make one. */
export const DPOP_ALGORITHMS: readonly string[] = ["ES256", "ES384", "ES512", "RS256", "PS256", "EdDSA", "Ed25519"];

/** Returns undefined if bound tokens are not accepted. @throws TypeError, RangeError if an option has a wrong value */
export function checkDpopOptions(dpop: boolean | DpopServerOptions | undefined): DpopSettings | undefined {
  if (dpop === undefined || dpop === false) return undefined;
  const { required = false, nonce = false, maxProofs = DEFAULT_PROOFS, store } = dpop === true ? {} : dpop;
  if (!(maxProofs >= 1)) throw new RangeError(`Option "dpop.maxProofs" must be a number >= 1, not ${maxProofs}`);
  if (store !== undefined && typeof store.claim !== "function") throw new TypeError('Option "dpop.store" needs a method "claim"');
  const nonces = nonce === true ? {} : nonce === false ? undefined : nonce;
  if (nonces !== undefined) assertNonceOptions(nonces);
  return { required, nonce: nonces, maxProofs, store };
}
