/**
 * Checks redirect URIs: those that a client registers, and those that a request names.
 *
 * A request must name a registered URI exactly. Only the port of a loopback address may differ, because a native program gets any free
 * port (RFC 8252 section 7.3).
 */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;
const MAX_LENGTH = 2_048;

/** Why a client of this type must not register `uri`; undefined if it may (OpenID registration section 2, RFC 8252). */
export function objectionTo(uri: string, applicationType: "native" | "web" | undefined): string | undefined {
  if (uri.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!URL.canParse(uri) || /[^\x21-\x7e]|[<>"\\^`{|}]/.test(uri)) return "is not an absolute URI";
  const { protocol, username, password, hostname } = new URL(uri);
  if (uri.includes("#")) return "has a fragment";
  if (username !== "" || password !== "") return "names a user";
  if (uri.includes("*")) return "has a wildcard";
  if (protocol === "https:") {
    return applicationType === "web" && hostname === "localhost" ? "is on localhost, which a web application must not use" : undefined;
  }
  if (applicationType === "web") return "is not https, as it must be for a web application";
  if (protocol === "http:") return LOOPBACK.test(uri) ? undefined : "is http to a host that is not this machine";
  // RFC 8252 section 7.1: a private-use scheme is a reversed domain name. `javascript:` and similar schemes have no dot.
  return /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/.test(protocol) ? undefined : `has a scheme, "${protocol}", that no application can own`;
}

/** Whether a request may name `requested` if `registered` was registered. */
export function matchesRedirectUri(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  const known = LOOPBACK.exec(registered);
  const match = LOOPBACK.exec(requested);
  if (known === null || match === null || !URL.canParse(requested)) return false;
  return known[1] === match[1] && known[2] === match[2];
}
