/** What the server knows: its settings, keys, clients, grants and tokens. Endpoints are functions of it. */
import { GuardedFetch } from "../../auth/guarded-fetch.ts";
import { randomId } from "../../base/random-id.ts";
import { toClient, type Client } from "./clients/client-metadata.ts";
import { GRANT_TYPES } from "./grants/grant.ts";
import { endpointUrls, type EndpointUrls } from "./endpoints/endpoints.ts";
import { ExpiringTable } from "./expiring-table.ts";
import { toSettings, type AuthorizationServerOptions, type AuthorizationServerSettings, type GivenClient } from "./options.ts";
import { SigningKeys } from "./tokens/signing-keys.ts";

/** What somebody allowed a client; every token that came of it ends with it. */
export interface Grant {
  readonly clientId: string | undefined;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  /** Of the request for it, given back in the ID token. */
  readonly nonce?: string | undefined;
  revoked: boolean;
}

/** An authorization code, which stays known after its use so that a second one is noticed. */
export interface AuthorizationCode {
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly challenge: string;
  /** The thumbprint of the key it must come with (RFC 9449 section 10). */
  readonly key: string | undefined;
  used: boolean;
}

export interface RefreshToken {
  readonly grant: Grant;
  readonly key: string | undefined;
  used: boolean;
}

export interface AccessToken {
  readonly grant: Grant;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly key: string | undefined;
  /** Milliseconds since 1970. */
  readonly issued: number;
  readonly expires: number;
}

/** What a page asks the user about. */
export interface PendingConsent {
  readonly endpoint: "authorize" | "device";
  /** In a cookie of the browser the page was shown in. */
  readonly secret: string;
  readonly resume: string;
}

/** A device that waits for its user. Times are in milliseconds. */
export interface Device {
  readonly grant: Grant;
  readonly expires: number;
  /** In ms. */
  interval: number;
  polled: number | undefined;
  decision: "approved" | "denied" | undefined;
}

const TEN_YEARS = 315_360_000_000;

export class ServerState {
  readonly issuer: string;
  readonly urls: EndpointUrls;
  readonly settings: AuthorizationServerSettings;
  readonly clock: () => number;
  readonly keys: SigningKeys = new SigningKeys();
  readonly clients: ExpiringTable<Client>;
  /** Clients known by the URL of their metadata, as long as that may be kept. */
  readonly documents: ExpiringTable<Client>;
  readonly fetch: GuardedFetch;
  readonly devices: ExpiringTable<Device>;
  /** Without the dash. */
  readonly userCodes: ExpiringTable<Device>;
  readonly nonces: ExpiringTable<true>;
  /** The DPoP nonce that is given out now. */
  readonly nonce: { value: string; until: number } = { value: "", until: 0 };
  readonly codes: ExpiringTable<AuthorizationCode>;
  readonly consents: ExpiringTable<PendingConsent>;
  readonly refreshTokens: ExpiringTable<RefreshToken>;
  /** By their `jti`, or by themselves where they are opaque. */
  readonly accessTokens: ExpiringTable<AccessToken>;

  /** Names (`jti`) of assertions that count once. */
  readonly usedAssertions: ExpiringTable<true>;

  constructor(issuer: string, options: AuthorizationServerOptions) {
    this.issuer = issuer;
    this.urls = endpointUrls(issuer);
    this.settings = toSettings(options);
    const clock = options.clock ?? Date.now;
    this.clock = clock;
    this.clients = new ExpiringTable(clock);
    this.documents = new ExpiringTable(clock);
    this.fetch = new GuardedFetch(options.documents);
    this.devices = new ExpiringTable(clock);
    this.userCodes = new ExpiringTable(clock);
    this.nonces = new ExpiringTable(clock);
    this.codes = new ExpiringTable(clock);
    this.consents = new ExpiringTable(clock);
    this.refreshTokens = new ExpiringTable(clock);
    this.accessTokens = new ExpiringTable(clock);
    this.usedAssertions = new ExpiringTable(clock);
    for (const client of options.clients ?? []) this.#addKnownClient(client);
  }

  /** Seconds since 1970, as claims have them. */
  get seconds(): number {
    return Math.floor(this.clock() / 1_000);
  }

  addClient(client: Client): void {
    this.clients.set(client.id, client, TEN_YEARS);
  }

  #addKnownClient(given: GivenClient): void {
    const { client_id: id, client_secret: secret } = given;
    const method = given.token_endpoint_auth_method ?? (secret === undefined ? "none" : "client_secret_basic");
    this.addClient(toClient(id, secret, { ...given, grant_types: given.grant_types ?? GRANT_TYPES, token_endpoint_auth_method: method }));
  }
}

/** A name that is also a secret: codes, tokens, registrations. */
export function newSecret(): string {
  return randomId() + randomId();
}
