/**
 * The providers at which users log in, as real HTTP servers: `oidc-provider`, and one with plain OAuth 2 that behaves as GitHub
 * does.
 */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, vi } from "vitest";
import type { LoginProvider } from "tenon/authorization-server";

/** Listens on a free port of this machine until the test ends. */
export async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

export async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

export function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

const CLIENT = { clientId: "tenon-at-provider", clientSecret: "a secret of the provider" };

export interface OAuthUpstream {
  readonly provider: LoginProvider;
  /** The user of the next login; undefined denies it. */
  user: { readonly id: number | string | null; readonly login: string } | undefined;
  /** How many codes were exchanged. */
  exchanges: number;
  /** The queries of its login page, in order. */
  readonly logins: URLSearchParams[];
  /** The access tokens it has issued. */
  readonly tokens: string[];
}

interface Code {
  readonly user: object;
  readonly challenge: string;
  readonly redirect: string;
}

/**
 * A provider like GitHub: no discovery, no ID tokens, errors with status 200, users by number. It knows its user and asks
 * nothing.
 */
export async function oauthUpstream(redirectUri: string): Promise<OAuthUpstream> {
  const codes = new Map<string, Code>();
  const users = new Map<string, object>();
  const upstream: OAuthUpstream = {
    provider: undefined as never,
    user: { id: 7, login: "ada" },
    exchanges: 0,
    logins: [],
    tokens: [],
  };
  const routes: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse, url: URL) => unknown>> = {
    "/login/oauth/authorize": (_request, response, { searchParams }) => {
      upstream.logins.push(searchParams);
      const redirect = searchParams.get("redirect_uri") ?? "";
      if (searchParams.get("client_id") !== CLIENT.clientId || redirect !== redirectUri)
        return json(response, 400, { error: "bad client" });
      const back = new URL(redirect);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      const code = randomUUID();
      if (upstream.user === undefined) back.searchParams.set("error", "access_denied");
      else back.searchParams.set("code", code);
      if (upstream.user !== undefined)
        codes.set(code, { user: upstream.user, challenge: searchParams.get("code_challenge") ?? "", redirect });
      return response.writeHead(302, { location: back.href }).end();
    },
    "/login/oauth/access_token": async (request, response) => {
      upstream.exchanges++;
      const form = await bodyOf(request);
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const isClient = form.get("client_id") === CLIENT.clientId && form.get("client_secret") === CLIENT.clientSecret;
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (code === undefined || !isClient || challenge !== code.challenge || form.get("redirect_uri") !== code.redirect)
        return json(response, 200, {
          error: "bad_verification_code",
          error_description: "The code passed is incorrect or expired.",
        });
      const token = `gho_${randomUUID()}`;
      upstream.tokens.push(token);
      users.set(token, code.user);
      return json(response, 200, { access_token: token, scope: "", token_type: "bearer" });
    },
    "/user": (request, response) => {
      const user = users.get((request.headers.authorization ?? "").replace("Bearer ", ""));
      return user === undefined ? json(response, 401, { message: "Bad credentials" }) : json(response, 200, user);
    },
  };
  const origin = await listen((request, response) => {
    const url = new URL(request.url ?? "", "http://localhost");
    const route = routes[url.pathname];
    if (route === undefined) json(response, 404, {});
    else void route(request, response, url);
  });
  const provider = {
    ...CLIENT,
    name: "Codehub",
    issuer: origin,
    authorizationEndpoint: `${origin}/login/oauth/authorize`,
    tokenEndpoint: `${origin}/login/oauth/access_token`,
    userEndpoint: `${origin}/user`,
  };
  return Object.assign(upstream, { provider });
}

interface Package {
  readonly Provider: new (issuer: string, configuration: object) => { callback(): RequestListener };
}

/** A second `oidc-provider`, with its login pages for development. */
export async function openIdUpstream(redirectUri: string): Promise<LoginProvider> {
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockReturnValue(); // it says that it is for tests
  Object.assign(URL, { parse: (text: string, base?: string) => (URL.canParse(text, base) ? new URL(text, base) : null) });
  // @ts-expect-error -- the package has no types
  const { Provider }: Package = await import("oidc-provider");
  let handle: RequestListener = () => undefined;
  const issuer = await listen((request, response) => handle(request, response));
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [redirectUri] }],
    cookies: { keys: ["upstream"] },
    features: { devInteractions: { enabled: true } },
  });
  handle = provider.callback();
  return { ...CLIENT, name: "Example ID", issuer };
}
