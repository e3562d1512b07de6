/** `discover()`: who authorizes access to a server, found out as a client would, for those who want to know beforehand. */
import { Discovery } from "./discovery.ts";
import { GuardedFetch, type GuardedFetchOptions } from "../guarded-fetch.ts";
import type { IssuerMetadata } from "../issuer-metadata.ts";

/** Options of `discover()`. */
export interface DiscoverOptions extends GuardedFetchOptions {
  /** Where the server's challenge says its metadata is. Default: the well-known places. */
  readonly resourceMetadata?: string;
  /** Gives up. */
  readonly signal?: AbortSignal;
}

/** What a server and its authorization server publish about access. */
export interface Discovered {
  /** What tokens are asked for; undefined where the server publishes nothing (2025-03-26). */
  readonly resource: string | undefined;
  /** Which scopes the server names; undefined where it names none. */
  readonly scopesSupported: readonly string[] | undefined;
  /** What the authorization server publishes, as far as a client uses it. */
  readonly issuer: IssuerMetadata;
}

/** Reads the metadata of a server and of its authorization server. Nothing secret is sent. @throws AuthorizationError */
export async function discover(server: string | URL, options: DiscoverOptions = {}): Promise<Discovered> {
  const url = new URL(server);
  url.hash = "";
  const { resourceMetadata, signal = new AbortController().signal } = options;
  const discovery = new Discovery(new GuardedFetch(options, url), url);
  const { issuer, resource, scopesSupported } = await discovery.find(resourceMetadata, { expected: undefined, known: undefined }, signal);
  return { resource, scopesSupported, issuer: issuer.metadata };
}
