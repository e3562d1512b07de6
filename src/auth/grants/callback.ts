/**
 * What an authorization server sent back with the user, checked before anything in it is acted upon (RFC 9207, requirement
 * M4.4, rule R15): the state, the issuer, and only then whether it is an error or a code.
 */
import { AuthorizationError, printableErrorCode } from "../authorization-error.ts";
import type { IssuerMetadata } from "../issuer-metadata.ts";

export interface ExpectedCallback {
  readonly redirectUri: string;
  readonly state: string;
  /** As recorded before the user left. */
  readonly issuer: Pick<IssuerMetadata, "issuer" | "authorization_response_iss_parameter_supported">;
}

/** The authorization code. @throws AuthorizationError; what the server says of its errors is not repeated but for the code */
export function readCallback(parameters: URLSearchParams, { redirectUri, state, issuer }: ExpectedCallback): string {
  const fail = (problem: string): AuthorizationError =>
    new AuthorizationError({ hop: "callback", url: redirectUri, problem, remedy: LOG_IN_AGAIN });
  const one = (name: string): string | undefined => {
    const values = parameters.getAll(name);
    if (values.length > 1) throw fail(`it has "${name}" more than once`);
    return values[0];
  };
  if (one("state") !== state) throw fail('its "state" is not that of this login');
  const iss = one("iss");
  if (iss === undefined && issuer.authorization_response_iss_parameter_supported === true)
    throw fail('it lacks "iss", which the server promised');
  if (iss !== undefined && iss !== issuer.issuer) throw fail("it comes from another authorization server than the one that was asked");
  const error = one("error");
  if (error !== undefined) throw refusalError(redirectUri, error);
  const code = one("code");
  if (code === undefined || code === "") throw fail("it has neither a code nor an error");
  return code;
}

function refusalError(url: string, error: string): AuthorizationError {
  const problem = `the authorization server refused with ${printableErrorCode(error) ?? "an unknown error"}`;
  const remedy = error === "access_denied" ? "The user or a policy refused: ask them, then log in again." : LOG_IN_AGAIN;
  return new AuthorizationError({ hop: "authorization", url, problem, remedy, error });
}

const LOG_IN_AGAIN = "No code was sent on. Log in again; if it stays so, somebody may be meddling with the login.";
