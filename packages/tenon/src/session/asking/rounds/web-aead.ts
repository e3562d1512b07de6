/** Sealing with Web Crypto, which every runtime has: `#aead` outside Node. */
import { type Aead, ID_BYTES, derivationInfo, NONCE_BYTES } from "./aead.ts";
import { fromBase64Url, toBase64Url } from "../../../base/bytes.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export async function deriveAead(secret: Uint8Array, purpose: string): Promise<Aead> {
  const base = await crypto.subtle.importKey("raw", new Uint8Array(secret), "HKDF", false, ["deriveBits", "deriveKey"]);
  const info = derivationInfo(purpose);
  const id = await crypto.subtle.deriveBits(hkdf(info.id), base, ID_BYTES * 8);
  const key = await crypto.subtle.deriveKey(hkdf(info.seal), base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  return new WebAead(toBase64Url(new Uint8Array(id)), key);
}

class WebAead implements Aead {
  readonly id: string;
  readonly #key: CryptoKey;

  constructor(id: string, key: CryptoKey) {
    this.id = id;
    this.#key = key;
  }

  async seal(plain: string, bound: string): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const algorithm = { name: "AES-GCM", iv, additionalData: encoder.encode(bound) };
    const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, this.#key, encoder.encode(plain)));
    const bytes = new Uint8Array(NONCE_BYTES + sealed.length);
    bytes.set(iv);
    bytes.set(sealed, NONCE_BYTES);
    return toBase64Url(bytes);
  }

  async open(sealed: string, bound: string): Promise<string> {
    const bytes = fromBase64Url(sealed);
    if (bytes === undefined) throw new Error("Not base64url");
    const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, NONCE_BYTES), additionalData: encoder.encode(bound) };
    return decoder.decode(await crypto.subtle.decrypt(algorithm, this.#key, bytes.subarray(NONCE_BYTES)));
  }
}

function hkdf(info: string): HkdfParams {
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(info) };
}
