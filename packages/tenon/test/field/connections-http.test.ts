// What clients and proxies of the field send to an endpoint: Accept, slashes, idle connections, headers of pages (F2.9 to F2.12).
import { connect as tcp } from "node:net";
import { McpServer, connect, type JsonObject } from "tenon";
import { bearer } from "tenon/auth";
import { serveHttp, type ServeHttpOptions } from "tenon/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { closing } from "../support/matrix.ts";

function echo(): McpServer {
  const server = new McpServer({ name: "e", version: "1" });
  server.tool("echo", {}, async (_input, context) => {
    await context.progress(1, 2);
    return "hi";
  });
  return server;
}

async function serve(options: ServeHttpOptions = {}): Promise<string> {
  const endpoint = await serveHttp(echo(), { port: 0, ...options });
  onTestFinished(() => endpoint.close());
  return endpoint.url;
}

const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } };
const post = (url: string, accept: string, body: JsonObject, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { accept, "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
  });

describe("Accept says which form a response has, with sessions and without [FD-69]", () => {
  describe.each([
    ["application/json", "application/json"],
    ["application/*", "application/json"],
    ["application/json;q=0.9, text/html", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["text/event-stream, application/json;q=0", "text/event-stream"],
    ["*/*", "application/json"],
    ["", "application/json"],
    [" ", "application/json"],
    ["application/json, text/event-stream", "application/json"],
  ])("%s", (accept, type) => {
    test.each([true, false])("sessions: %s", async (sessions) => {
      const url = await serve({ sessions });
      const opened = await post(url, accept, { method: "initialize", params: HELLO });
      expect([opened.status, opened.headers.get("content-type")]).toEqual([200, expect.stringContaining(type)]);
      expect(await opened.text()).toContain("protocolVersion");
      const id = opened.headers.get("mcp-session-id");
      const headers = { "mcp-protocol-version": "2025-06-18", ...(id !== null && { "mcp-session-id": id }) };
      const called = await post(url, accept, { method: "tools/call", params: { name: "echo" } }, headers);
      expect([called.status, await called.text()]).toEqual([200, expect.stringContaining('"text":"hi"')]);
    });
  });

  test("what is neither is refused", async () => {
    expect((await post(await serve(), "text/html", { method: "initialize", params: HELLO })).status).toBe(406);
  });
});

describe("a slash at the end of the path makes no difference [FD-70]", () => {
  test.each(["/mcp", "/mcp/", "/deep/er", "/deep/er/"])("an endpoint at %s", async (path) => {
    const url = new URL(await serve({ path })).href.replace(/\/$/, "");
    for (const spelling of [url, `${url}/`, `${url}/?a=b`]) {
      const client = await closing(connect(spelling));
      expect((await client.callTool("echo")).text).toBe("hi");
    }
    expect((await fetch(`${url}//`)).status).toBe(404);
  });

  test("its metadata neither", async () => {
    const auth = bearer({ issuer: "https://as.example", audience: "http://127.0.0.1/mcp" });
    const { origin } = new URL(await serve({ auth }));
    for (const end of ["", "/"]) {
      const response = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp${end}`);
      expect(await response.json()).toMatchObject({ authorization_servers: ["https://as.example"] });
    }
  });
});

describe("an idle connection outlives the proxy's 60 s where a proxy is declared [FD-71]", () => {
  const idle = async (options: ServeHttpOptions): Promise<string | undefined> => {
    const { port } = new URL(await serve({ health: true, ...options }));
    const socket = tcp(Number(port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n");
    const head = await new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    return /^keep-alive: timeout=(\d+)/im.exec(head)?.[1];
  };

  test.each<[string, ServeHttpOptions, string]>([
    ["a server for this machine", {}, "5"],
    ["clientAddress", { clientAddress: "x-forwarded-for" }, "75"],
    ["an address for other machines", { host: "0.0.0.0", allowedHosts: ["api.example.com"] }, "75"],
    ["its own time", { clientAddress: "x-forwarded-for", timeouts: { keepAlive: 9_000 } }, "9"],
  ])("%s", async (_what, options, seconds) => {
    expect(await idle(options)).toBe(seconds);
  });
});

describe("pages may send the headers that are listed [FD-72]", () => {
  test("beside those of MCP, and no others", async () => {
    const origin = "https://app.example";
    const url = await serve({ cors: { origins: [origin], headers: ["X-Api-Key"] } });
    const headers = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key, x-other,content-type",
    };
    const response = await fetch(url, { method: "OPTIONS", headers });
    expect(response.headers.get("access-control-allow-headers")).toBe("x-api-key, content-type");
  });

  test.each([["*"], ["a b"], [""], ["x:y"]])("%j is not the name of a header", async (name) => {
    await expect(serveHttp(echo(), { port: 0, cors: { origins: "loopback", headers: [name] } })).rejects.toThrow("cors.headers");
  });
});
