/**
 * A company for tests of credentials: an identity provider (`oidc-provider`) with users and programs, protected servers, and a
 * gateway. Everything runs on loopback sockets, and is closed when the test has finished.
 */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from "jose";
import { onTestFinished, vi } from "vitest";
import { connect, McpServer, type Client, type ConnectOptions } from "tenon";
import { bearer } from "tenon/auth";
import { createGateway, type Gateway, type GatewayOptions } from "tenon/gateway";
import { toNodeHandler } from "tenon/node";
import { testServer } from "../support/test-server.ts";

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
/** The grant of exchanges in the form of Microsoft Entra ID. */
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** The gateway's own client at the identity provider. */
export const GATEWAY_CLIENT = { id: "gateway", secret: "gateway-secret" };

/** What is used of the package, which has no types. */
interface Model {
  save(): Promise<string>;
}
interface Oidc {
  callback(): RequestListener;
  registerGrantType(
    name: string,
    handle: (ctx: OidcContext) => Promise<void>,
    parameters: readonly string[],
    repeated: readonly string[],
  ): void;
  readonly Client: { find(id: string): Promise<object | undefined> };
  readonly ResourceServer: new (url: string, settings: object) => object;
  readonly AccessToken: new (settings: object) => Model & { resourceServer?: object };
  readonly Grant: new (
    settings: object,
  ) => Model & { addResourceScope(resource: string, scope: string): void; addOIDCScope(scope: string): void };
}
interface OidcContext {
  body?: unknown;
  status: number;
  readonly oidc: { readonly params: Record<string, string>; readonly client: { readonly clientId: string } };
}
interface Package {
  readonly default: new (issuer: string, configuration: object) => Oidc;
}

/** A request that reached a socket. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Something that listens on loopback, with all that was sent to it. */
export interface Site {
  readonly origin: string;
  readonly seen: Seen[];
  handle: RequestListener;
}

