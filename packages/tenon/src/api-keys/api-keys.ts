/**
 * `apiKeys()`: an endpoint that accepts keys which the operator hands out, for programs without a login.
 *
 * A key is `<prefix>_<id>_<secret>`. The store has the hash of it, so who reads the store cannot use one: 260 random bits need no salt and
 * no slow hash. The id finds the record.
 */
import { hashed, isSameHash } from "../base/hash.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { type AuthInfo, principalOf } from "../auth/resource-server/auth-info.ts";
import type { AuthRequest, Authorized, EndpointAuth, Refusal } from "../auth/resource-server/endpoint-auth.ts";
import { AccessRefusedError } from "../auth/resource-server/judge-token.ts";
import type { PresentedToken } from "../auth/resource-server/presented-token.ts";
import { presentedIn } from "../auth/resource-server/shared-request.ts";
import { TokenCache } from "../auth/resource-server/token-cache.ts";
import { includesScopes } from "../auth/scope.ts";
import { OpenKeys } from "./open-keys.ts";
import { KeyRecords, type ApiKey, type FoundKey, type NewKey, idOf, newKey } from "./key-records.ts";
import { checkOptions, type ApiKeysOptions, type KeySettings } from "./options.ts";
import { KeyRefusals } from "./refusals.ts";

/** A key that was just made. */
export interface MintedKey extends ApiKey {
  /** The key itself. Security: it is shown this once; the store has a hash only. */
  readonly key: string;
}

/** What {@link apiKeys} returns: the option `auth` of an endpoint, and the keys. */
export interface ApiKeys extends EndpointAuth {
  /** Makes a key. @throws TypeError, RangeError that name a member; LimitExceededError if there are `maxKeys` */
  mint(key: NewKey): Promise<MintedKey>;
  /** All keys that are not revoked or expired, or the keys of one subject; the oldest first. */
  list(subject?: string): Promise<readonly ApiKey[]>;
  /** Ends a key, and the streams that are open with it. Others accept it for `cacheTtl` at most. False if there is none of that id. */
  revoke(id: string): Promise<boolean>;
  /** Makes a new secret for a key, with the same subject, scopes and name, and its whole time. The old key ends. @throws RangeError if there is none of that id */
  rotate(id: string): Promise<MintedKey>;
}

/**
 * Accepts API keys as `Authorization: Bearer <key>`, beside OAuth by `anyOf()` or alone.
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { apiKeys } from "tenon/auth/keys";
 * import { createFetchHandler, McpServer } from "tenon/server";
 * import { memoryStores } from "tenon/stores/memory";
 *
 * const auth = apiKeys({ store: memoryStores().keyed });
 * const { key } = await auth.mint({ subject: "nightly", scopes: ["files:read"] });
 * const handler = createFetchHandler(new McpServer({ name: "files", version: "1.0.0" }), { auth });
 * const headers = { authorization: `Bearer ${key}` };
 * console.log((await handler(new Request("http://localhost/mcp", { method: "GET", headers }))).status === 401); // false
 * ```
 */
export function apiKeys(options: ApiKeysOptions): ApiKeys {
  return new Keys(checkOptions(options));
}

/** Milliseconds between two notes of when a key was used. */
const USE_INTERVAL = 60_000;

class Keys implements ApiKeys {
  readonly #settings: KeySettings;
  readonly #records: KeyRecords;
  readonly #refusals: KeyRefusals;
  readonly #accepted: TokenCache;
  readonly #open: OpenKeys;
  /** Counts revocations and rotations: a record that was read before one of them is read again. */
  #changes = 0;

  constructor(settings: KeySettings) {
    this.#settings = settings;
    this.#records = new KeyRecords(settings);
    this.#refusals = new KeyRefusals(settings.scopes);
    this.#accepted = new TokenCache(settings.cacheTtl);
    this.#open = new OpenKeys(settings.maxKeys);
  }

  knows(request: AuthRequest): boolean {
    const presented = presentedIn(request);
    return typeof presented !== "string" && this.#accepted.get(presented.header) !== undefined;
  }

