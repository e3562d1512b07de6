/** Which URLs belong to the authorization server, and how the library sees them. */
import { issuerMetadataUrls } from "../../auth/well-known.ts";

/** The endpoints of the library, below the issuer. */
export const ROUTES = {
  authorization: "/authorize",
  token: "/token",
  jwks: "/jwks",
  registration: "/register",
  revocation: "/revoke",
  end_session: "/session/end",
} as const;

/** Pages of our own are `consent` and `callback`; the library has all others. */
export type RouteName = "consent" | "callback" | "authorize" | "register" | "library";

export interface LibraryRoute {
  readonly name: RouteName;
  /** The path below the issuer, as the library wants it. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** The id of a consent page. */
  readonly uid: string;
}

const METADATA = "/.well-known/oauth-authorization-server";
const OWN: Readonly<Record<string, RouteName>> = {
  "/callback": "callback",
  "/authorize": "authorize",
  "/register": "register",
  "/token": "library",
  "/jwks": "library",
  "/revoke": "library",
  "/session/end/confirm": "library",
};

/** Finds the route of a request. @param base the path of the issuer; @returns undefined if the URL is not of the authorization server */
export function routeOf(url: string, issuer: URL, base: string): LibraryRoute | undefined {
  const [path = "", ...rest] = url.split("?");
  const query = rest.length === 0 ? "" : `?${rest.join("?")}`;
  if (issuerMetadataUrls(issuer).some((known) => new URL(known).pathname === path))
    return { name: "library", path: METADATA, query, uid: "" };
  if (!path.startsWith(`${base}/`)) return undefined;
  const own = path.slice(base.length);
  const [, first, uid] = /^\/(consent|authorize)\/([\w-]{10,64})$/.exec(own) ?? [];
  if (uid !== undefined) return { name: first === "consent" ? "consent" : "library", path: own, query, uid };
  return Object.hasOwn(OWN, own) ? { name: OWN[own]!, path: own, query, uid: "" } : undefined;
}
