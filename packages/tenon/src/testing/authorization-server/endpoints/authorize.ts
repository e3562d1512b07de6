/**
 * The authorization endpoint: the code grant with PKCE (OAuth 2.1, RFC 7636), `iss` in every response (RFC 9207) and `resource` (RFC
 * 8707). An unknown client or redirect URI is shown to the user and never redirected to.
 */
import { allowsRedirect, type RegisteredClient } from "../clients/client-metadata.ts";
import { findClient } from "../clients/client-documents.ts";
import { consentPage, takeConsent } from "./consent.ts";
import type { EndpointResponse, Exchange } from "../exchange.ts";
import { OAuthError } from "../oauth-error.ts";
import { Parameters } from "../parameters.ts";
import { allowedResources, allowedScopes } from "../tokens/permissions.ts";
import { newSecret, type GrantedAccess, type ServerState } from "../state.ts";

interface AuthorizationRequest {
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  readonly parameters: Parameters;
}

export async function handleAuthorize(state: ServerState, exchange: Exchange): Promise<EndpointResponse> {
  if (exchange.method === "POST") return handleConsent(state, exchange);
  const request = await identify(state, exchange.parameters);
  return orRedirectError(state, request, () => {
    if (exchange.refusal !== undefined) throw exchange.refusal;
    const grant = toGrant(state, request);
    if (state.settings.consent === "page" && request.parameters.get("prompt") !== "none") {
      const { client, redirectUri } = request;
      const rows = [["Sent back to", redirectUri]] as const;
      return consentPage(state, { endpoint: "authorize", client, grant, rows, resume: exchange.url.search, leadsTo: redirectUri });
    }
    return decide(state, request, grant, state.settings.consent === "approve");
  });
}

async function handleConsent(state: ServerState, exchange: Exchange): Promise<EndpointResponse> {
  const query = takeConsent(state, exchange, "authorize");
  const request = await identify(state, new Parameters(new URLSearchParams(query)));
  const approved = exchange.parameters.get("decision") === "approve";
  // 303 makes the browser follow with GET (RFC 9110 section 15.4.4).
  return { ...orRedirectError(state, request, () => decide(state, request, toGrant(state, request), approved)), status: 303 };
}

/** Finds the client and its redirect URI. @throws OAuthError that is shown to the user, because there is no valid redirect URI */
async function identify(state: ServerState, parameters: Parameters): Promise<AuthorizationRequest> {
  parameters.assertNoneRepeated();
  const client = await findClient(state, parameters.required("client_id"));
  if (client === undefined) throw new OAuthError("invalid_request", 'Parameter "client_id" names no client of this server');
  const redirectUri = parameters.get("redirect_uri") ?? (client.redirectUris.length === 1 ? client.redirectUris[0]! : undefined);
  if (redirectUri === undefined) throw new OAuthError("invalid_request", 'Parameter "redirect_uri" is missing');
  if (!allowsRedirect(client, redirectUri)) {
    throw new OAuthError("invalid_request", 'Parameter "redirect_uri" is not registered for this client');
  }
  return { client, redirectUri, parameters };
}

/** The requested grant. @throws OAuthError if this server cannot grant it */
function toGrant(state: ServerState, { client, parameters }: AuthorizationRequest): GrantedAccess {
  if (parameters.required("response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", 'Parameter "response_type" must be "code"');
  }
  if ((parameters.get("response_mode") ?? "query") !== "query") {
    throw new OAuthError("invalid_request", 'Parameter "response_mode" must be "query"');
  }
  if (!client.grantTypes.includes("authorization_code")) {
    throw new OAuthError("unauthorized_client", 'The client has not registered the grant "authorization_code"');
  }
  if (parameters.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(parameters.required("code_challenge"))) {
    throw new OAuthError("invalid_request", 'PKCE is required: a "code_challenge" of "code_challenge_method" S256');
  }
  return {
    clientId: client.id,
    subject: state.settings.subject,
    scopes: allowedScopes(state, parameters),
    resources: allowedResources(state, parameters),
    nonce: parameters.get("nonce"),
    revoked: false,
  };
}

function decide(state: ServerState, request: AuthorizationRequest, grant: GrantedAccess, approved: boolean): EndpointResponse {
  if (!approved) throw new OAuthError("access_denied", "The user refused");
  const code = newSecret();
  const challenge = request.parameters.required("code_challenge");
  const key = request.parameters.get("dpop_jkt");
  state.codes.set(code, { grant, redirectUri: request.redirectUri, challenge, key, used: false }, state.settings.codeLifetime);
  return redirectWith(state, request, { code });
}

function orRedirectError(state: ServerState, request: AuthorizationRequest, respond: () => EndpointResponse): EndpointResponse {
  try {
    return respond();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return redirectWith(state, request, { ...error.toJSON() });
  }
}

function redirectWith(
  { ownName }: ServerState,
  { redirectUri, parameters }: AuthorizationRequest,
  added: Record<string, string>,
): EndpointResponse {
  const redirection = new URLSearchParams(added);
  const sent = parameters.get("state");
  if (sent !== undefined) redirection.set("state", sent);
  redirection.set("iss", ownName);
  return { status: 302, redirect: { uri: redirectUri, parameters: redirection } };
}
