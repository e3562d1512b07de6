/**
 * Reads the token of a request: from the header `Authorization` only (RFC 6750 section 2.1).
 *
 * It accepts one header with one scheme and one token. Ambiguous credentials are malformed.
 */
import type { AuthRequest } from "./endpoint-auth.ts";

export type Scheme = "bearer" | "dpop";

export interface PresentedToken {
  /** The header's value. */
  readonly header: string;
  readonly scheme: Scheme;
  readonly token: string;
}

/** `none`: the request has no token, or an unknown scheme. */
export type NoToken = "none" | "malformed";

/** Most characters of the header. A longer one is not read. */
const MAX_TOKEN = 16_384;
/** `credentials` of RFC 9110 with a `token68`. */
const CREDENTIALS = /^(bearer|dpop) +([\w.~+/-]+=*)$/i;
const SCHEME = /^[\w!#$%&'*+.^`|~-]+(?: |$)/;
/** A token in the URL, which would end up in logs, histories and referrers. */
const IN_QUERY = /[?&]access_token(?:[=&]|$)/i;

export function readPresentedToken(request: AuthRequest): PresentedToken | NoToken {
  if (hasQuery(request) && IN_QUERY.test(unescaped(request.url))) return "malformed";
  const header = request.header("authorization");
  if (header === undefined) return "none";
  if (header.length > MAX_TOKEN) return "malformed";
  const match = CREDENTIALS.exec(header);
  if (match !== null) return { header, scheme: match[1]!.toLowerCase() as Scheme, token: match[2]! }; // the pattern has these two
  if (/^(?:bearer|dpop)(?: |$)/i.test(header)) return "malformed";
  // For another scheme the challenge names the schemes that are accepted.
  return SCHEME.test(header) ? "none" : "malformed";
}

/** Whether the URL has a query, which may hold a token. */
export function hasQuery({ url }: AuthRequest): boolean {
  return url.includes("?");
}

/** Decodes escapes, because an escaped name is the same name. */
function unescaped(url: string): string {
  return url.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
