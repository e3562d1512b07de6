/**
 * Reading a token out of a request: from the header `Authorization` and nowhere else (RFC 6750 section 2.1, M4.6).
 *
 * One header with one scheme and one token is taken. Everything that could be read in two ways is malformed.
 */
import type { AuthRequest } from "./endpoint-auth.ts";

export type Scheme = "bearer" | "dpop";

export interface PresentedToken {
  /** As they came. */
  readonly header: string;
  readonly scheme: Scheme;
  readonly token: string;
}

/** `none`: no token was presented, or none of a kind we know. */
export type NoToken = "none" | "malformed";

/** Longest token, in characters. What is longer is not even looked at. */
const MAX_TOKEN = 16_384;
/** `credentials` of RFC 9110 with a `token68`. */
const CREDENTIALS = /^(bearer|dpop) +([\w.~+/-]+=*)$/i;
const SCHEME = /^[\w!#$%&'*+.^`|~-]+(?: |$)/;
/** A token in the URL: it ends up in logs, in histories and at other sites. */
const IN_QUERY = /[?&]access_token(?:[=&]|$)/i;

export function readPresentedToken(request: AuthRequest): PresentedToken | NoToken {
  if (hasQuery(request) && IN_QUERY.test(unescaped(request.url))) return "malformed";
  const header = request.header("authorization");
  if (header === undefined) return "none";
  if (header.length > MAX_TOKEN) return "malformed";
  const match = CREDENTIALS.exec(header);
  if (match !== null) return { header, scheme: match[1]!.toLowerCase() as Scheme, token: match[2]! }; // the pattern has these two
  if (/^(?:bearer|dpop)(?: |$)/i.test(header)) return "malformed";
  // Another scheme is not ours to judge: the client is told which ones there are.
  return SCHEME.test(header) ? "none" : "malformed";
}

/** Whether there is anything in the URL that has to be looked at. */
export function hasQuery({ url }: AuthRequest): boolean {
  return url.includes("?");
}

/** A name that is written with escapes is the same name. */
function unescaped(url: string): string {
  return url.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
