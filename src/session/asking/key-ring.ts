/**
 * The keys that seal what is handed to clients and comes back: AES-256-GCM, one key derived from each of the ring.
 *
 * Text is `v1.<key id>.<nonce, ciphertext and tag>`. Whoever holds it can neither read nor change it, nor use it for
 * anything else than what it was bound to. Web Crypto only, so it runs everywhere.
 */
import { fromBase64Url, toBase64Url } from "./base64url.ts";
import type { SealingKey } from "./options.ts";

interface Derived {
  readonly id: string;
  readonly key: CryptoKey;
}

const VERSION = "v1";
const NONCE_BYTES = 12;
/** Bytes of a key id, which only tells keys apart. */
const ID_BYTES = 6;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export class KeyRing {
  readonly #keys: readonly SealingKey[];
  readonly #purpose: string;
  #derived: Promise<readonly [Derived, ...Derived[]]> | undefined;

  /**
   * @param keys    the first seals, all open; a new one goes to the front of every node only when all can open it
   * @param purpose what is sealed and for whom: text sealed for another purpose does not open
   */
  constructor(keys: readonly SealingKey[], purpose: string) {
    this.#keys = [...keys];
    this.#purpose = purpose;
  }

  /** @param binding what the text is only good together with */
  async seal(plain: string, binding: string): Promise<string> {
    const [{ id, key }] = await this.#ring();
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const algorithm = { name: "AES-GCM", iv: nonce, additionalData: boundTo(id, binding) };
    const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, encoder.encode(plain)));
    const bytes = new Uint8Array(NONCE_BYTES + sealed.length);
    bytes.set(nonce);
    bytes.set(sealed, NONCE_BYTES);
    return `${VERSION}.${id}.${toBase64Url(bytes)}`;
  }

  /** @throws Error where it was not sealed by this ring, for that purpose, with that binding; `UnknownKey` for a strange key */
  async open(text: string, binding: string): Promise<string> {
    const parts = text.split(".");
    const [version, id, body] = parts;
    const bytes = parts.length === 3 && version === VERSION ? fromBase64Url(body!) : undefined;
    if (id === undefined || bytes === undefined) throw new Error("Not something this server sealed");
    const derived = (await this.#ring()).find((one) => one.id === id);
    if (derived === undefined) throw new UnknownKey();
    const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, NONCE_BYTES), additionalData: boundTo(id, binding) };
    return decoder.decode(await crypto.subtle.decrypt(algorithm, derived.key, bytes.subarray(NONCE_BYTES)));
  }

  #ring(): Promise<readonly [Derived, ...Derived[]]> {
    this.#derived ??= Promise.all(this.#keys.map((key) => derive(key, this.#purpose))) as Promise<[Derived, ...Derived[]]>; // never empty
    return this.#derived;
  }
}

/** Sealed, it seems, but with a key that is not in the ring. */
export class UnknownKey extends Error {
  override name = "UnknownKey";
}

function boundTo(id: string, binding: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${VERSION}.${id}\n${binding}`);
}

async function derive(key: SealingKey, purpose: string): Promise<Derived> {
  const material = typeof key === "string" ? encoder.encode(key) : new Uint8Array(key);
  const base = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveBits", "deriveKey"]);
  const hkdf = (info: string): HkdfParams => ({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(info) });
  const id = await crypto.subtle.deriveBits(hkdf(`key id/${purpose}`), base, ID_BYTES * 8);
  const aes = await crypto.subtle.deriveKey(hkdf(`seal/${purpose}`), base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  return { id: toBase64Url(new Uint8Array(id)), key: aes };
}
