/**
 * Finds the authorization server that issues a server's tokens (RFC 9728, RFC 8414): reads the server's metadata, chooses
 * an issuer, and reads the issuer's metadata. Sends no secrets.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { AuthorizationError } from "../authorization-error.ts";
import type { ServerBinding } from "./credentials.ts";
import { GuardedFetch, guardedFetchOptions, type GuardedFetchOptions } from "../guarded-fetch.ts";
import { isSameIssuer } from "../issuer-name.ts";
import { assumeIssuer, findIssuer, type Issuer, type IssuerMetadata } from "../issuer-metadata.ts";
import { findResourceMetadata, type ResourceMetadata } from "./resource-metadata.ts";
import type { Scope } from "../scope.ts";

export interface FoundIssuer {
  readonly issuer: Issuer;
  /** The `resource` that the server publishes; undefined if it publishes no metadata. */
  readonly resource: string | undefined;
  readonly scopesSupported: Scope | undefined;
  readonly dpopRequired: boolean;
}

export interface IssuerChoice {
  /** The only issuer that is accepted, if the credentials belong to one. */
  readonly expected: string | undefined;
  /** The issuer that was used last. It is kept if the server still names it. */
  readonly known: string | undefined;
  /** Whether the expected issuer is used for a server that names none. Security: not without a user, who sees where to log in. Default false. */
  readonly mayStandIn?: boolean;
}

/** Milliseconds for which an issuer's metadata is cached. */
const LIFETIME = 10 * 60_000;

export class Discovery {
  readonly #documents: GuardedFetch;
  readonly #server: URL;
  #latest: { readonly name: string | undefined; readonly issuer: Issuer; readonly until: number } | undefined;

  constructor(documents: GuardedFetch, server: URL) {
    this.#documents = documents;
    this.#server = server;
  }

  /** Reads the server's metadata again. @param named the URL of its metadata in its challenge */
  async find(named: string | undefined, choice: IssuerChoice, signal: AbortSignal): Promise<FoundIssuer> {
    const resource = await findResourceMetadata(this.#documents, { server: this.#server, named, signal });
    if (resource === undefined) return { ...NO_METADATA, issuer: await this.#assumed(choice, signal) };
    const issuer = await this.issuer(chooseIssuer(resource, choice), signal);
    const { scopesSupported, dpopRequired } = resource;
    return { issuer, resource: resource.resource, scopesSupported, dpopRequired };
  }

  /** Reads the metadata of the issuer of existing tokens. @throws AuthorizationError */
  async issuerOf({ issuer, resource }: ServerBinding, signal: AbortSignal): Promise<Issuer> {
    return resource === undefined
      ? this.#assumed({ expected: issuer, known: issuer, mayStandIn: true }, signal)
      : this.issuer(issuer, signal);
  }

  async issuer(name: string, signal: AbortSignal): Promise<Issuer> {
    return this.#remembered(name) ?? this.#remember(name, await findIssuer(this.#documents, name, signal));
  }

  /** The issuer of a server that names none: the one that the user named, else the server's origin. */
  async #assumed({ expected, mayStandIn = false }: IssuerChoice, signal: AbortSignal): Promise<Issuer> {
    if (expected !== undefined && !isSameIssuer(expected, this.#server.origin)) {
      if (mayStandIn) return this.issuer(expected, signal);
      throw unexpectedIssuerError(this.#server.origin);
    }
    return this.#remembered(undefined) ?? this.#remember(undefined, await assumeIssuer(this.#documents, this.#server, signal));
  }

  #remembered(name: string | undefined): Issuer | undefined {
    const latest = this.#latest;
    return latest !== undefined && latest.name === name && latest.until > Date.now() ? latest.issuer : undefined;
  }

  #remember(name: string | undefined, issuer: Issuer): Issuer {
    this.#latest = { name, issuer, until: Date.now() + LIFETIME };
    return issuer;
  }
}

const NO_METADATA = { resource: undefined, scopesSupported: undefined, dpopRequired: false };

/** Chooses among several issuers (RFC 9728 section 7.6): the known one, or else the first. */
function chooseIssuer({ url, authorizationServers }: ResourceMetadata, { expected, known }: IssuerChoice): string {
  const named = (wanted: string): string | undefined => authorizationServers.find((name) => isSameIssuer(name, wanted));
  if (expected !== undefined) {
    if (named(expected) === undefined) throw unexpectedIssuerError(url);
    return expected;
  }
  return (known === undefined ? undefined : named(known)) ?? authorizationServers[0] ?? "";
}

function unexpectedIssuerError(url: string): AuthorizationError {
  return new AuthorizationError({
    hop: "protected resource metadata",
    url,
    problem: "the server does not name the authorization server that the credentials are for",
    remedy: 'Nothing was sent. If the server has moved to another authorization server, get credentials there and change option "issuer".',
  });
}

// ---- for users ----

/** Options of `discover()`. */
export interface DiscoverOptions extends GuardedFetchOptions {
  /** The URL of the metadata in the server's challenge. Default: the well-known places. */
  readonly resourceMetadata?: string;
  /** Abandons discovery. */
  readonly signal?: AbortSignal;
}

/** What a server and its authorization server publish about access. */
export interface Discovered {
  /** The resource that tokens are requested for; undefined if the server publishes no metadata (2025-03-26). */
  readonly resource: string | undefined;
  /** The scopes that the server names; undefined if it names none. */
  readonly scopesSupported: readonly string[] | undefined;
  /** The metadata of the authorization server. */
  readonly issuer: IssuerMetadata;
}

/** Reads the metadata of a server and of its authorization server. Nothing secret is sent. @throws AuthorizationError */
export async function discover(server: string | URL, options: DiscoverOptions = {}): Promise<Discovered> {
  const url = new URL(server);
  url.hash = "";
  const keys: OptionKeys<DiscoverOptions> = { ...guardedFetchOptions(), resourceMetadata: 1, signal: 1 };
  assertKnown("discover()", options, keys);
  const { resourceMetadata, signal = new AbortController().signal } = options;
  const discovery = new Discovery(new GuardedFetch(options, url), url);
  const { issuer, resource, scopesSupported } = await discovery.find(resourceMetadata, { expected: undefined, known: undefined }, signal);
  return { resource, scopesSupported, issuer: issuer.metadata };
}