  takes(request: AuthRequest): boolean {
    const presented = presentedIn(request);
    return typeof presented !== "string" && presented.scheme === "bearer" && idOf(presented.token, this.#settings.prefix) !== undefined;
  }

  authorize(request: AuthRequest): MaybePromise<Authorized | Refusal> {
    const presented = presentedIn(request);
    if (presented === "malformed") return this.#refusals.malformed(new AccessRefusedError("Malformed credentials"));
    if (presented === "none" || presented.scheme !== "bearer") return this.#refusals.unauthorized();
    const known = this.#accepted.get(presented.header);
    return known === undefined ? this.#look(presented) : this.#withScopes(known.authorized);
  }

  async #look(presented: PresentedToken): Promise<Authorized | Refusal> {
    const { token } = presented;
    const id = idOf(token, this.#settings.prefix);
    if (id === undefined) return this.#refusals.refused(new AccessRefusedError("API key refused: it has not the form of a key"));
    const changes = this.#changes;
    try {
      const [hash, found] = await Promise.all([hashed(token), this.#records.find(id)]);
      if (changes !== this.#changes) return await this.#look(presented);
      this.#open.seen(id, found?.hash);
      // One text for both: a caller learns no ids.
      if (found === undefined || !isSameHash(hash, found.hash))
        return this.#refusals.refused(
          new AccessRefusedError(`API key refused: ${found === undefined ? "there is no key" : "wrong secret"} of the id "${id}"`),
        );
      const authorized = this.#authorized(found);
      this.#accepted.add(presented.header, { presented, authorized });
      this.#noteUse(found.key);
      return this.#withScopes(authorized);
    } catch (cause) {
      return this.#refusals.unavailable(new Error("API keys cannot be checked", { cause }));
    }
  }

  #authorized({ key: { id, subject, name, scopes, expiresAt }, hash }: FoundKey): Authorized {
    const claims = Object.freeze({ key: id, ...(name !== undefined && { name }) });
    const auth: AuthInfo = Object.freeze({ issuer: this.#settings.issuer, subject, scopes: Object.freeze([...scopes]), expiresAt, claims });
    return { auth, principal: principalOf(auth), until: expiresAt, ended: this.#open.endOf(id, hash) };
  }

  #withScopes(authorized: Authorized): Authorized | Refusal {
    if (!(authorized.until > Date.now())) return this.#refusals.refused(new AccessRefusedError("API key refused: it has expired"));
    const { scopes } = this.#settings;
    return includesScopes(authorized.auth.scopes, scopes) ? authorized : this.insufficientScope([], authorized.auth);
  }

  insufficientScope(scopes: readonly string[], { subject, scopes: granted }: AuthInfo): Refusal {
    const needed = [...new Set([...this.#settings.scopes, ...scopes])];
    const reason = new AccessRefusedError(
      `Insufficient scope: ${needed.join(" ")} needed, ${granted.join(" ")} granted (${JSON.stringify({ subject })})`,
    );
    return this.#refusals.insufficient(needed, reason);
  }

  /** Notes that a key was used, now and then. A note that fails is made with a later use. */
  #noteUse({ id, usedAt = 0 }: ApiKey): void {
    if (usedAt + USE_INTERVAL > Date.now()) return;
    const noting = this.#records.used(id);
    if (isPromise(noting)) noting.catch(() => undefined);
  }

  async mint(key: NewKey): Promise<MintedKey> {
    const { id, text } = newKey(this.#settings.prefix);
    return { ...(await this.#records.add(id, await hashed(text), key)), key: text };
  }

  list(subject?: string): Promise<readonly ApiKey[]> {
    return this.#records.list(subject);
  }

  async revoke(id: string): Promise<boolean> {
    this.#forget(id);
    try {
      return await this.#records.remove(id);
    } finally {
      this.#end(id);
    }
  }

  async rotate(id: string): Promise<MintedKey> {
    const { text } = newKey(this.#settings.prefix, id);
    const key = await this.#records.replaceHash(id, await hashed(text));
    if (key === undefined) throw new RangeError(`There is no API key with the id ${JSON.stringify(id)}`);
    this.#end(id);
    return { ...key, key: text };
  }

  /** Ends the key that the store had, with the requests that came in meanwhile. */
  #end(id: string): void {
    this.#changes++;
    this.#forget(id);
    this.#open.seen(id, undefined);
  }

  /** In this process a key ends at once. */
  #forget(id: string): void {
    this.#accepted.removeWhere(({ authorized }) => authorized.auth.claims["key"] === id);
  }
}
