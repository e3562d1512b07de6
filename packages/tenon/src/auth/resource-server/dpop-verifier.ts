/**
 * Verifies requests with tokens that are bound to a key (RFC 9449 section 7): each must prove that its sender has the key.
 * Loaded with the first such request.
 */
import { decodeJwt } from "jose";
import { workerStore } from "../../base/worker-host.ts";
import type { AuthInfo } from "./auth-info.ts";
import type { AuthRequest } from "./endpoint-auth.ts";
import type { RefusalError } from "./refusals.ts";
import { AccessRefusedError } from "./judge-token.ts";
import type { DpopSettings, ProofStore } from "./dpop-options.ts";
import { checkDpopProof, DpopProofError, type DpopProof } from "./dpop-proof.ts";
import { DpopNonces } from "./dpop-nonces.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";

/** The result of verifying a request. It is accepted if `refused` is absent. */
export interface DpopVerdict {
  readonly refused?: { readonly error: RefusalError; readonly reason: Error };
  /** Headers of the response, names and values in turn: the nonce for the next proof, if it has changed. */
  readonly headers: readonly string[];
}

class DpopRefusal extends AccessRefusedError {
  readonly error: RefusalError;

  constructor(error: RefusalError, why: string) {
    super(`DPoP proof refused: ${why}`);
    this.error = error;
  }
}

export class DpopVerifier {
  readonly #resource: URL;
  readonly #nonces: DpopNonces | undefined;
  readonly #used: ProofStore;

  /** @param resource the URL of the server as clients know it */
  constructor(resource: URL, { nonce, maxProofs, store }: DpopSettings) {
    this.#resource = resource;
    this.#nonces = nonce && new DpopNonces(nonce);
    this.#used = store ?? workerStore<ProofStore>("proofs") ?? new UsedProofs(maxProofs);
  }

  /** @throws if the proof cannot be checked, because the store fails or is full */
  async verify(request: AuthRequest, token: string, auth: AuthInfo): Promise<DpopVerdict> {
    try {
      const nonce = await this.#prove(request, token, auth);
      return { headers: nonce === (await this.#nonces?.current()) ? [] : await this.#nonceHeaders() };
    } catch (reason) {
      if (!(reason instanceof DpopRefusal)) throw reason;
      const { error } = reason;
      return { refused: { error, reason }, headers: error === "use_dpop_nonce" ? await this.#nonceHeaders() : [] };
    }
  }

  /** The nonce of the proof. @throws DpopRefusal */
  async #prove(request: AuthRequest, token: string, { claims }: AuthInfo): Promise<string | undefined> {
    const key = boundKey(claims["cnf"]);
    if (key === undefined) throw new DpopRefusal("invalid_token", "the token is not bound to a key by its thumbprint alone");
    const proof = await this.#check(request, token);
    if (proof.thumbprint !== key) throw new DpopRefusal("invalid_token", "the token is bound to another key");
    if (this.#nonces !== undefined && !(await this.#nonces.accepts(proof.nonce ?? "")))
      throw new DpopRefusal("use_dpop_nonce", "it has no nonce, or an old one");
    // This check is last, so that refused proofs take no room.
    const fresh = await this.#used.claim(`dpop ${proof.thumbprint} ${proof.jti}`, proof.expires - Date.now());
    if (!fresh) throw new DpopRefusal("invalid_dpop_proof", "it was used before");
    return proof.nonce;
  }

  async #nonceHeaders(): Promise<readonly string[]> {
    return this.#nonces === undefined ? [] : ["DPoP-Nonce", await this.#nonces.current()];
  }

  async #check(request: AuthRequest, token: string): Promise<DpopProof> {
    const proof = request.header("dpop");
    if (proof === undefined) throw new DpopRefusal("invalid_dpop_proof", "there is none");
    try {
      const url = this.#urlOf(request, proof);
      return await checkDpopProof({ proof, method: request.method, url, now: Date.now(), accessToken: token });
    } catch (error) {
      throw error instanceof DpopProofError ? new DpopRefusal("invalid_dpop_proof", error.message) : error;
    }
  }

  /**
   * The URL that a proof may name: the resource, or the resource's origin with the requested path. The two differ if a proxy
   * removes a prefix, or if the resource is a whole origin. Security: the host header and headers of proxies are ignored.
   */
  #urlOf({ url }: AuthRequest, proof: string): string {
    const target = new URL(this.#resource.origin + url.replace(/^https?:\/\/[^/?#]*/i, "")).href;
    const { origin, pathname } = new URL(htuOf(proof) ?? target);
    return origin === this.#resource.origin && pathname === this.#resource.pathname ? this.#resource.href : target;
  }
}

/** The unverified `htu` of a proof. */
function htuOf(proof: string): string | undefined {
  try {
    const { htu } = decodeJwt(proof);
    return typeof htu === "string" && URL.canParse(htu) ? htu : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The thumbprint that a token is bound to (RFC 9449 section 6.1). Undefined if `cnf` has another member, because that binding is
 * not checked.
 */
function boundKey(cnf: unknown): string | undefined {
  if (typeof cnf !== "object" || cnf === null || Object.keys(cnf).length !== 1) return undefined;
  const { jkt } = cnf as { jkt?: unknown };
  return typeof jkt === "string" ? jkt : undefined;
}

const MINUTE = 60_000;

/**
 * Remembers which proofs were used, until they have expired. Security: nothing is forgotten earlier, because a proof could then be used
 * again. If there is no room, new proofs are refused.
 */
class UsedProofs {
  readonly #max: number;
  /** Ids by the minute in which they may be forgotten, so that forgetting is cheap. */
  readonly #minutes = new Map<number, Set<string>>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns true for the first claim of `key` within `ms` milliseconds. @throws LimitExceededError if there is no room */
  claim(key: string, ms: number): boolean {
    const now = Date.now();
    this.#forget(now);
    for (const names of this.#minutes.values()) if (names.has(key)) return false;
    if (this.#size >= this.#max) throw new LimitExceededError("dpop.maxProofs", this.#max);
    const minute = Math.floor((now + ms) / MINUTE);
    const names = this.#minutes.get(minute) ?? new Set();
    this.#minutes.set(minute, names.add(key));
    this.#size++;
    return true;
  }

  #forget(now: number): void {
    for (const [minute, names] of this.#minutes) {
      if ((minute + 1) * MINUTE > now) continue;
      this.#minutes.delete(minute);
      this.#size -= names.size;
    }
  }
}
