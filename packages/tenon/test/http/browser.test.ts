// What a person gets who opens the endpoint in a browser. Programs go by the status, which is the same for both.
import { describe, expect, test } from "vitest";
import { bearer } from "tenon/auth";
import { createFetchHandler, McpServer, type HttpOptions } from "tenon/server";
import { serve } from "./support.ts";

/** As Firefox, Chromium and Safari send it. */
const PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const CANARY = "c4nary<script>";

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly nosniff: string | null;
  readonly challenge: string | null;
  readonly allow: string | null;
  readonly text: string;
}
type Get = (headers: Record<string, string>) => Promise<Answer>;

const server = (): McpServer => new McpServer({ name: CANARY, version: "1" }, { onError: () => undefined });

const EDGES: Record<string, (options: HttpOptions) => Promise<Get>> = {
  node: async (options) => {
    const http = await serve(server(), options);
    return async (headers) => toAnswer(await fetch(`${http.url}?q=${CANARY}`, { headers }));
  },
  fetch: async (options) => {
    const handler = createFetchHandler(server(), options);
    return async (headers) => toAnswer(await handler(new Request(`http://localhost/mcp?q=${CANARY}`, { headers })));
  },
};

async function toAnswer(response: Response): Promise<Answer> {
  const of = (name: string): string | null => response.headers.get(name);
  return {
    status: response.status,
    type: of("content-type"),
    nosniff: of("x-content-type-options"),
    challenge: of("www-authenticate"),
    allow: of("allow"),
    text: await response.text(),
  };
}

const auth = bearer({ issuer: "https://issuer.example", audience: "http://localhost/mcp", verify: () => undefined });
const ENDPOINTS: [string, HttpOptions, Record<string, string>, number][] = [
  ["with sessions", {}, {}, 400],
  ["without sessions", { sessions: false }, {}, 405],
  ["asked in a revision that has POST only [F1.1]", {}, { "mcp-protocol-version": "2026-07-28" }, 405],
  ["with HTTP+SSE, which opens no stream for it", { httpSse: true }, {}, 406],
  ["that is protected", { auth }, {}, 401],
];

describe.each(Object.entries(EDGES))("at the edge of %s", (_edge, start) => {
  test.each(ENDPOINTS)("an endpoint %s says in words what it is", async (_name, options, headers, status) => {
    const get = await start(options);
    const answer = await get({ accept: PAGE, "x-q": CANARY, referer: `http://localhost/${CANARY}`, ...headers });
    expect(answer).toMatchObject({ status, type: "text/plain; charset=utf-8", nosniff: "nosniff" });
    expect(answer.text).toMatch(/MCP server.*\n.*npx tenon list <this address>/);
    expect(answer.text).not.toContain("c4nary");
    expect(answer.challenge === null).toBe(status !== 401);
    expect(answer.allow === null).toBe(status !== 405);
  });

  test.each(ENDPOINTS)("an endpoint %s responds to programs as before", async (_name, options, headers, status) => {
    if (status === 406) return;
    const get = await start(options);
    for (const accept of ["*/*", "text/event-stream", "text/html, text/event-stream", "application/json"]) {
      const answer = await get({ accept, ...headers });
      expect(answer.type, accept).toBe("application/json");
      expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
    }
  });

  test("a page of another origin can read that it is refused, and why [rule R1]", async () => {
    const get = await start({});
    const answer = await get({ accept: PAGE, origin: "https://evil.example" });
    expect(answer).toMatchObject({ status: 403, type: "application/json" });
    expect(answer.text).toContain("allowedOrigins");
  });
});
