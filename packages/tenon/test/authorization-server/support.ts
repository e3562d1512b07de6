/** A protected MCP server with its authorization server on one port, and a browser made of `fetch`. */
import type { RequestListener } from "node:http";
import { onTestFinished, vi } from "vitest";
import type { OpenPage } from "tenon/auth";
import {
  createAuthorizationServer,
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type LoginProvider,
} from "tenon/authorization-server";
import { toNodeHandler } from "tenon/node";
import { McpServer } from "tenon/server";
import { listen, oauthUpstream, type OAuthUpstream } from "./upstreams.ts";

export interface Site {
  readonly origin: string;
  /** The MCP endpoint. */
  readonly url: string;
  readonly login: AuthorizationServer;
  /** What was reported to the operator. */
  readonly errors: unknown[];
}

export type SiteOptions = Partial<AuthorizationServerOptions> & {
  /** Scopes that every request needs. */
  readonly needs?: readonly string[];
};

/** An address that listens already, and gets its listener later. */
export interface Reserved {
  readonly origin: string;
  readonly serve: (listener: RequestListener) => void;
}

/** Reserves an address until the test ends, because an issuer is named before anything is served. */
export async function reserve(): Promise<Reserved> {
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
  const origin = await listen((request, response) => listener(request, response));
  return { origin, serve: (next) => void (listener = next) };
}

/** Serves notes at `/mcp`, and the login beside it, until the test ends. */
export async function startSite(
  { origin, serve }: Reserved,
  provider: LoginProvider | undefined,
  { needs = ["notes:read"], ...options }: SiteOptions = {},
): Promise<Site> {
  // the library names its Node version
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockReturnValue();
  const errors: unknown[] = [];
  const login = await createAuthorizationServer({
    issuer: origin,
    resource: `${origin}/mcp`,
    scopes: { "notes:read": "Read your notes", "notes:write": "Change your notes" },
    ...(provider !== undefined && { provider }),
    allowUser: () => true,
    onError: (error) => void errors.push(error),
    ...options,
  });
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.tool("whoami", {}, (_input, { auth }) =>
    JSON.stringify({ subject: auth?.subject, scopes: auth?.scopes, claims: auth?.claims }),
  );
  server.tool("write", { scopes: ["notes:write"] }, () => "written");
  const resource = Array.isArray(options.resource) ? String(options.resource[0]) : `${origin}/mcp`;
  const endpoint = toNodeHandler(server, { auth: login.protect({ scopes: needs, resource }) });
  serve((request, response) => {
    if (login.handle(request, response)) return;
    if (/^\/(?:mcp|\.well-known\/oauth-protected-resource.*)$/.test(request.url ?? "")) endpoint(request, response);
    else response.writeHead(404).end();
  });
  onTestFinished(async () => {
    await endpoint.close();
    await server.close();
  });
  return { origin, url: `${origin}/mcp`, login, errors };
}

/** A site whose users log in at a provider like GitHub. */
export async function startOAuthSite(options: SiteOptions = {}): Promise<Site & { readonly upstream: OAuthUpstream }> {
  const reserved = await reserve();
  const upstream = await oauthUpstream(`${reserved.origin}/callback`);
  return { ...(await startSite(reserved, upstream.provider, options)), upstream };
}

export interface Visit {
  readonly status: number;
  readonly url: string;
  readonly html: string;
  readonly headers: Headers;
}

/** A browser: cookies by host and path, redirects, forms. */
export class FetchBrowser {
  readonly #cookies: { readonly name: string; readonly value: string; readonly host: string; readonly path: string }[] = [];
  /** Every URL it was at, in order. */
  readonly visited: string[] = [];

  cookies(host: string): readonly string[] {
    return this.#cookies.filter((cookie) => cookie.host === host).map(({ name }) => name);
  }

  /** Goes to a URL and follows redirects. `until` stops before a URL is fetched. */
  async go(
    to: string,
    {
      until,
      form,
      headers = {},
    }: { until?: (url: string) => boolean; form?: URLSearchParams; headers?: Record<string, string> } = {},
  ): Promise<Visit> {
    for (let url = to, body = form, steps = 0; steps < 20; steps++) {
      this.visited.push(url);
      if (until?.(url) === true) return { status: 0, url, html: "", headers: new Headers() };
      const { host, origin, pathname } = new URL(url);
      const cookie = this.#cookies
        .filter((one) => one.host === host && pathname.startsWith(one.path))
        .map(({ name, value }) => `${name}=${value}`);
      const response = await fetch(url, {
        redirect: "manual",
        headers: { accept: "text/html", cookie: cookie.join("; "), ...(body && { origin }), ...headers },
        ...(body && { method: "POST", body }),
      });
      for (const line of response.headers.getSetCookie()) this.#keep(host, line);
      const location = response.headers.get("location");
      const html = await response.text();
      if (location === null) return { status: response.status, url, html, headers: response.headers };
      [url, body] = [new URL(location, url).href, undefined];
    }
    throw new Error("It leads nowhere");
  }

