/** The URLs of the endpoints: below the issuer, and the well-known ones. */

export type EndpointName =
  | "metadata"
  | "jwks"
  | "register"
  | "authorize"
  | "token"
  | "introspect"
  | "revoke"
  | "device_authorization"
  | "device";

/** The URL of every endpoint but the metadata, which has several. */
export type EndpointUrls = Readonly<Record<Exclude<EndpointName, "metadata">, string>>;

export function endpointUrls(issuer: string): EndpointUrls {
  return {
    jwks: `${issuer}/jwks`,
    register: `${issuer}/register`,
    authorize: `${issuer}/authorize`,
    token: `${issuer}/token`,
    introspect: `${issuer}/introspect`,
    revoke: `${issuer}/revoke`,
    device_authorization: `${issuer}/device_authorization`,
    device: `${issuer}/device`,
  };
}

/**
 * The paths of the metadata: RFC 8414 section 3.1 appends the issuer's path to the well-known path; OpenID discovery appends the
 * well-known path to the issuer.
 */
export function metadataPaths(issuer: string): readonly string[] {
  const path = new URL(issuer).pathname.replace(/\/$/, "");
  return [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
}

export function endpointAt(issuer: string, path: string): EndpointName | undefined {
  if (metadataPaths(issuer).includes(path)) return "metadata";
  const found = Object.entries(endpointUrls(issuer)).find(([, url]) => new URL(url).pathname === path);
  return found?.[0] as EndpointName | undefined; // the names are in the table above
}
