/**
 * A protected endpoint on a real socket, and tokens for it. What a token is worth is looked up in a table here; tests of
 * keys and of introspection have a real authorization server.
 */
import { onTestFinished } from "vitest";
import type { McpServer, JsonObject, McpServerOptions } from "tenon";
import { bearer, type EndpointAuth, type BearerOptions, type VerifiedToken } from "tenon/auth";
import { serveHttp, type ServeHttpOptions } from "tenon/node";
import { exchange, initialize, mirrored, serve, statelessBody, type Received, type Sent, type Served } from "../http/support.ts";
import { testServer } from "../support/test-server.ts";

export const ISSUER = "https://login.example";
export const AUDIENCE = "https://mcp.example/mcp";
export const METADATA_URL = "https://mcp.example/.well-known/oauth-protected-resource/mcp";
export const STATEFUL = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export type Revision = (typeof STATEFUL)[number] | "2026-07-28";
export const REVISIONS: readonly Revision[] = [...STATEFUL, "2026-07-28"];

/** Of three people, two issuers and two programs; `read` and `write` are scopes. */
export const TOKENS: Record<string, VerifiedToken> = {
  ann: { audience: AUDIENCE, subject: "ann", clientId: "app", scopes: ["read", "write"] },
  "ann-again": { audience: AUDIENCE, subject: "ann", clientId: "app", scopes: ["read"] },
  "ann-elsewhere": { audience: AUDIENCE, subject: "ann", clientId: "other app", scopes: ["read", "write"] },
  "ann-of-b": { issuer: "https://b.example", audience: AUDIENCE, subject: "ann", clientId: "app", scopes: ["read", "write"] },
  /** A program without a user. */
  robot: { audience: AUDIENCE, clientId: "app", scopes: ["read", "write"] },
  bob: { audience: AUDIENCE, subject: "bob", clientId: "app", scopes: ["read", "write"] },
  reader: { audience: AUDIENCE, subject: "ann", clientId: "app", scopes: ["read"] },
  nothing: { audience: AUDIENCE, subject: "ann", clientId: "app" },
};

/** Takes the tokens of the table. */
export function authorizer(options: Partial<BearerOptions> = {}, tokens: Record<string, VerifiedToken> = TOKENS): EndpointAuth {
  return bearer({
    issuer: [ISSUER, "https://b.example"],
    audience: AUDIENCE,
    verify: (token) => {
      const known = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
      return known && { issuer: ISSUER, ...known };
    },
    ...options,
  });
}

export interface Seen {
  /** Tools that were called. */
  readonly calls: string[];
  /** What the endpoint reported. */
  readonly errors: Error[];
}

/** A server whose tools count that they were called, and say who called them. */
export function server(seen: Seen, options: McpServerOptions = {}): McpServer {
  const made = testServer({ name: "protected", onError: () => undefined, ...options });
  made.tool("who", {}, (_input, ctx) => {
    seen.calls.push("who");
    return JSON.stringify({ auth: ctx.auth ?? null, principal: ctx.principal ?? null });
  });
  return made;
}

export interface Protected extends Served, Seen {
  /** Calls a tool with a token, in the way of a revision. */
  readonly call: (revision: Revision, token: string | undefined, name: string, args?: JsonObject) => Promise<Received>;
  /** Sends any request with a token, in the way of a revision. */
  readonly ask: (revision: Revision, token: string | undefined, method: string, params?: JsonObject) => Promise<Received>;
}

export function bearing(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Serves until the test has finished. */
export async function protect(
  options: ServeHttpOptions = {},
  define: (server: McpServer, seen: Seen) => void = () => undefined,
  serverOptions: McpServerOptions = {},
): Promise<Protected> {
  const seen: Seen = { calls: [], errors: [] };
  const defined = server(seen, serverOptions);
  define(defined, seen);
  const http = await serve(defined, { auth: authorizer(), onError: (error) => void seen.errors.push(error), ...options });
  const ask: Protected["ask"] = async (revision, token, method, params = {}) => {
    if (revision === "2026-07-28") return http.post(method, params, bearing(token));
    const opened = await http.raw({ body: initialize(revision), headers: bearing(token) });
    if (opened.status !== 200) return opened;
    const headers = {
      ...bearing(token),
      "mcp-session-id": String(opened.headers["mcp-session-id"]),
      "mcp-protocol-version": revision,
    };
    await http.raw({ headers, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    return http.raw({ headers, body: { jsonrpc: "2.0", id: 2, method, params } });
  };
  return {
    ...http,
    ...seen,
    ask,
    call: (revision, token, name, args = {}) => ask(revision, token, "tools/call", { name, arguments: args }),
  };
}

/** What a tool said, wherever the response carries it. */
export function said({ text, messages, headers }: Received): string {
  const answer = headers["content-type"] === "text/event-stream" ? messages.at(-1)! : (JSON.parse(text) as JsonObject);
  return (answer["result"] as { content: { text: string }[] }).content[0]!.text;
}

export function challengesOf({ headers }: Received): string {
  return headers["www-authenticate"] ?? "";
}

export { exchange, initialize, mirrored, onTestFinished, serveHttp, statelessBody, type Received, type Sent };
