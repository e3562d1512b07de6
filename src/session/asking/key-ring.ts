/**
 * The keys that seal what is handed to clients and comes back: AES-256-GCM, one key derived from each of the ring.
 *
 * Text is `v1.<key id>.<nonce, ciphertext and tag>`. Whoever holds it can neither read nor change it, nor use it for
 * anything else than what it was bound to.
 */
import { deriveAead } from "#aead";
import { andThen, isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import type { Aead } from "./aead.ts";
import type { SealingKey } from "./options.ts";

const VERSION = "v1";

type Ring = [Aead, ...Aead[]];

export class KeyRing {
  readonly #keys: readonly SealingKey[];
  readonly #purpose: string;
  /** How often the first key has sealed. */
  #seals = 0;
  #derived: MaybePromise<Ring> | undefined;

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
  seal(plain: string, binding: string): MaybePromise<string> {
    this.#seals++;
    return andThen(this.#ring(), ([key]) =>
      andThen(key.seal(plain, boundTo(key.id, binding)), (sealed) => `${VERSION}.${key.id}.${sealed}`),
    );
  }

  /** @throws Error (or rejects) where it was not sealed by this ring, for that purpose, with that binding; `UnknownKey` for a strange key */
  open(text: string, binding: string): MaybePromise<string> {
    const [version, id, sealed, ...rest] = text.split(".");
    if (version !== VERSION || id === undefined || sealed === undefined || rest.length > 0)
      throw new Error("Not something this server sealed");
    return andThen(this.#ring(), (ring) => {
      const key = ring.find((one) => one.id === id);
      if (key === undefined) throw new UnknownKeyError();
      return key.open(sealed, boundTo(id, binding));
    });
  }

  #ring(): MaybePromise<Ring> {
    return (this.#derived ??= this.#derive());
  }

  #derive(): MaybePromise<Ring> {
    const keys = this.#keys.map((key): MaybePromise<Aead> => deriveAead(toBytes(key), this.#purpose));
    return (keys.some(isPromise) ? Promise.all(keys.map(async (key) => key)) : keys) as MaybePromise<Ring>; // never empty
  }
}

/** Sealed, it seems, but with a key that is not in the ring. */
export class UnknownKeyError extends Error {
  override name = "UnknownKey";
}

function boundTo(id: string, binding: string): string {
  return `${VERSION}.${id}\n${binding}`;
}

function toBytes(key: SealingKey): Uint8Array {
  return typeof key === "string" ? new TextEncoder().encode(key) : key;
}
