/**
 * The keys that seal states: AES-256-GCM, one key derived from each secret of the ring.
 *
 * Text is `v1.<key id>.<nonce, ciphertext and tag>`. Its holder can neither read nor change it, nor use it with another binding.
 */
import { deriveAead } from "#aead";
import { andThen, isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import type { Aead } from "./aead.ts";
import type { SealingKey } from "../options.ts";

const VERSION = "v1";
/** Random nonces are safe for 2^32 texts in all; several processes may share a key. */
const SEALS_OF_A_KEY = 2 ** 31;

type Ring = [Aead, ...Aead[]];

export class KeyRing {
  readonly #keys: readonly SealingKey[];
  readonly #purpose: string;
  readonly #due: (() => void) | undefined;
  readonly #dueAfter: number;
  /** How often the first key has sealed. */
  #seals = 0;
  #derived: MaybePromise<Ring> | undefined;

  /**
   * @param keys    the first seals, all open; add a new one at the front only when every node can open it
   * @param purpose what is sealed and for which server: text sealed for another purpose does not open
   * @param due     called once, when a new key is due: when the first one has sealed `dueAfter` texts in this process
   */
  constructor(keys: readonly SealingKey[], purpose: string, due?: () => void, dueAfter: number = SEALS_OF_A_KEY) {
    this.#keys = [...keys];
    this.#purpose = purpose;
    this.#due = due;
    this.#dueAfter = dueAfter;
  }

  /** @param binding data that must be the same when the text is opened */
  seal(plain: string, binding: string): MaybePromise<string> {
    if (this.#seals++ === this.#dueAfter) this.#due?.();
    return andThen(this.#ring(), ([key]) =>
      andThen(key.seal(plain, boundTo(key.id, binding)), (sealed) => `${VERSION}.${key.id}.${sealed}`),
    );
  }

  /**
   * @throws Error (or rejects) if it was not sealed by this ring, for that purpose, with that binding; `UnknownKeyError` if the key
   * is not in the ring
   */
  open(text: string, binding: string): MaybePromise<string> {
    const [version, id, sealed, ...rest] = text.split(".");
    if (version !== VERSION || id === undefined || sealed === undefined || rest.length > 0)
      throw new Error("This server did not seal this text");
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

/** The text seems to be sealed with a key that is not in the ring. */
export class UnknownKeyError extends Error {
  override name = "UnknownKey";
}

function boundTo(id: string, binding: string): string {
  return `${VERSION}.${id}\n${binding}`;
}

function toBytes(key: SealingKey): Uint8Array {
  return typeof key === "string" ? new TextEncoder().encode(key) : key;
}
