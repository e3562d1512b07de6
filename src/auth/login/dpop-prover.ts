/**
 * Proof of possession: tokens that are of no use to whoever steals them (RFC 9449; requirement R4).
 *
 * A key pair signs each request with its method and URL, the token, and the nonce the server gave last. Signing is
 * `jose`'s. The key must live as long as the tokens bound to it, so it is kept beside them.
 */
import type { CryptoKey, JWK } from "jose";
import { sha256 } from "../../base/hash.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ChallengeResponse } from "./authorizer.ts";

/** What a proof is for. */
export interface ProofRequest {
  /** Of the request it goes with: `htm`. */
  readonly method: string;
  /** Where that request goes; without its query: `htu`. */
  readonly url: URL;
  /** At a protected server: the token the proof goes with. */
  readonly accessToken?: string;
  /** Of a request to the MCP server. */
  readonly body?: string | undefined;
  /** Milliseconds the other side's clock is ahead. */
  readonly skew?: number;
}

/** How a client proves that tokens are its own: the option `dpop` of every grant. */
export interface DpopOptions {
  /** What signs. Default `"ES256"`. */
  readonly algorithm?: "ES256" | "ES384" | "ES512" | "Ed25519" | "PS256" | "RS256";
  /** More claims for a proof, such as the `content_digest` of a draft. They replace none of the standard ones. */
  readonly claims?: (request: ProofRequest) => JsonObject | Promise<JsonObject>;
}

/** Servers whose nonce is remembered. */
const MAX_NONCES = 100;
const MAX_NONCE = 1024;

/** One key, and the proofs of having it (RFC 9449). */
export class DpopProver {
  /** The private key as it is stored. Secret. */
  readonly jwk: JWK;
  readonly #key: CryptoKey;
  readonly #publicJwk: JWK;
  readonly #options: DpopOptions;
  /** By origin. */
  readonly #nonces = new Map<string, string>();

  private constructor(jwk: JWK, key: CryptoKey, options: DpopOptions) {
    this.jwk = jwk;
    this.#key = key;
    this.#options = options;
    const { kty, crv, x, y, n, e } = jwk;
    this.#publicJwk = Object.fromEntries(Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined));
  }

  /** @param stored a key from before; without one, or with one that cannot be read, there is a new one */
  static async create(options: DpopOptions, stored?: JWK): Promise<DpopProver> {
    const { exportJWK, generateKeyPair, importJWK } = await import("jose");
    const { algorithm = "ES256" } = options;
    if (stored?.d !== undefined && stored.alg === algorithm) {
      const key = await importJWK(stored, algorithm).catch(() => undefined);
      if (key !== undefined && !(key instanceof Uint8Array)) return new DpopProver(stored, key, options);
    }
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    return new DpopProver({ ...(await exportJWK(privateKey)), alg: algorithm }, privateKey, options);
  }

  /** A proof for one request: never to be used twice. */
  async prove(request: ProofRequest): Promise<string> {
    const { SignJWT, base64url } = await import("jose");
    const { method, url, accessToken, skew = 0 } = request;
    const nonce = this.#nonces.get(url.origin);
    const claims = {
      ...(await this.#options.claims?.(request)),
      jti: crypto.randomUUID(),
      htm: method,
      htu: url.origin + url.pathname,
      iat: Math.floor((Date.now() + skew) / 1000),
      ...(accessToken !== undefined && { ath: base64url.encode(await sha256(accessToken)) }),
      ...(nonce !== undefined && { nonce }),
    };
    const header = { alg: this.#options.algorithm ?? "ES256", typ: "dpop+jwt", jwk: this.#publicJwk };
    return new SignJWT(claims).setProtectedHeader(header).sign(this.#key);
  }

  /** Remembers the nonce of an answer. True for one that is new. */
  noteNonce(url: string | URL, headers: ChallengeResponse["headers"]): boolean {
    const nonce = headers.get("dpop-nonce");
    const { origin } = new URL(url);
    if (nonce === null || nonce === "" || nonce.length > MAX_NONCE || this.#nonces.get(origin) === nonce) return false;
    this.#nonces.delete(origin);
    this.#nonces.set(origin, nonce);
    for (const oldest of this.#nonces.keys()) {
      if (this.#nonces.size <= MAX_NONCES) break;
      this.#nonces.delete(oldest);
    }
    return true;
  }
}
