/** The Server Card of an endpoint and the catalog of its domain, on Node's server and as a function of `fetch`. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { bearer } from "tenon/auth";
import { SUPPORTED_PROTOCOL_VERSIONS } from "tenon";
import { createFetchHandler, McpServer, type HttpOptions, type ServerCardOptions } from "tenon/server";
import { serve } from "./support.ts";

// The official schema of 16 September 2026 (modelcontextprotocol/experimental-ext-server-card), without its texts.
const official = JSON.parse(readFileSync(new URL("fixtures/server-card.schema.json", import.meta.url), "utf8")) as object;
const validate = new Ajv2020({ strict: false }).compile({ ...official, $ref: "#/$defs/ServerCard" });

const CARD: ServerCardOptions = {
  name: "com.example/weather",
  description: "Weather",
  url: "https://example.com/mcp",
  catalog: true,
};
const CATALOG = "/.well-known/ai-catalog.json";
const server = (): McpServer => new McpServer({ name: "weather", version: "1.2.3", title: "Weather" });

interface Got {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | null;
}
type Get = (path: string, headers?: Record<string, string>, method?: string) => Promise<Got>;

/** Serves on a real socket. */
async function onSocket(options: HttpOptions & { path?: string }): Promise<Get> {
  const { raw } = await serve(server(), options);
  return async (path, headers = {}, method = "GET") => {
    const response = await raw({ method, path, headers: { accept: undefined, ...headers } });
    const header = (name: string): string | null => (response.headers[name.toLowerCase()] as string | undefined) ?? null;
    return { status: response.status, text: response.text, header };
  };
}

/** Serves as a function from `Request` to `Response`. */
async function asFetch({ path: _path, ...options }: HttpOptions & { path?: string }): Promise<Get> {
  const handle = createFetchHandler(server(), options);
  onTestFinished(() => handle.close());
  return Promise.resolve(async (path, headers = {}, method = "GET") => {
    const { host = "localhost", ...others } = headers;
    const response = await handle(new Request(`http://${host}${path}`, { method, headers: others }));
    return { status: response.status, text: await response.text(), header: (name) => response.headers.get(name) };
  });
}

