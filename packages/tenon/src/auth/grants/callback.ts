/**
 * Checks the parameters that an authorization server sent back with the user, before any of them is used (RFC 9207): the
 * state, the issuer, and only then the error or the code.
 */
import { AuthorizationError, INVALID_TARGET, printableErrorCode } from "../authorization-error.ts";
import type { IssuerMetadata } from "../issuer-metadata.ts";
import { isScopeToken } from "../scope.ts";

export interface ExpectedCallback {
  readonly redirectUri: string;
  readonly state: string;
  /** The issuer, as recorded before the user left. */
  readonly issuer: Pick<IssuerMetadata, "issuer" | "authorization_response_iss_parameter_supported" | "scopes_supported">;
  /** Whether the login requested no scope. Some authorization servers refuse that. Default false. */
  readonly isWithoutScope?: boolean;
}

/** Returns the authorization code. @throws AuthorizationError, which repeats only the code of the server's error */
export function readCallback(parameters: URLSearchParams, expected: ExpectedCallback): string {
  const { redirectUri, state, issuer } = expected;
  const fail = (problem: string): AuthorizationError =>
    new AuthorizationError({ hop: "callback", url: redirectUri, problem, remedy: LOG_IN_AGAIN });
  const one = (name: string): string | undefined => {
    const values = parameters.getAll(name);
    if (values.length > 1) throw fail(`it has "${name}" more than once`);
    return values[0];
  };
  if (one("state") !== state) throw fail('its "state" does not belong to this login');
  const iss = one("iss");
  if (iss === undefined && issuer.authorization_response_iss_parameter_supported === true)
    throw fail('it lacks "iss", which the server promised');
  // To the letter, even a slash (RFC 9207 section 2.4): both names come from the same server.
  if (iss !== undefined && iss !== issuer.issuer) throw fail("it comes from another authorization server than the one that was asked");
  const error = one("error");
  if (error !== undefined) throw refusalError(expected, error);
  const code = one("code");
  if (code === undefined || code === "") throw fail("it has neither a code nor an error");
  return code;
}

function refusalError({ redirectUri: url, issuer, isWithoutScope = false }: ExpectedCallback, error: string): AuthorizationError {
  const problem = `the authorization server refused with ${printableErrorCode(error) ?? "an unknown error"}`;
  const isAboutScope = isWithoutScope && (error === "access_denied" || error === "invalid_scope");
  const remedy = isAboutScope ? requestScope(issuer.scopes_supported) : Object.hasOwn(REMEDIES, error) ? REMEDIES[error]! : LOG_IN_AGAIN;
  return new AuthorizationError({ hop: "authorization", url, problem, remedy, error });
}

/** Security: a list from outside is repeated only in part, and only its printable entries. */
function requestScope(supported: readonly unknown[] = []): string {
  const names = supported.filter((name) => typeof name === "string" && isScopeToken(name)).slice(0, 10);
  const known = names.length === 0 ? "" : `: it knows ${names.join(", ")}`;
  return `Either the user or a policy refused: ask them. Or it wants a scope, and the MCP server names none: request one (option "scope")${known}.`;
}

/** What to do about the errors that say what is wrong. `state` and issuer were checked before, so none of them is an attack. */
const REMEDIES: { readonly [error: string]: string } = {
  access_denied: "The user or a policy refused: ask them, then log in again.",
  invalid_target: INVALID_TARGET,
  invalid_scope: 'Ask for scopes the authorization server knows (option "scope").',
  unauthorized_client: "Allow a login with a code for the client at the authorization server.",
  server_error: "The authorization server failed. Try again later.",
  temporarily_unavailable: "The authorization server is busy. Try again later.",
};
const LOG_IN_AGAIN = "No code was sent on. Log in again; if it happens again, the login may be under attack.";
