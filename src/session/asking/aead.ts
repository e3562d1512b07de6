/** Sealing with one key, as the key ring needs it: where `#aead` leads, per runtime. */
import type { MaybePromise } from "../../base/maybe-promise.ts";

/** AES-256-GCM with a key derived from a secret. What is sealed is base64url of nonce (12 bytes), ciphertext and tag (16 bytes). */
export interface Aead {
  /** Tells keys apart, and nothing else about them. */
  readonly id: string;
  /** @param bound what the text is only good together with */
  seal(plain: string, bound: string): MaybePromise<string>;
  /** @throws Error (or rejects) where it was not sealed with this key and `bound`, or is not in its one canonical form */
  open(sealed: string, bound: string): MaybePromise<string>;
}

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
/** Bytes of a key's id. */
export const ID_BYTES = 6;
/** What keys are derived for: the id, and sealing. */
export const derivationInfo = (purpose: string): { id: string; seal: string } => ({ id: `key id/${purpose}`, seal: `seal/${purpose}` });
