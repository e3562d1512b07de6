/**
 * The one error of authorization: which step failed, at which URL, and what to do about it.
 *
 * Of what a peer sent it repeats only a short, escaped code. Security: it never holds a token, code, verifier, state,
 * assertion or password, the query of a URL, or a cause that holds one of these.
 */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";

/** The steps of authorization, in the order they are taken. */
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
  | "introspection"
  | "discovery";

/** What an {@link AuthorizationError} says: where it failed, what is wrong, and what to do about it. None of these may be secret. */
export interface AuthorizationErrorDetails {
  /** The step at which it failed. */
  readonly hop: AuthorizationHop;
  /** Where it failed. Query, fragment and user name are left out of the error. */
  readonly url: string | URL;
  /** What is wrong, as the end of the sentence "… failed at …: ". */
  readonly problem: string;
  /** What to do about it, one sentence. */
  readonly remedy: string;
  /** The server's error code (RFC 6749 section 5.2), such as `invalid_grant`. Text of another form is dropped. */
  readonly error?: string | undefined;
  /** A cause that holds nothing secret. */
  readonly cause?: unknown;
}

/** Most characters of a peer's code and URL that are repeated. */
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
  /** The server's error code, if it sent one that can be shown. */
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
 * The user has to log in before the call can be made. Send the user to {@link AuthorizationRequiredError.authorizationUrl}, pass
 * the URL that the user comes back to to `finish()`, and make the call again.
 */
export class AuthorizationRequiredError extends AuthorizationError {
  override name = "AuthorizationRequiredError";

  readonly #authorizationUrl: URL;

  /** @internal */
  constructor(server: URL, authorizationUrl: URL) {
    super({ hop: "authorization", url: server, problem: "the user has to log in", remedy: "Send the user to `authorizationUrl`." });
    this.#authorizationUrl = authorizationUrl;
  }

  /** The URL to send the user to. Security: give it to this user only; it is valid for one login. It is not printed with the error. */
  get authorizationUrl(): URL {
    return new URL(this.#authorizationUrl);
  }
}

/** The part of a URL that may be shown: origin and path. Other text is escaped and cut. */
export function printableUrl(url: string | URL): string {
  if (!URL.canParse(url)) return printable(String(url), MAX_URL);
  const { protocol, host, pathname } = new URL(url);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb ? printable(`${protocol}//${host}${pathname}`, MAX_URL) : `${printable(protocol, MAX_CODE)}…`;
}

/** The error code if it has the form of one, such as `invalid_grant`; otherwise undefined, because a peer may repeat secrets in it. */
export function printableErrorCode(code: string | undefined): string | undefined {
  return code !== undefined && code.length <= MAX_CODE && /^[a-z]+(_[a-z]+)*$/.test(code) ? code : undefined;
}

/** Makes a peer's text safe for a log: one line, no control characters, at most `max` characters. */
export function printable(text: string, max: number): string {
  const line = JSON.stringify(text.slice(0, max)).slice(1, -1);
  return line.replace(/[^\x20-\x7E]/g, "?");
}

/** What to do if an authorization server refuses the parameter `resource` (RFC 8707 section 2). */
export const INVALID_TARGET: string =
  "The authorization server does not issue tokens for the resource that was named. " +
  'Have the MCP server registered there, send the name it knows, or send none (option "resource").';
