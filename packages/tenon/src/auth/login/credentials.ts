/**
 * The records of a store: which issuer a server uses, the client there, and its tokens.
 *
 * Security: every record names its issuer and is read only for that issuer, so that no secret reaches another server. A
 * record that names no issuer, or another one, is ignored.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import { AuthorizationError } from "../authorization-error.ts";
import type { AuthStore } from "./auth-store.ts";
import type { ClientAuthMethod } from "./oauth-client.ts";
import { isSameIssuer, issuerSpellings } from "../issuer-name.ts";
import { isStrings } from "../json-document.ts";
import type { Scope } from "../scope.ts";

/** Tokens of one issuer for one server. */
export interface TokenSet {
  readonly issuer: string;
  /** Undefined if the server publishes none (2025-03-26). */
  readonly resource: string | undefined;
  readonly clientId: string | undefined;
  readonly accessToken: string;
  readonly tokenType: string;
  /** Milliseconds since 1970 by the local clock; undefined if the issuer does not say. */
  readonly expiresAt: number | undefined;
  /** When to replace the token before it expires, in milliseconds since 1970. */
  readonly renewAt: number | undefined;
  readonly refreshToken: string | undefined;
  /** The granted scope, if the issuer said it. */
  readonly scope: Scope | undefined;
  readonly requested: Scope | undefined;
  /** The key the token is bound to, as a private JWK. */
  readonly dpopKey: JsonObject | undefined;
}

export interface RegisteredClient {
  readonly issuer: string;
  readonly id: string;
  readonly secret: string | undefined;
  readonly method: ClientAuthMethod;
  readonly redirectUri: string;
  /** The registered scope: some issuers allow no other. Undefined: any scope. */
  readonly scope: Scope | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined;
}

/** The issuer that a server used when tokens were last requested. */
export interface ServerBinding {
  readonly issuer: string;
  readonly resource: string | undefined;
}

export class Credentials {
  readonly store: AuthStore;
  readonly #account: string;

  /** @param account the user of these credentials, if several users share the store */
  constructor(store: AuthStore, account: string) {
    this.store = store;
    this.#account = account;
  }

  /** The key of a record. Its parts cannot be confused with the parts of another key. */
  key(kind: string, ...parts: readonly (string | undefined)[]): string {
    return JSON.stringify([kind, this.#account, ...parts.map((part) => part ?? null)]);
  }

  async server(server: URL): Promise<ServerBinding | undefined> {
    const record = await this.read(this.key("server", server.href));
    return typeof record?.["issuer"] === "string" ? { issuer: record["issuer"], resource: text(record["resource"]) } : undefined;
  }

  bindServer(server: URL, { issuer, resource }: ServerBinding): Promise<void> {
    return this.write(this.key("server", server.href), { issuer, resource });
  }

  async unbindServer(server: URL): Promise<void> {
    await this.store.delete(this.key("server", server.href));
  }

  /** @param client the id of the pre-registered client, if there is one */
  async tokens({ issuer, resource }: ServerBinding, client: string | undefined): Promise<TokenSet | undefined> {
    const record = await this.#ofIssuer(issuer, (name) => this.key("tokens", name, resource, client));
    const tokens = record === undefined ? undefined : toTokens(record);
    return tokens !== undefined && isSameIssuer(tokens.issuer, issuer) && tokens.resource === resource ? tokens : undefined;
  }

  /** @param until milliseconds since 1970 at which the record may be dropped. Default: never */
  async saveTokens(tokens: TokenSet, client: string | undefined, until?: number): Promise<void> {
    const { issuer, resource } = tokens;
    await this.write(this.key("tokens", issuer, resource, client), { ...tokens }, until);
    await this.#deleteOther(issuer, (name) => this.key("tokens", name, resource, client));
  }

  async deleteTokens({ issuer, resource }: ServerBinding, client: string | undefined): Promise<void> {
    for (const name of issuerSpellings(issuer)) await this.store.delete(this.key("tokens", name, resource, client));
  }

  async registration(issuer: string, server: URL): Promise<RegisteredClient | undefined> {
    const record = await this.#ofIssuer(issuer, (name) => this.key("client", name, server.href));
    const client = record === undefined ? undefined : toClient(record);
    const expired = client?.expiresAt !== undefined && client.expiresAt <= Date.now();
    return client !== undefined && isSameIssuer(client.issuer, issuer) && !expired ? client : undefined;
  }

  /** Saves the registration for one server. Other servers keep theirs. */
  async saveRegistration(client: RegisteredClient, server: URL): Promise<void> {
    await this.write(this.key("client", client.issuer, server.href), { ...client });
    await this.#deleteOther(client.issuer, (name) => this.key("client", name, server.href));
  }

  async deleteRegistration(issuer: string, server: URL): Promise<void> {
    for (const name of issuerSpellings(issuer)) await this.store.delete(this.key("client", name, server.href));
  }

  /** Reads the record of an issuer, which may have been saved when its name was spelled in the other way. */
  async #ofIssuer(issuer: string, keyOf: (name: string) => string): Promise<JsonObject | undefined> {
    for (const name of issuerSpellings(issuer)) {
      const record = await this.read(keyOf(name));
      if (record !== undefined) return record;
    }
    return undefined;
  }

  /** Deletes the record of the other spelling, so that an old one is never read again. */
  async #deleteOther(issuer: string, keyOf: (name: string) => string): Promise<void> {
    for (const name of issuerSpellings(issuer).slice(1)) await this.store.delete(keyOf(name));
  }

  async read(key: string): Promise<JsonObject | undefined> {
    const record: unknown = await this.store.get(key);
    return isJsonObject(record) ? record : undefined;
  }

  /** @throws AuthorizationError if the store fails, because a rotated token would be lost silently */
  async write(key: string, record: JsonObject, expiresAt?: number): Promise<void> {
    try {
      await this.store.set(key, withoutUndefined(record), expiresAt);
    } catch (cause) {
      const issuer = text(record["issuer"]) ?? "";
      const remedy = "Repair the store, then log in again if the server no longer takes the tokens.";
      throw new AuthorizationError({ hop: "store", url: issuer, problem: "the store did not keep the credentials", remedy, cause });
    }
  }
}

function withoutUndefined(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function scope(value: unknown): Scope | undefined {
  return isStrings(value) ? value : undefined;
}

function toTokens(record: JsonObject): TokenSet | undefined {
  const { issuer, accessToken, tokenType, dpopKey } = record;
  if (typeof issuer !== "string" || typeof accessToken !== "string" || typeof tokenType !== "string") return undefined;
  return {
    issuer,
    resource: text(record["resource"]),
    clientId: text(record["clientId"]),
    accessToken,
    tokenType,
    expiresAt: number(record["expiresAt"]),
    renewAt: number(record["renewAt"]),
    refreshToken: text(record["refreshToken"]),
    scope: scope(record["scope"]),
    requested: scope(record["requested"]),
    dpopKey: isJsonObject(dpopKey) ? dpopKey : undefined,
  };
}

function toClient(record: JsonObject): RegisteredClient | undefined {
  const { issuer, id, redirectUri, method } = record;
  if (typeof issuer !== "string" || typeof id !== "string" || typeof redirectUri !== "string") return undefined;
  if (method !== "none" && method !== "client_secret_basic" && method !== "client_secret_post") return undefined;
  const more = { secret: text(record["secret"]), scope: scope(record["scope"]), expiresAt: number(record["expiresAt"]) };
  return { issuer, id, redirectUri, method, ...more };
}