/** Listens on a free port. */
export async function site(): Promise<Site> {
  const seen: Seen[] = [];
  const made: { origin: string; seen: Seen[]; handle: RequestListener } = {
    origin: "",
    seen,
    handle: (_, response) => void response.writeHead(404).end(),
  };
  const listener = createServer(record);
  function record(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    const push = request.push.bind(request);
    request.push = (chunk: Buffer | null, ...more) => {
      if (chunk !== null) chunks.push(chunk);
      return push(chunk, ...more);
    };
    const { method = "", url = "", headers } = request;
    seen.push({
      method,
      path: url,
      headers,
      get body(): string {
        return Buffer.concat(chunks).toString();
      },
    });
    made.handle(request, response);
  }
  await new Promise<void>((resolve) => {
    listener.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  made.origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`; // it listens on a port
  return made;
}

/** The identity provider of the company. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly site: Site;
  /** The token requests of a grant, by their parameters. */
  readonly asked: (grant: string) => Record<string, string>[];
  /** A token of a user, for a program and a resource. */
  readonly token: (user: string, resource: string, options?: { client?: string; scope?: string }) => Promise<string>;
  /** Whether the token exchange refuses, and how. */
  refuses: string | undefined;
  /** Seconds that exchanged tokens are valid. */
  lifetime: number;
}

const SCOPES = "read write";

/** @param redirects where the gateway's pages are, if browsers log in here */
export async function identityProvider(redirects: readonly string[] = []): Promise<IdentityProvider> {
  // Node has it since 22.1, and the package counts on it.
  Object.assign(URL, { parse: (text: string, base?: string) => (URL.canParse(text, base) ? new URL(text, base) : null) });
  // It says what to change before it is used for more than a test.
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockReturnValue();
  // @ts-expect-error -- the package has no types
  const { default: OidcProvider }: Package = await import("oidc-provider");
  const at = await site();
  const issuer = at.origin;
  const settingsOf = (lifetime: number): object => ({ scope: SCOPES, accessTokenFormat: "jwt", accessTokenTTL: lifetime });
  const client = (id: string, grants: readonly string[], redirects: readonly string[] = []): object => ({
    client_id: id,
    client_secret: `${id}-secret`,
    grant_types: grants,
    redirect_uris: redirects,
    response_types: redirects.length === 0 ? [] : ["code"],
  });
  const state = { refuses: undefined as string | undefined, lifetime: 600 };
  const provider = new OidcProvider(issuer, {
    scopes: [...SCOPES.split(" "), "offline_access"],
    cookies: { keys: ["test"] },
    clientBasedCORS: () => false,
    clients: [
      client(
        "gateway",
        ["client_credentials", TOKEN_EXCHANGE, JWT_BEARER, ...(redirects.length === 0 ? [] : ["authorization_code"])],
        redirects,
      ),
      client("ide", []),
      client("chat", []),
    ],
    features: {
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo: () => settingsOf(600), useGrantedResource: () => true },
    },
  });

  async function issue(
    user: string,
    clientId: string,
    { resource, scope, lifetime = 600 }: { resource: string; scope: string; lifetime?: number },
  ): Promise<string> {
    const grant = new provider.Grant({ accountId: user, clientId });
    grant.addResourceScope(resource, scope);
    const grantId = await grant.save();
    const token = new provider.AccessToken({
      accountId: user,
      client: await provider.Client.find(clientId),
      grantId,
      gty: "authorization_code",
      scope,
    });
    token.resourceServer = new provider.ResourceServer(resource, settingsOf(lifetime));
    return token.save();
  }

  async function exchange(ctx: OidcContext): Promise<void> {
    const { params, client: by } = ctx.oidc;
    const keys = createLocalJWKSet((await (await fetch(`${issuer}/jwks`)).json()) as JSONWebKeySet);
    const token = params["requested_token_use"] === "on_behalf_of" ? params["assertion"] : params["subject_token"];
    const subject = await jwtVerify(token ?? "", keys, { issuer }).catch(() => undefined);
    const error = state.refuses ?? (subject === undefined ? "invalid_grant" : undefined);
    ctx.status = error === undefined ? 200 : 400;
    if (error !== undefined) {
      ctx.body = { error };
      return;
    }
    const scope = params["scope"] ?? "read";
    const { lifetime } = state;
    const access_token = await issue(subject!.payload.sub!, by.clientId, { resource: params["resource"]!, scope, lifetime });
    ctx.body = {
      access_token,
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: lifetime,
      scope,
    };
  }
  const parameters = [
    "subject_token",
    "subject_token_type",
    "requested_token_type",
    "audience",
    "resource",
    "scope",
    "actor_token",
    "actor_token_type",
  ];
  provider.registerGrantType(TOKEN_EXCHANGE, exchange, parameters, []);
  provider.registerGrantType(JWT_BEARER, exchange, ["assertion", "requested_token_use", "audience", "resource", "scope"], []);
  at.handle = provider.callback();
  const asked = (grant: string): Record<string, string>[] =>
    at.seen
      .filter(({ path }) => path === "/token")
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
      .filter(({ grant_type }) => grant_type === grant);
  return Object.assign(state, {
    issuer,
    site: at,
    asked,
    token: (user: string, resource: string, { client: by = "ide", scope = SCOPES }: { client?: string; scope?: string } = {}) =>
      issue(user, by, { resource, scope }),
  });
}

/** A protected server of the company. */
export interface CompanyServer {
  readonly url: string;
  readonly site: Site;
  readonly mcp: McpServer;
  /** The bearer tokens that were presented, each once. */
  readonly tokens: () => string[];
}

/** A server that says who calls it. */
export function whoServer(name: string): McpServer {
  const server = testServer({ name });
  let calls = 0;
  server.tool("who", {}, (_, ctx) => `${ctx.auth?.subject ?? "nobody"} by ${ctx.auth?.clientId ?? "no client"}`);
  server.tool("count", {}, () => String(++calls));
  server.tool("write", { scopes: ["write"] }, (_, ctx) => `written by ${ctx.auth?.subject ?? "nobody"}`);
  server.resource("note://own", {}, (_, ctx) => `note of ${ctx.auth?.subject ?? "nobody"}`);
  server.prompt("greet", {}, (_, ctx) => `greet ${ctx.auth?.subject ?? "nobody"}`);
  return server;
}

/** Protects a server by tokens of the identity provider. */
export async function companyServer(issuer: string, mcp: McpServer = whoServer("upstream")): Promise<CompanyServer> {
  const at = await site();
  const url = `${at.origin}/mcp`;
  const handler = toNodeHandler(mcp, { auth: bearer({ issuer, audience: url, scopesSupported: ["read"], cacheTtl: 0 }) });
  at.handle = handler;
  onTestFinished(() => handler.close());
  const tokens = (): string[] => [
    ...new Set(at.seen.flatMap(({ headers }) => headers.authorization?.replace(/^Bearer /, "") ?? [])),
  ];
  return { url, site: at, mcp, tokens };
}

/** A gateway at a URL, for callers with tokens of the identity provider. */
export interface ServedGateway {
  readonly url: string;
  readonly site: Site;
  readonly gateway: Gateway;
  /** What was reported to the operator. */
  readonly reported: Error[];
}

/**
 * @param optionsFor makes the options with the origin of the gateway
 * @param place where it is served. Default: a new place
 */
export async function companyGateway(
  issuer: string,
  optionsFor: (origin: string) => GatewayOptions,
  place?: Site,
): Promise<ServedGateway> {
  const at = place ?? (await site());
  const reported: Error[] = [];
  const gateway = createGateway({
    readyTimeout: 60_000,
    onError: (error) => void reported.push(error),
    ...optionsFor(at.origin),
  });
  const url = `${at.origin}/mcp`;
  const handler = toNodeHandler(gateway, { auth: bearer({ issuer, audience: url, cacheTtl: 0 }) });
  at.handle = handler;
  onTestFinished(async () => {
    await gateway.close();
    await handler.close();
  });
  return { url, site: at, gateway, reported };
}

/** A client of the gateway with that token; closed when the test has finished. */
export async function clientWith(url: string, token: string, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect({ url, headers: { authorization: `Bearer ${token}` } }, options);
  onTestFinished(() => client.close());
  return client;
}

/** A page that a browser has come to. */
export interface Visited {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

/** A browser of one user, who logs in everywhere under that name and presses the first button, or the one that is named. */
export class Browser {
  readonly #user: string;
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Every URL it was at. */
  readonly history: string[] = [];
  /** The origin of a provider at whose login page the user presses "Cancel". */
  cancelsAt: string | undefined;

  constructor(user: string) {
    this.#user = user;
  }

  /** Goes to a page and wherever it leads. @param choice the button of the gateway's pages; empty to stop at their first form */
  async visit(start: string, choice = "allow"): Promise<Visited> {
    let [url, body]: [string, string | undefined] = [start, undefined];
    for (let steps = 0; steps < 30; steps++) {
      const from = new URL(url).origin;
      const response: Response = await fetch(url, {
        redirect: "manual",
        headers: {
          cookie: this.#cookieFor(from),
          ...(body !== undefined && { origin: from, "content-type": "application/x-www-form-urlencoded" }),
        },
        ...(body !== undefined && { method: "POST", body }),
      });
      this.history.push(url);
      this.#keep(from, response.headers.getSetCookie());
      const text = await response.text();
      const location: string | null = response.headers.get("location");
      const cancel = from === this.cancelsAt ? /href="([^"]*\/abort)"/.exec(text)?.[1] : undefined;
      const next = location ?? cancel;
      if (next !== undefined) [url, body] = [new URL(next, url).href, undefined];
      else if (text.includes("<form") && !(choice === "" && text.includes('name="choice"')))
        [url, body] = this.#filledIn(text, url, choice);
      else return { status: response.status, url, text, headers: response.headers };
    }
    throw new Error("The pages lead nowhere");
  }

  /** Presses a button of the form of a page. @param typed what the user has typed into its fields */
  async press({ text, url }: Visited, choice: string, typed: Readonly<Record<string, string>> = {}): Promise<Visited> {
    const [action, filled] = this.#filledIn(text, url, choice);
    const form = [filled, ...(Object.keys(typed).length === 0 ? [] : [new URLSearchParams(typed).toString()])].join("&");
    const from = new URL(action).origin;
    const headers = { cookie: this.#cookieFor(from), origin: from, "content-type": "application/x-www-form-urlencoded" };
    const response = await fetch(action, { method: "POST", body: form, redirect: "manual", headers });
    this.#keep(from, response.headers.getSetCookie());
    const location = response.headers.get("location");
    if (location !== null) return this.visit(new URL(location, action).href, choice);
    return { status: response.status, url: action, text: await response.text(), headers: response.headers };
  }

  #cookieFor(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(origin: string, set: readonly string[]): void {
    const mine = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, mine);
    for (const cookie of set) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") mine.delete(name);
      else mine.set(name, value);
    }
  }

  #filledIn(html: string, page: string, choice: string): [url: string, form: string] {
    const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? page;
    const fields = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => {
      const name = /name="([^"]*)"/.exec(input)?.[1] ?? "";
      return [name, (/value="([^"]*)"/.exec(input)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&")] as const;
    });
    const form = new URLSearchParams(
      [...fields, ["login", this.#user], ["password", "x"]].map(([name, value]) => [name!, value!]),
    );
    if (html.includes('name="choice"')) form.set("choice", choice);
    return [new URL(action, page).href, form.toString()];
  }
}
