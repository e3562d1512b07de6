/**
 * Nonces for DPoP proofs (RFC 9449 section 9). Each is valid for a time and for all clients, so none has to be remembered.
 *
 * A nonce is a keyed digest of its time. Nodes with the same secret make and accept the same nonces.
 */
import { toBase64Url } from "../../base/bytes.ts";
import { workerHost } from "../../base/worker-host.ts";

/** Bytes of a nonce. */
const LENGTH = 18;
/** Shortest secret, in bytes. */
const MIN_SECRET = 32;

/** Options of the nonces for proofs. */
export interface DpopNonceOptions {
  /** The secret, 32 bytes or characters or more. It must be the same on every node. Default: a random one, for one process and its `workers`. */
  readonly secret?: string | Uint8Array;
  /** Milliseconds for which a nonce is valid at least. Default 300 000. */
  readonly lifetime?: number;
}

/** @throws RangeError if an option has a wrong value */
export function assertNonceOptions({ secret, lifetime = 1 }: DpopNonceOptions): void {
  if (secret !== undefined && secret.length < MIN_SECRET)
    throw new RangeError(`Option "dpop.nonce.secret" must have ${MIN_SECRET} bytes or more`);
  if (!(lifetime > 0)) throw new RangeError(`Option "dpop.nonce.lifetime" must be milliseconds above 0, not ${lifetime}`);
}

export class DpopNonces {
  readonly #options: DpopNonceOptions;
  readonly #period: number;
  #key: Promise<CryptoKey> | undefined;
  readonly #made = new Map<number, Promise<string>>();

  constructor(options: DpopNonceOptions) {
    this.#options = options;
    this.#period = options.lifetime ?? 300_000;
  }

  /** The nonce to send now. */
  current(): Promise<string> {
    return this.#of(this.#now());
  }

  /** Whether a nonce is of this period or the one before, or of the next one by another node's clock. */
  async accepts(nonce: string): Promise<boolean> {
    const now = this.#now();
    const good = await Promise.all([now - 1, now, now + 1].map((period) => this.#of(period)));
    return good.includes(nonce);
  }

  #now(): number {
    return Math.floor(Date.now() / this.#period);
  }

  #of(period: number): Promise<string> {
    let made = this.#made.get(period);
    if (made === undefined) {
      this.#made.set(period, (made = this.#make(period)));
      for (const old of this.#made.keys()) if (Math.abs(old - period) > 2) this.#made.delete(old);
    }
    return made;
  }

  async #make(period: number): Promise<string> {
    const digest = await crypto.subtle.sign("HMAC", await this.#signingKey(), new TextEncoder().encode(`dpop nonce ${period}`));
    return toBase64Url(new Uint8Array(digest, 0, LENGTH));
  }

  #signingKey(): Promise<CryptoKey> {
    const { secret = workerHost()?.key ?? crypto.getRandomValues(new Uint8Array(MIN_SECRET)) } = this.#options;
    const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : new Uint8Array(secret);
    return (this.#key ??= crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]));
  }
}
