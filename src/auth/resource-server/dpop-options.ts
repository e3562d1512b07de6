/** How tokens that are bound to a key are taken: the option `dpop` of `bearer()`. */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { assertNonceOptions, type DpopNonceOptions } from "./dpop-nonces.ts";

/** Where nodes note which proofs were used. Every `StateStore` is one. */
export interface ProofStore {
  /** True for the first who claims `key` within `ms` milliseconds, false for everyone after. Must be atomic. */
  claim(key: string, ms: number): MaybePromise<boolean>;
}

/** Options for tokens that are bound to a key: `dpop` of `bearer()`. */
export interface DpopServerOptions {
  /** Whether every token must be bound to a key. Default false: ordinary tokens are taken too. */
  readonly required?: boolean;
  /**
   * Whether proofs must carry a nonce of this server, so that none can be made beforehand (RFC 9449 section 9). Default false.
   * Where there are several nodes they need the same `secret`.
   */
  readonly nonce?: boolean | DpopNonceOptions;
  /** Proofs that are remembered, each for at most ten minutes. Default 500 000; what is new is answered with 503 then. */
  readonly maxProofs?: number;
  /**
   * Where it is noted which proofs were used. Default: this process. Security: where there are several nodes, a proof that was used
   * at one counts once more at each other without this.
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

/** Undefined where no bound tokens are taken. @throws TypeError, RangeError for an option that is none */
export function checkDpopOptions(dpop: boolean | DpopServerOptions | undefined): DpopSettings | undefined {
  if (dpop === undefined || dpop === false) return undefined;
  const { required = false, nonce = false, maxProofs = DEFAULT_PROOFS, store } = dpop === true ? {} : dpop;
  if (!(maxProofs >= 1)) throw new RangeError(`Option "dpop.maxProofs" must be a number >= 1, not ${maxProofs}`);
  if (store !== undefined && typeof store.claim !== "function") throw new TypeError('Option "dpop.store" needs a method "claim"');
  const nonces = nonce === true ? {} : nonce === false ? undefined : nonce;
  if (nonces !== undefined) assertNonceOptions(nonces);
  return { required, nonce: nonces, maxProofs, store };
}
