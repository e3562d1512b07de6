/**
 * How a user gets to the authorization server's page and back: with a browser on this machine, or through a web host.
 *
 * Security: a client that registers itself gets a redirect URI of its own for each issuer (RFC 9700 section 4.4.2). Without it, a hostile
 * authorization server can send the user on to an honest one, and be given the code that the honest one issues.
 */
import { hashed } from "../../base/hash.ts";
import { issuerSpellings } from "../issuer-name.ts";

/** One login that has begun. */
export interface LoginPage {
  /** The URL that the authorization server sends the user back to. */
  readonly redirectUri: string;
  /**
   * Shows the page and waits until the user is back. Ignores callbacks with another `state`.
   * @returns the URL that the user came back to, with all parameters of the authorization server
   * @throws `signal.reason`
   */
  visit(page: URL, state: string, signal: AbortSignal): Promise<URL>;
  /** Stops listening for the user. */
  close(): Promise<void>;
}

/** How a user is sent to the login page and comes back: a part of `oauth()` that a host may replace. */
export interface Redirection {
  /**
   * Whether `begin` makes a redirect URI of the issuer's own if it gets a segment. Default false: the host decides about its redirect URIs, and gets
   * a segment only with the option `ownCallback`.
   */
  readonly isForIssuers?: boolean;
  /**
   * Prepares a login, which may not take place.
   * @param previous the redirect URI of an earlier login. Use it again if possible, because it is registered
   * @param segment what the path of the redirect URI ends with, after a slash, so that no other issuer has the same one. Undefined for a client
   * that is registered with one redirect URI for all issuers
   */
  begin(previous: string | undefined, signal: AbortSignal, segment?: string): Promise<LoginPage>;
}

/** For web hosts: the user comes back to another request, perhaps of another process. */
export interface DeferredRedirection {
  readonly redirectUri: string;
  /** Whether the host also takes users at the issuer's own redirect URI, below that one. Default false. */
  readonly isForIssuers?: boolean;
}

/** Characters of the digest that name an issuer in a redirect URI: too many to find a second issuer with the same ones. */
const SEGMENT_LENGTH = 22;

/** The path segment of an issuer: the first 22 characters of the SHA-256 digest of its name, as base64url. An origin has no slash at its end. */
export async function segmentOf(issuer: string): Promise<string> {
  const [name = issuer] = [...issuerSpellings(issuer)].toSorted((one, other) => one.length - other.length);
  return (await hashed(name)).slice(0, SEGMENT_LENGTH);
}

/** The path of an issuer's own redirect URI, below the path for all issuers. */
export function pathBelow(path: string, segment: string): string {
  return `${path.replace(/\/$/, "")}/${segment}`;
}

export function redirectUriBelow(redirectUri: string, segment: string): string {
  const url = new URL(redirectUri);
  url.pathname = pathBelow(url.pathname, segment);
  return url.href;
}

/** Shows a page to the user. @param url always https:, or http: on this machine */
export type OpenPage = (url: URL, signal: AbortSignal) => void | Promise<void>;

/** The names of this machine that a redirect URI may have. */
export type CallbackHost = "127.0.0.1" | "localhost" | "::1";

/** A login with a browser on this machine. */
export interface LoopbackOptions {
  /** The port. Default: a free one, used again for later logins while it is free. */
  readonly port?: number;
  /** The name of this machine in the redirect URI. Default `"127.0.0.1"`. */
  readonly host?: CallbackHost;
  /** The path of the redirect URI. Default `"/callback"`. */
  readonly path?: string;
  /** Shows the page. Default: the system's browser. */
  readonly open?: OpenPage | undefined;
}
