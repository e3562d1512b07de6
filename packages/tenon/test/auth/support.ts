/**
 * A protected MCP server and its user, for tests of the client: a real server behind a guard that reads tokens of the test
 * authorization server, and keeps what was sent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLocalJWKSet, jwtVerify, type JWTPayload } from "jose";
import { onTestFinished } from "vitest";
import { connect, type Client } from "tenon";
import { toNodeHandler } from "tenon/node";
import { startAuthorizationServer, type RunningAuthorizationServer, type StartAuthorizationServerOptions } from "tenon/testing";
import { AuthorizationError, oauth, type OAuthProvider, type OpenPage, type UserLoginOptions } from "tenon/auth";
import { testServer } from "../support/test-server.ts";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly dpop: string | undefined;
  readonly status: number;
}

/** What the guard does; may be changed between two requests. */
export interface Guarding {
  /** Awaited before a request to the MCP endpoint is judged. */
  before?: (() => Promise<void>) | undefined;
  /** Answers in the server's place, where it returns true. */
  instead?: ((request: IncomingMessage, response: ServerResponse, body: string) => boolean) | undefined;
  /** Parameters of a 401, beside `resource_metadata`. Default none. */
  challenge: string;
  /** Scopes a JSON-RPC method needs. */
  needs: Readonly<Record<string, readonly string[]>>;
  /** The resource metadata; undefined for none. */
  metadata: Record<string, unknown> | undefined;
  /** Tokens that count as expired. */
  readonly expired: Set<string>;
  /** Whose tokens are read. */
  trusted: RunningAuthorizationServer;
}

export interface ProtectedServer {
  readonly url: string;
  readonly origin: string;
  readonly guarding: Guarding;
  /** Everything that was asked of it, in order. */
  readonly sent: Sent[];
  /** The tokens that were presented, each once. */
  readonly tokens: () => string[];
}

/** An MCP server with two tools, at `/mcp`, that is closed when the test has finished. */
export async function protect(trusted: RunningAuthorizationServer, path = "/mcp"): Promise<ProtectedServer> {
  const mcp = testServer({ name: "protected" });
  mcp.tool("echo", { input: { type: "object" } }, (args) => JSON.stringify(args));
  const handle = toNodeHandler(mcp);
  const sent: Sent[] = [];
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await mcp.close?.();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}${path}`;
  const metadata = { resource: url, authorization_servers: [trusted.issuer] };
  const guarding: Guarding = { challenge: "", needs: {}, metadata, expired: new Set(), trusted };
  const wellKnown = `/.well-known/oauth-protected-resource${path}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: requested = "", headers } = request;
    const body = await bodyOf(request);
    response.once("finish", () => {
      const { authorization, dpop } = headers;
      // a single header
      sent.push({ method, path: requested, authorization, dpop: dpop as string | undefined, status: response.statusCode });
    });
    if (guarding.instead?.(request, response, body) === true) return;
    if (requested === wellKnown && guarding.metadata !== undefined) return json(response, 200, guarding.metadata);
    if (requested !== path) return json(response, 404, {});
    await guarding.before?.();
    const refusal = await refuse(headers.authorization, body);
    if (refusal === undefined) return handle(withBody(request, body), response);
    response.setHeader("www-authenticate", refusal.challenge);
    return json(response, refusal.status, { error: "refused" });
  }

  async function refuse(
    authorization: string | undefined,
    body: string,
  ): Promise<{ status: number; challenge: string } | undefined> {
    const token = /^(?:Bearer|DPoP) (.+)$/.exec(authorization ?? "")?.[1];
    const named = guarding.metadata === undefined ? [] : [`resource_metadata="${origin}${wellKnown}"`];
    const more = guarding.challenge === "" ? [] : [guarding.challenge];
    const claims = token === undefined || guarding.expired.has(token) ? undefined : await verify(guarding.trusted, token);
    if (claims === undefined) {
      return {
        status: 401,
        challenge: ["Bearer", [...named, ...more, ...(token === undefined ? [] : ['error="invalid_token"'])].join(", ")].join(
          " ",
        ),
      };
    }
    const needed = guarding.needs[methodOf(body)] ?? [];
    const granted = typeof claims["scope"] === "string" ? claims["scope"].split(" ") : [];
    if (needed.every((scope) => granted.includes(scope))) return undefined;
    return {
      status: 403,
      challenge: `Bearer ${[...named, 'error="insufficient_scope"', `scope="${needed.join(" ")}"`].join(", ")}`,
    };
  }

  const tokens = (): string[] => [
    ...new Set(sent.flatMap(({ authorization }) => (authorization === undefined ? [] : [authorization.replace(/^\w+ /, "")]))),
  ];
  return { url, origin, guarding, sent, tokens };
}

function methodOf(body: string): string {
  return body === "" ? "" : String((JSON.parse(body) as { method?: unknown }).method);
}

async function verify(trusted: RunningAuthorizationServer, token: string): Promise<JWTPayload | undefined> {
  const keys = createLocalJWKSet(await trusted.jwks());
  return jwtVerify(token, keys, { issuer: trusted.issuer }).then(
    ({ payload }) => payload,
    () => undefined,
  );
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** What frameworks that read bodies hand over. */
function withBody(request: IncomingMessage, body: string): IncomingMessage {
  return Object.assign(request, body === "" ? {} : { body: JSON.parse(body) as unknown });
}

/** A test authorization server that is closed when the test has finished. */
export async function authorizationServer(options?: StartAuthorizationServerOptions): Promise<RunningAuthorizationServer> {
  const server = await startAuthorizationServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** A user with a browser: goes to the page and wherever it leads, back to the program in the end. */
export const browse: OpenPage = async (page, signal) => {
  await (await fetch(page, { signal })).text();
};

/** A login with that browser. */
export function login(options: UserLoginOptions = {}): OAuthProvider {
  return oauth({ open: browse, ...options });
}

/** What the authorization server was asked for at an endpoint. */
export function asked(
  server: RunningAuthorizationServer,
  endpoint: string,
  grant?: string,
): RunningAuthorizationServer["requests"] {
  return server.requests.filter(
    (request) => request.endpoint === endpoint && (grant === undefined || request.parameters["grant_type"] === grant),
  );
}

/** A client of that server, whose user logs in where it is needed; closed when the test has finished. */
export async function open(server: ProtectedServer, options: UserLoginOptions = {}): Promise<Client> {
  const client = await connect(server.url, { auth: login(options), revision: "2026-07-28" });
  onTestFinished(() => client.close());
  return client;
}

/** The one error such a login fails with. */
export async function loginFailure(server: ProtectedServer, options: UserLoginOptions = {}): Promise<AuthorizationError> {
  const outcome: unknown = await open(server, options).catch((error: unknown) => error);
  if (!(outcome instanceof AuthorizationError)) throw new Error(`Expected an AuthorizationError, got ${String(outcome)}`);
  return outcome;
}

/** What was asked for with the n-th authorization request. */
export function authorization(as: RunningAuthorizationServer, index = 0): Record<string, unknown> {
  return asked(as, "authorize")[index]?.parameters ?? {};
}
