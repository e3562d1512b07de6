/**
 * The keys that seal what is handed to clients and comes back: AES-256-GCM, one key derived from each of the ring.
 *
 * Text is `v1.<key id>.<nonce, ciphertext and tag>`. Whoever holds it can neither read nor change it, nor use it for
 * anything else than what it was bound to.
 */
import { deriveAead } from "#aead";
import type { Aead } from "./aead.ts";
import type { SealingKey } from "./options.ts";

const VERSION = "v1";

export class KeyRing {
  readonly #keys: readonly SealingKey[];
  readonly #purpose: string;
  /** How often the first key has sealed. */
  #seals = 0;
  #derived: Promise<readonly [Aead, ...Aead[]]> | undefined;

  /**
   * @param keys    the first seals, all open; a new one goes to the front of every node only when all can open it
   * @param purpose what is sealed and for whom: text sealed for another purpose does not open
   */
  constructor(keys: readonly SealingKey[], purpose: string) {
    this.#keys = [...keys];
    this.#purpose = purpose;
  }

  /** How often the key that seals has done so, in this process. */
  get seals(): number {
    return this.#seals;
  }

  /** @param binding what the text is only good together with */
  async seal(plain: string, binding: string): Promise<string> {
    this.#seals++;
    const [key] = await this.#ring();
    return `${VERSION}.${key.id}.${await key.seal(plain, boundTo(key.id, binding))}`;
  }

  /** @throws Error where it was not sealed by this ring, for that purpose, with that binding; `UnknownKey` for a strange key */
  async open(text: string, binding: string): Promise<string> {
    const [version, id, sealed, ...rest] = text.split(".");
    if (version !== VERSION || id === undefined || sealed === undefined || rest.length > 0)
      throw new Error("Not something this server sealed");
    const key = (await this.#ring()).find((one) => one.id === id);
    if (key === undefined) throw new UnknownKey();
    return key.open(sealed, boundTo(id, binding));
  }

  #ring(): Promise<readonly [Aead, ...Aead[]]> {
    this.#derived ??= Promise.all(this.#keys.map(async (key) => deriveAead(toBytes(key), this.#purpose))) as Promise<[Aead, ...Aead[]]>; // never empty
    return this.#derived;
  }
}

/** Sealed, it seems, but with a key that is not in the ring. */
export class UnknownKey extends Error {
  override name = "UnknownKey";
}

function boundTo(id: string, binding: string): string {
  return `${VERSION}.${id}\n${binding}`;
}

function toBytes(key: SealingKey): Uint8Array {
  return typeof key === "string" ? new TextEncoder().encode(key) : key;
}
