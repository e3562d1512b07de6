/**
 * The one error of authorization: which step failed, at which URL, and what to do about it.
 *
 * Nothing a peer sent is repeated beyond a short, escaped code, and nothing secret is ever in it: no token, code,
 * verifier, state, assertion or password, no query of a URL, no cause that holds one of these (R21, O10).
 */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";

/** The steps on the way to an accepted request, in the order they are taken. */
export type AuthorizationHop =
  | "challenge"
  | "protected resource metadata"
  | "authorization server metadata"
  | "registration"
  | "authorization"
  | "callback"
  | "token"
  | "refresh"
  | "identity provider"
  | "access"
  | "store"
  | "keys"
  | "introspection";

/** What an {@link AuthorizationError} says: where it failed, what is wrong, and what to do about it. None of it may be secret. */
export interface AuthorizationErrorDetails {
  /** The step at which it failed. */
  readonly hop: AuthorizationHop;
  /** Where it failed. Query, fragment and user name are left out of the error. */
  readonly url: string | URL;
  /** What is wrong, as the end of the sentence "… failed at …: ". */
  readonly problem: string;
  /** What to do about it, one sentence. */
  readonly remedy: string;
  /** The error code a server answered with (RFC 6749 section 5.2), such as `invalid_grant`. What looks different is left out. */
  readonly error?: string | undefined;
  /** A cause that holds nothing secret. */
  readonly cause?: unknown;
}

/** Longest code and URL of a peer that are repeated. */
const MAX_CODE = 48;
const MAX_URL = 200;

/** Authorization failed. `data` is `{ hop, url, remedy, error? }`. */
export class AuthorizationError extends McpError {
  override name = "AuthorizationError";

  /** The step at which it failed. */
  readonly hop: AuthorizationHop;
  /** Where, without query, fragment and user name. */
  readonly url: string;
  /** What is wrong, as in `message`. */
  readonly problem: string;
  /** What to do about it, one sentence. */
  readonly remedy: string;
  /** The server's own error code, where it sent one that can be shown. */
  readonly error: string | undefined;

  /** For authorizers, grants and stores of your own. */
  constructor({ hop, url, problem, remedy, error, cause }: AuthorizationErrorDetails) {
    const place = printableUrl(url);
    const code = printableErrorCode(error);
    const data = { hop, url: place, remedy, ...(code !== undefined && { error: code }) };
    super(
      ErrorCode.InvalidRequest,
      `Authorization failed (${hop}, ${place}): ${problem}. ${remedy}`,
      data,
      cause === undefined ? undefined : { cause },
    );
    this.hop = hop;
    this.url = place;
    this.problem = problem;
    this.remedy = remedy;
    this.error = code;
  }
}

/**
 * A user has to log in before the call can be made. Send them to {@link AuthorizationRequiredError.authorizationUrl}, and
 * make the call again once `finish()` has had the URL they came back to.
 */
export class AuthorizationRequiredError extends AuthorizationError {
  override name = "AuthorizationRequiredError";

  readonly #authorizationUrl: URL;

  /** @internal */
  constructor(server: URL, authorizationUrl: URL) {
    super({ hop: "authorization", url: server, problem: "the user has to log in", remedy: "Send the user to `authorizationUrl`." });
    this.#authorizationUrl = authorizationUrl;
  }

  /** Where to send the user, and nobody else: it is good for one login. Not printed with the error. */
  get authorizationUrl(): URL {
    return new URL(this.#authorizationUrl);
  }
}

/** A URL as far as it may be shown: origin and path. What is no URL is escaped and cut. */
export function printableUrl(url: string | URL): string {
  if (!URL.canParse(url)) return printable(String(url), MAX_URL);
  const { protocol, host, pathname } = new URL(url);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb ? printable(`${protocol}//${host}${pathname}`, MAX_URL) : `${printable(protocol, MAX_CODE)}…`;
}

/**
 * An error code where it looks like one, as `invalid_grant` does; undefined where it may be anything else: a peer that
 * repeats in it what it was sent must not get that printed.
 */
export function printableErrorCode(code: string | undefined): string | undefined {
  return code !== undefined && code.length <= MAX_CODE && /^[a-z]+(_[a-z]+)*$/.test(code) ? code : undefined;
}

/** Text of a peer in a form that is safe in a log: one line, no control characters, no more than `max` of it. */
export function printable(text: string, max: number): string {
  const line = JSON.stringify(text.slice(0, max)).slice(1, -1);
  return line.replace(/[^\x20-\x7E]/g, "?");
}
