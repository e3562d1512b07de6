/** The other side of the authorization server's tests: `oauth4webapi`, an independent client, and a user's browser. */
import * as oauth from "oauth4webapi";
import { onTestFinished } from "vitest";
import { startAuthorizationServer, type RunningAuthorizationServer, type StartAuthorizationServerOptions } from "tenon/testing";

/** Our server has no certificate: it listens on this machine alone. */
export const insecure: Pick<oauth.HttpRequestOptions<string>, typeof oauth.allowInsecureRequests> = {
  [oauth.allowInsecureRequests]: true,
};
export const CALLBACK = "http://127.0.0.1:7357/callback";
export const RESOURCE = "https://mcp.example/mcp";

/** A server that is closed when the test has finished. */
export async function start(options?: StartAuthorizationServerOptions): Promise<RunningAuthorizationServer> {
  const server = await startAuthorizationServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** The server's metadata, as an independent client finds and checks it. */
export async function discover(
  { issuer }: { issuer: string },
  algorithm: "oauth2" | "oidc" = "oauth2",
): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { algorithm, ...insecure }));
}

/** Registers a public native client, or one of other metadata. */
export async function register(as: oauth.AuthorizationServer, metadata: Partial<oauth.Client> = {}): Promise<oauth.Client> {
  const response = await oauth.dynamicClientRegistrationRequest(
    as,
    {
      client_name: "A client",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
      application_type: "native",
      ...metadata,
    },
    insecure,
  );
  return oauth.processDynamicClientRegistrationResponse(response);
}

export interface Authorization {
  readonly as: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly verifier: string;
  /** Where the user was sent back to. */
  readonly callback: URL;
}

/** A user who is sent to the server and back. `parameters` are added to the request; undefined takes one away. */
export async function authorize(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  parameters: Record<string, string | undefined> = {},
): Promise<Authorization> {
  const verifier = oauth.generateRandomCodeVerifier();
  const url = await authorizationUrl(as, client, verifier, parameters);
  return { as, client, verifier, callback: await visit(url) };
}

export async function authorizationUrl(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  verifier: string,
  parameters: Record<string, string | undefined> = {},
): Promise<URL> {
  const url = new URL(as.authorization_endpoint!);
  const all: Record<string, string | undefined> = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    state: "the state",
    scope: "read write",
    resource: RESOURCE,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Where a page leads at once. */
export async function visit(url: URL | string): Promise<URL> {
  const response = await fetch(url, { redirect: "manual" });
  const location = response.headers.get("location");
  if (location === null) throw new Error(`No redirect but ${response.status}: ${await response.text()}`);
  return new URL(location);
}

/** The code for tokens. */
export async function exchange(
  { as, client, verifier, callback }: Authorization,
  authentication: oauth.ClientAuth = oauth.None(),
  options: oauth.TokenEndpointRequestOptions = {},
): Promise<oauth.TokenEndpointResponse> {
  const parameters = oauth.validateAuthResponse(as, client, callback, "the state");
  const response = await oauth.authorizationCodeGrantRequest(as, client, authentication, parameters, CALLBACK, verifier, {
    additionalParameters: { resource: RESOURCE },
    ...insecure,
    ...options,
  });
  return oauth.processAuthorizationCodeResponse(as, client, response);
}

/** Tokens of a new public client. */
export async function logIn(
  as: oauth.AuthorizationServer,
): Promise<{ client: oauth.Client; tokens: oauth.TokenEndpointResponse }> {
  const client = await register(as);
  return { client, tokens: await exchange(await authorize(as, client)) };
}

export async function refresh(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  token: string,
  parameters: Record<string, string> = {},
): Promise<oauth.TokenEndpointResponse> {
  const options = { additionalParameters: parameters, ...insecure };
  const response = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, options);
  return oauth.processRefreshTokenResponse(as, client, response);
}

/** What a form is answered with, whatever it is. */
export async function post(
  url: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: typeof form === "string" ? form : new URLSearchParams(form).toString(),
    redirect: "manual",
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>; // the tests look at its members one by one
  } catch {
    return {};
  }
}