  #keep(host: string, line: string): void {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const at = pair.indexOf("=");
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
    const cookie = { name: pair.slice(0, at), value: pair.slice(at + 1), host, path };
    const before = this.#cookies.findIndex((one) => one.name === cookie.name && one.host === host && one.path === path);
    if (before >= 0) this.#cookies.splice(before, 1);
    if (cookie.value !== "") this.#cookies.push(cookie);
  }

  /** Presses a button of a consent page. */
  async decide(
    { url, html }: Visit,
    decision: "allow" | "deny",
    options: { until?: (url: string) => boolean } = {},
  ): Promise<Visit> {
    const proof = /name="proof" value="([^"]*)"/.exec(html)?.[1] ?? "";
    return this.go(url, { form: new URLSearchParams({ proof, decision }), ...options });
  }
}

/** Whether a page is the consent page. */
export const isConsent = ({ html }: Visit): boolean => html.includes("Allow access?");

/** A user who allows what is asked and logs in where needed. `seen` receives the consent pages. */
export function user(browser: FetchBrowser = new FetchBrowser(), seen: Visit[] = []): OpenPage {
  return async (page) => {
    let visit = await browser.go(String(page));
    for (let steps = 0; steps < 10; steps++) {
      if (isConsent(visit)) {
        seen.push(visit);
        visit = await browser.decide(visit, "allow");
      } else if (visit.html.includes("<form")) {
        const action = /<form[^>]* action="([^"]*)"/.exec(visit.html)?.[1] ?? visit.url;
        const prompt = /name="prompt" value="([^"]*)"/.exec(visit.html)?.[1] ?? "";
        visit = await browser.go(new URL(action, visit.url).href, {
          form: new URLSearchParams({ prompt, login: "ada", password: "x" }),
        });
      } else return;
    }
  };
}

/** What a client that registered itself gets. */
export interface Registered {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly redirect_uris: readonly string[];
}

export async function register(
  { origin }: Pick<Site, "origin">,
  metadata: object,
): Promise<{ status: number; body: Registered & { error?: string; error_description?: string } }> {
  const response = await fetch(`${origin}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      ...metadata,
    }),
  });
  return { status: response.status, body: (await response.json()) as Registered }; // the server of this test
}

export const VERIFIER = "a-verifier-of-at-least-forty-three-characters-as-it-must-be";
export const CHALLENGE = "sRAfBFD0dkTpKg2dmRz0NxLfCYVJVGJNJ-jJTFHH29g";

/** The login page of a client. */
export function authorizeUrl({ origin }: Pick<Site, "origin">, parameters: Record<string, string>): string {
  const query = new URLSearchParams({
    response_type: "code",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    state: "s1",
    ...parameters,
  });
  return `${origin}/authorize?${query.toString()}`;
}

export async function tokenRequest(
  { origin }: Pick<Site, "origin">,
  form: Record<string, string>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${origin}/token`, { method: "POST", body: new URLSearchParams(form) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // the server of this test
}

export const REDIRECT = "https://app.example.com/callback";

/** A client with one `https:` redirect URI. */
export async function webClient(site: Pick<Site, "origin">, metadata: object = {}): Promise<string> {
  return (await register(site, { client_name: "App", redirect_uris: [REDIRECT], ...metadata })).body.client_id;
}

/** Whether a URL is the client's. */
export const isBack = (url: string): boolean => url.startsWith(REDIRECT) || url.startsWith("http://127.0.0.1:9/");

/** Opens the login page of a client, allows if asked, and ends at the client. */
export async function logIn(
  site: Pick<Site, "origin">,
  browser: FetchBrowser,
  parameters: Record<string, string>,
): Promise<URLSearchParams> {
  const visit = await browser.go(authorizeUrl(site, { redirect_uri: REDIRECT, ...parameters }), { until: isBack });
  const back = isConsent(visit) ? await browser.decide(visit, "allow", { until: isBack }) : visit;
  if (!isBack(back.url)) throw new Error(`The login ended at ${back.url}: ${back.html}`);
  return new URL(back.url).searchParams;
}

/** Exchanges a code. */
export function redeem(
  site: Pick<Site, "origin">,
  clientId: string,
  code: string,
  more: Record<string, string> = {},
): ReturnType<typeof tokenRequest> {
  return tokenRequest(site, {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    ...more,
  });
}

/** Uses a refresh token. */
export function refresh(site: Pick<Site, "origin">, clientId: string, token: unknown): ReturnType<typeof tokenRequest> {
  return tokenRequest(site, { grant_type: "refresh_token", client_id: clientId, refresh_token: String(token) });
}

/** The consent page of a new browser. */
export async function consentOf(
  site: Pick<Site, "origin">,
  client_id: string,
  more: Record<string, string> = {},
): Promise<{ browser: FetchBrowser; page: Visit }> {
  const browser = new FetchBrowser();
  const page = await browser.go(authorizeUrl(site, { client_id, redirect_uri: REDIRECT, ...more }), { until: isBack });
  return { browser, page };
}

/** The callback to which the provider would send a browser that agreed. */
export async function callbackOf(site: Pick<Site, "origin">, browser: FetchBrowser, page: Visit): Promise<string> {
  return (await browser.decide(page, "allow", { until: (url) => url.startsWith(`${site.origin}/callback`) })).url;
}
