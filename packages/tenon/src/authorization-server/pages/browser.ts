/**
 * The browser that began a login, known by a cookie, so that no other browser can finish it.
 *
 * Security: an attacker could agree to the consent page and send the provider's page to a victim, whose login would then be the
 * attacker's. The callback is refused unless it comes from the browser that agreed.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { randomId } from "../../base/bytes.ts";

export class Browsers {
  readonly #name: string;
  readonly #attributes: string;
  readonly #key: Uint8Array;

  /** @param key signs the proofs of forms */
  constructor(isSecure: boolean, key: Uint8Array) {
    this.#name = isSecure ? "__Host-tenon-login" : "tenon-login";
    this.#attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
    this.#key = key;
  }

  /** The id of a browser; undefined if it has none. */
  idOf({ headers }: IncomingMessage): string | undefined {
    const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
    const own = pairs.filter((pair) => pair.startsWith(`${this.#name}=`)).map((pair) => pair.slice(this.#name.length + 1));
    return own.length === 1 && /^[\w-]{22}$/.test(own[0]!) ? own[0] : undefined;
  }

  /** The id of a browser, which gets one if it has none. */
  identify(request: IncomingMessage, response: ServerResponse): string {
    const known = this.idOf(request);
    if (known !== undefined) return known;
    const id = randomId();
    response.appendHeader("Set-Cookie", `${this.#name}=${id}${this.#attributes}`);
    return id;
  }

  /** What a login remembers of a browser. */
  digest(id: string): string {
    return createHash("sha256").update(id).digest("base64url");
  }

  /** A proof that a form was made for this browser and this consent. */
  proof(id: string, uid: string): string {
    return createHmac("sha256", this.#key).update(`${uid}\n${id}`).digest("base64url");
  }

  isProof(proof: string, id: string, uid: string): boolean {
    const [actual, expected] = [Buffer.from(proof), Buffer.from(this.proof(id, uid))];
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }
}
