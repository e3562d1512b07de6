/**
 * Seals with Node's own crypto: `#aead` on Node.
 *
 * It makes the same bytes as Web Crypto, but synchronously. Web Crypto uses the thread pool, which takes twenty times as
 * long as sealing a journal of a few hundred bytes.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomFillSync } from "node:crypto";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { type Aead, ID_BYTES, derivationInfo, NONCE_BYTES, TAG_BYTES } from "../session/asking/rounds/aead.ts";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const decoder = new TextDecoder("utf-8", { fatal: true });

export function deriveAead(secret: Uint8Array, purpose: string): MaybePromise<Aead> {
  const info = derivationInfo(purpose);
  const derive = (what: string, bytes: number): Buffer => Buffer.from(hkdfSync("sha256", secret, "", what, bytes));
  return new NodeAead(derive(info.id, ID_BYTES).toString("base64url"), derive(info.seal, KEY_BYTES));
}

class NodeAead implements Aead {
  readonly id: string;
  readonly #key: Buffer;

  constructor(id: string, key: Buffer) {
    this.id = id;
    this.#key = key;
  }

  seal(plain: string, bound: string): string {
    const nonce = nextNonce();
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(bound));
    return Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url");
  }

  open(sealed: string, bound: string): string {
    const bytes = Buffer.from(sealed, "base64url");
    // Base64url has unused bits, so one text could have two spellings. Only the canonical one is accepted.
    if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== sealed) throw new Error("Not base64url");
    const end = bytes.length - TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(bound)).setAuthTag(bytes.subarray(end));
    return decoder.decode(Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]));
  }
}

/** Random bytes for many nonces are generated at once. */
const nonces = Buffer.alloc(NONCE_BYTES * 256);
let used = nonces.length;

function nextNonce(): Buffer {
  if (used === nonces.length) {
    randomFillSync(nonces);
    used = 0;
  }
  used += NONCE_BYTES;
  return nonces.subarray(used - NONCE_BYTES, used);
}
