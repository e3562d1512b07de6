/**
 * Proves the possession of a key (RFC 9449), so that a stolen token is useless.
 *
 * A key pair signs each request with its method and URL, the token, and the server's latest nonce. `jose` signs. The key
 * must live as long as the tokens bound to it, so it is stored with them.
 */
import type { CryptoKey, JWK } from "jose";
import { hashed } from "../../base/hash.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ChallengeResponse } from "./authorizer.ts";

/** The request that a proof is made for. */
export interface ProofRequest {
  /** The method of the request: `htm`. */
  readonly method: string;
  /** The URL of the request. Without its query it is `htu`. */
  readonly url: URL;
  /** The access token of the request; absent at a token endpoint. */
  readonly accessToken?: string;
  /** The body of a request to the MCP server. */
  readonly body?: string | undefined;
  /** Milliseconds the server's clock is ahead. */
  readonly skew?: number;
}

/** How a client proves that tokens are its own: the option `dpop` of every grant. */
export interface DpopOptions {
  /** The signature algorithm. Default `"ES256"`. */
  readonly algorithm?: "ES256" | "ES384" | "ES512" | "Ed25519" | "PS256" | "RS256";
  /** More claims for a proof, such as the `content_digest` of a draft. They replace none of the standard ones. */
  readonly claims?: (request: ProofRequest) => JsonObject | Promise<JsonObject>;
}

/** Most servers whose nonce is remembered. */
const MAX_NONCES = 100;
const MAX_NONCE = 1024;

/** Makes proofs of possession for one key (RFC 9449). */
export class DpopProver {
  /** The private key in its stored form. Secret. */
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

  /** @param stored an earlier key; a new one is made without it, or if it cannot be read */
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

  /** Makes a proof for one request. Each proof can be used once. */
  async prove(request: ProofRequest): Promise<string> {
    const { SignJWT } = await import("jose");
    const { method, url, accessToken, skew = 0 } = request;
    const nonce = this.#nonces.get(url.origin);
    const claims = {
      ...(await this.#options.claims?.(request)),
      jti: crypto.randomUUID(),
      htm: method,
      htu: url.origin + url.pathname,
      iat: Math.floor((Date.now() + skew) / 1000),
      ...(accessToken !== undefined && { ath: await hashed(accessToken) }),
      ...(nonce !== undefined && { nonce }),
    };
    const header = { alg: this.#options.algorithm ?? "ES256", typ: "dpop+jwt", jwk: this.#publicJwk };
    return new SignJWT(claims).setProtectedHeader(header).sign(this.#key);
  }

  /** Remembers the nonce of a response. Returns true if it is new. */
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
