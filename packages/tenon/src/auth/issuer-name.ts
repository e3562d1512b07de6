/**
 * Compares the names of authorization servers.
 *
 * Names are compared to the letter, with one exception: an issuer without a path is the same with and without its slash, because
 * both are one URI (RFC 3986 section 6.2.3) with one metadata document (RFC 8414 section 3.1). Security: every other difference, such
 * as a path, a port or capital letters, makes another issuer. The `iss` of a callback is compared to the letter (grants/callback.ts).
 */

/** An origin, with or without the slash of its empty path. */
const BARE = /^(https?:\/\/[^/?#\\\s]+)\/?$/;

export function isSameIssuer(one: string, other: string): boolean {
  if (one === other) return true;
  const origin = BARE.exec(one)?.[1];
  return origin !== undefined && origin === BARE.exec(other)?.[1];
}

/** The name, and the other spelling of the same issuer if there is one. */
export function issuerSpellings(issuer: string): readonly string[] {
  const origin = BARE.exec(issuer)?.[1];
  if (origin === undefined) return [issuer];
  return issuer === origin ? [issuer, `${origin}/`] : [issuer, origin];
}
