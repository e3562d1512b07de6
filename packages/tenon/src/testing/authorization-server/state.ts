/** The state of the server: settings, keys, clients, grants and tokens. Endpoints are functions that take it. */
import { GuardedFetch } from "../../auth/guarded-fetch.ts";
import { randomId } from "../../base/bytes.ts";
import { toClient, type RegisteredClient } from "./clients/client-metadata.ts";
import { GRANT_TYPES } from "./grants/grant.ts";
import { endpointUrls, type EndpointUrls } from "./endpoints/endpoints.ts";
import { ExpiringTable } from "../../base/bounds/expiring-table.ts";
import { OAuthError } from "./oauth-error.ts";
import { toSettings, type TestAuthorizationServerOptions, type AuthorizationServerSettings, type GivenClient } from "./options.ts";
import { profileOf } from "./profiles.ts";
import { SigningKeys } from "./tokens/signing-keys.ts";

/** A permission for a client. When it is revoked, all its tokens are invalid. */
export interface GrantedAccess {
  readonly clientId: string | undefined;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  /** The nonce of its request, returned in the ID token. */
  readonly nonce?: string | undefined;
  revoked: boolean;
}

/** An authorization code. It is kept after its use, so that a second use is noticed. */
export interface AuthorizationCode {
  readonly grant: GrantedAccess;
  readonly redirectUri: string;
  readonly challenge: string;
  /** The thumbprint of the key that its request must prove (RFC 9449 section 10). */
  readonly key: string | undefined;
  used: boolean;
}

export interface RefreshToken {
  readonly grant: GrantedAccess;
  readonly key: string | undefined;
  used: boolean;
}

export interface AccessToken {
  readonly grant: GrantedAccess;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly key: string | undefined;
  /** Milliseconds since 1970. */
  readonly issued: number;
  readonly expires: number;
}

/** A pending request of a consent page. */
export interface PendingConsent {
  readonly endpoint: "authorize" | "device";
  /** Also in a cookie of the browser that showed the page. */
  readonly secret: string;
  readonly resume: string;
}

/** A device that waits for its user. Times are in milliseconds. */
export interface Device {
  readonly grant: GrantedAccess;
  readonly expires: number;
  /** Milliseconds between two polls. */
  interval: number;
  polled: number | undefined;
  decision: "approved" | "denied" | undefined;
}

const TEN_YEARS = 315_360_000_000;
/** Entries of each table. A full one refuses new entries and never drops a live one. */
const TABLE_SIZE = 10_000;

function tableFull(): OAuthError {
  return new OAuthError("temporarily_unavailable", `The server keeps at most ${TABLE_SIZE} of these at a time`, 503);
}

export class ServerState {
  readonly issuer: string;
  readonly urls: EndpointUrls;
  readonly settings: AuthorizationServerSettings;
  readonly clock: () => number;
  readonly keys: SigningKeys = new SigningKeys();
  readonly clients: ExpiringTable<RegisteredClient>;
  /** Clients whose id is the URL of their metadata. */
  readonly documents: ExpiringTable<RegisteredClient>;
  readonly fetch: GuardedFetch;
  readonly devices: ExpiringTable<Device>;
  /** By user code, without the dash. */
  readonly userCodes: ExpiringTable<Device>;
  readonly nonces: ExpiringTable<true>;
  /** The current DPoP nonce. */
  readonly nonce: { value: string; until: number } = { value: "", until: 0 };
  readonly codes: ExpiringTable<AuthorizationCode>;
  readonly consents: ExpiringTable<PendingConsent>;
  readonly refreshTokens: ExpiringTable<RefreshToken>;
  /** JWTs by their `jti`; opaque tokens by themselves. */
  readonly accessTokens: ExpiringTable<AccessToken>;

  /** The `jti` of assertions, each of which is valid once. */
  readonly usedAssertions: ExpiringTable<true>;

  constructor(issuer: string, options: TestAuthorizationServerOptions) {
    this.issuer = issuer;
    this.urls = endpointUrls(issuer);
    this.settings = toSettings({ ...(options.profile !== undefined && profileOf(options.profile)), ...options });
    const clock = options.clock ?? Date.now;
    this.clock = clock;
    const table = { full: tableFull, max: TABLE_SIZE, now: clock };
    this.clients = new ExpiringTable(table);
    this.documents = new ExpiringTable(table);
    this.fetch = new GuardedFetch(options.documents);
    this.devices = new ExpiringTable(table);
    this.userCodes = new ExpiringTable(table);
    this.nonces = new ExpiringTable(table);
    this.codes = new ExpiringTable(table);
    this.consents = new ExpiringTable(table);
    this.refreshTokens = new ExpiringTable(table);
    this.accessTokens = new ExpiringTable(table);
    this.usedAssertions = new ExpiringTable(table);
    for (const client of options.clients ?? []) this.#addKnownClient(client);
  }

  /** The issuer as metadata, tokens and redirects write it. */
  get ownName(): string {
    return this.settings.issuerSlash ? `${this.issuer}/` : this.issuer;
  }

  /** Seconds since 1970, for claims. */
  get seconds(): number {
    return Math.floor(this.clock() / 1_000);
  }

  addClient(client: RegisteredClient): void {
    this.clients.set(client.id, client, TEN_YEARS);
  }

  #addKnownClient(given: GivenClient): void {
    const { client_id: id, client_secret: secret } = given;
    const method = given.token_endpoint_auth_method ?? (secret === undefined ? "none" : "client_secret_basic");
    this.addClient(toClient(id, secret, { ...given, grant_types: given.grant_types ?? GRANT_TYPES, token_endpoint_auth_method: method }));
  }
}

/** Makes a random secret for codes, tokens and registrations. */
export function newSecret(): string {
  return randomId() + randomId();
}
