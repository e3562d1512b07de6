/**
 * Which clients are accepted, whether they registered or published a document, beside what `oidc-provider` checks itself.
 *
 * Security: a code is sent to the redirect URI of a client, and anyone can make a client. So a redirect URI is `https:`, a program on the
 * user's machine (RFC 8252), or a scheme that the operator has named; never `javascript:`, and never `http:` to another machine.
 */
import { isLoopbackName } from "../../auth/url-policy.ts";

export interface ClientPolicy {
  /** Hosts of `https:` redirect URIs; undefined for any. */
  readonly redirectHosts: readonly string[] | undefined;
  readonly redirectSchemes: readonly string[];
  readonly offeredScopes: readonly string[];
}

/** The metadata of a client that is checked, which the library lets us change. */
export interface ClientMetadata {
  redirect_uris?: unknown;
  application_type?: string;
  client_name?: unknown;
  scope?: unknown;
  response_types?: unknown;
}

const MAX_REDIRECT_URIS = 20;
const MAX_URI = 2_048;
const MAX_NAME = 200;

/**
 * Returns what is wrong with a client; undefined if it is accepted. Programs on the user's machine are made `native`. A client that names scopes gets
 * all that are offered (RFC 7591 section 3.2.1), because clients name the scopes of the first challenge and need others later; what a token may do is
 * decided by its user, who is asked about each scope.
 */
export function applyClientPolicy(
  metadata: ClientMetadata,
  policy: ClientPolicy,
): { readonly redirect: boolean; readonly problem: string } | undefined {
  const { redirect_uris: uris, client_name: name } = metadata;
  if (!Array.isArray(uris) || (uris.length === 0 && usesPages(metadata)))
    return { redirect: true, problem: "redirect_uris must name at least one URI" };
  if (uris.length > MAX_REDIRECT_URIS) return { redirect: true, problem: `redirect_uris must name at most ${MAX_REDIRECT_URIS} URIs` };
  for (const uri of uris as unknown[]) {
    const problem = redirectProblem(uri, policy);
    if (problem !== undefined) return { redirect: true, problem: `redirect_uris: ${problem}` };
  }
  if (name !== undefined && (typeof name !== "string" || name.length > MAX_NAME))
    return { redirect: false, problem: `client_name must be a text of at most ${MAX_NAME} characters` };
  if (metadata.scope !== undefined) metadata.scope = policy.offeredScopes.join(" ");
  metadata.application_type = (uris as string[]).every((uri) => uri.startsWith("https://")) ? "web" : "native";
  return undefined;
}

/** Whether codes are sent to the client; a client that uses assertions only gets none. */
function usesPages({ response_types: types }: ClientMetadata): boolean {
  return !Array.isArray(types) || types.length > 0;
}

function redirectProblem(uri: unknown, { redirectHosts, redirectSchemes }: ClientPolicy): string | undefined {
  if (typeof uri !== "string" || uri.length > MAX_URI || !/^[\x21-\x7E]+$/.test(uri) || !URL.canParse(uri))
    return "each must be an absolute URI";
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes("#")) return "a redirect URI has no fragment";
  if (username !== "" || password !== "") return "a redirect URI has no user name and no password";
  if (protocol === "http:") return isLoopbackName(hostname) ? undefined : "http: is for this machine only";
  if (protocol !== "https:")
    return redirectSchemes.includes(protocol.slice(0, -1)) ? undefined : `the scheme "${protocol}" is not accepted here`;
  return redirectHosts === undefined || redirectHosts.includes(hostname) ? undefined : `the host "${hostname}" is not accepted here`;
}