describe.each([
  ["on Node's server", onSocket],
  ["as a function of fetch", asFetch],
])("a Server Card %s", (_how, open) => {
  test("has what the official schema asks for, and the facts of the server", async () => {
    const get = await open({
      card: {
        ...CARD,
        websiteUrl: "https://example.com",
        repository: { url: "https://example.com/code", source: "github" },
        headers: [{ name: "X-Api-Key", isRequired: true, isSecret: true }],
        _meta: { "com.example/plan": "free" },
      },
    });
    const { status, text, header } = await get("/mcp/server-card");
    const card = JSON.parse(text) as Record<string, unknown>;
    expect(status).toBe(200);
    expect(header("content-type")).toBe("application/mcp-server-card+json");
    expect(validate(card), JSON.stringify(validate.errors)).toBe(true);
    expect(card).toMatchObject({
      name: "com.example/weather",
      version: "1.2.3",
      title: "Weather",
      description: "Weather",
      remotes: [
        { type: "streamable-http", url: "https://example.com/mcp", supportedProtocolVersions: SUPPORTED_PROTOCOL_VERSIONS },
      ],
    });
  });

  test("is in the catalog of its domain", async () => {
    const get = await open({ card: CARD });
    const { text, header } = await get(CATALOG);
    expect(header("content-type")).toBe("application/ai-catalog+json");
    expect(JSON.parse(text)).toEqual({
      specVersion: "1.0",
      entries: [
        {
          identifier: "urn:air:example.com:mcp:weather",
          type: "application/mcp-server-card+json",
          url: "https://example.com/mcp/server-card",
        },
      ],
    });
  });

  test("can be cached and checked again by its tag", async () => {
    const get = await open({ card: CARD });
    const first = await get("/mcp/server-card");
    const tag = first.header("etag")!;
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(first.header("cache-control")).toBe("public, max-age=3600");
    for (const known of [tag, `"other", W/${tag}`, "*"]) {
      const again = await get("/mcp/server-card", { "if-none-match": known });
      expect([again.status, again.text, again.header("etag")]).toEqual([304, "", tag]);
    }
    expect((await get("/mcp/server-card", { "if-none-match": '"other"' })).status).toBe(200);
    expect((await get(CATALOG)).header("etag")).not.toBe(tag);
  });

  test("every page may read it, but a wrong host gets nothing", async () => {
    const get = await open({ card: CARD });
    const page = await get("/mcp/server-card", { origin: "https://evil.example" });
    expect([page.status, page.header("access-control-allow-origin"), page.header("access-control-expose-headers")]).toEqual([
      200,
      "*",
      "ETag",
    ]);
    const preflight = await get("/mcp/server-card", { origin: "https://evil.example" }, "OPTIONS");
    expect([preflight.status, preflight.header("access-control-allow-headers")]).toEqual([204, "Content-Type, If-None-Match"]);
    expect((await get("/mcp/server-card", { host: "rebound.example" })).status).toBe(421);
    expect((await get("/mcp", { origin: "https://evil.example" })).status).toBe(403);
  });

  test("answers HEAD without a body, and refuses other methods and media types", async () => {
    const get = await open({ card: CARD });
    const head = await get("/mcp/server-card", {}, "HEAD");
    expect([head.status, head.text, head.header("content-type")]).toEqual([200, "", "application/mcp-server-card+json"]);
    const posted = await get("/mcp/server-card", { "content-type": "application/json" }, "POST");
    expect([posted.status, posted.header("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect((await get("/mcp/server-card", { accept: "text/html" })).status).toBe(406);
    for (const accept of ["application/json", "application/mcp-server-card+json;q=0.9, text/html", "*/*"]) {
      expect((await get("/mcp/server-card", { accept })).status).toBe(200);
    }
  });

  test("is public behind authorization, and the endpoint is not", async () => {
    const auth = bearer({ issuer: "https://login.example.com", audience: "https://example.com/mcp" });
    const get = await open({ card: CARD, auth });
    expect((await get("/mcp/server-card")).status).toBe(200);
    expect((await get(CATALOG)).status).toBe(200);
    expect((await get("/mcp")).status).toBe(401);
  });

  test("stands before the stream of the endpoint, below every prefix", async () => {
    const get = await open({ path: "/api/v1/mcp", card: { ...CARD, url: "https://example.com/api/v1/mcp", catalog: false } });
    const { status, text } = await get("/api/v1/mcp/server-card?x=1", { accept: "*/*" });
    expect([status, (JSON.parse(text) as { remotes: { url: string }[] }).remotes[0]!.url]).toEqual([
      200,
      "https://example.com/api/v1/mcp",
    ]);
    expect((await get(CATALOG)).status).not.toBe(200);
  });

  test("is not there if the option is not", async () => {
    const get = await open({});
    expect((await get("/mcp/server-card")).status).toBe(open === onSocket ? 404 : 400);
    expect((await get(CATALOG)).text).not.toContain("specVersion");
  });

  test("may have a name of 200 characters, and a description of 100", async () => {
    const card = { ...CARD, name: `com.example/${"x".repeat(188)}`, description: "x".repeat(100) };
    const { status, text } = await (await open({ card }))("/mcp/server-card");
    expect([status, JSON.parse(text)]).toMatchObject([200, { name: card.name, description: card.description }]);
  });

  test.each<[string, Partial<ServerCardOptions>, RegExp]>([
    ["a name without a namespace", { name: "weather" }, /card\.name: "weather" must be like "com\.example\/weather"/],
    ["a name that is too long", { name: `com.example/${"x".repeat(200)}` }, /200 characters at most/],
    ["a description that is too long", { description: "x".repeat(101) }, /card\.description must have 1 to 100 characters/],
    ["an empty description", { description: "" }, /card\.description must have 1 to 100/],
    [
      "a URL that is not https",
      { url: "http://example.com/mcp" },
      /card\.url: "http:\/\/example\.com\/mcp" must be an https: URL/,
    ],
    ["a URL with a password", { url: "https://user:pass@example.com/mcp" }, /must be an https: URL without a user name/],
    ["no URL", { url: "/mcp" }, /card\.url: "\/mcp" must be an https: URL/],
    ["an option that does not exist", { tools: [] } as never, /Unknown option "tools" of "card" of/],
  ])("is refused with %s", async (_what, wrong, error) => {
    await expect((async () => open({ card: { ...CARD, ...wrong } }))()).rejects.toThrow(error);
  });
});

test("another server on the same port has no card on a path of its own", async () => {
  const get = await onSocket({ card: CARD });
  expect((await get("/other/server-card")).status).toBe(404);
});
