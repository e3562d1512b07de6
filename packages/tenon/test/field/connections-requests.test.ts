// What a client sends and how it is sent: headers that cannot be sent, redirects, proxies (F2.13 to F2.15).
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect as tcp } from "node:net";
import { connect, HttpStatusError, type JsonObject } from "tenon";
import { ClientSessionGroup } from "tenon/group";
import { proxyFetch } from "tenon/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { quiet, scriptedHttp, stateful } from "../http-client/scripted-http.ts";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";

const old = () =>
  scriptedHttp(quiet(stateful((_, reply) => reply.result({ tools: [] } as JsonObject), { version: "2025-06-18" })));

const thrown = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => new Error("It works"),
    (error: unknown) => error as Error,
  );

describe("a header that cannot be sent is a TypeError that names it, and nothing is sent [FD-73]", () => {
  test.each<[string, string]>([
    ["x-api-key", "secret\nvalue"],
    ["x-api-key", "secret\0"],
    ["x-name", "Jos\u00e9 \u2713"],
    ["x-\u201cquoted\u201d", "1"],
    ["x api", "1"],
    ["", "1"],
  ])("%j: %j", async (name, value) => {
    const server = await old();
    for (const headers of [{ [name]: value }, () => ({ [name]: value }), async () => ({ [name]: value })]) {
      const error = await thrown(connect({ url: server.url, headers }));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(`The header ${JSON.stringify(name)} cannot be sent`);
      expect(error.message).not.toContain("secret");
    }
    expect(server.requests).toEqual([]);
  });

  test("what an authorizer adds is checked, too; a line break at the end of a value is removed", async () => {
    const server = await old();
    const auth = (authorization: string) => ({ authorizerFor: () => ({ sign: () => ({ authorization }), settle: () => false }) });
    const error = await thrown(connect({ url: server.url, auth: auth("Bearer a\nb") }));
    expect([error instanceof TypeError, error.message]).toEqual([true, expect.stringContaining('"authorization"')]);
    expect(server.requests).toEqual([]);
    await closing(connect({ url: server.url, auth: auth("Bearer a\n"), headers: { "x-tab": "a\tb\r\n" } }));
    expect(server.requests[0]!.headers).toMatchObject({ authorization: "Bearer a", "x-tab": "a\tb" });
  });

  test("a group does not try again", async () => {
    const server = await old();
    const servers = { s: { url: server.url, headers: { "x-y": "\n1\n2" } } };
    const group = await ClientSessionGroup.connect(servers, { onServerError: () => undefined });
    await using _closed = { [Symbol.asyncDispose]: () => group.close() };
    await expect.poll(() => group.servers.get("s")?.state).toBe("closed");
    expect(group.servers.get("s")?.error).toBeInstanceOf(TypeError);
  });
});

describe("a redirect that is not followed names its target without its query, and what to type instead [FD-74]", () => {
  test.each([
    [307, "https://127.0.0.1/mcp/?key=secret", "https://127.0.0.1/mcp/"],
    [308, "http://127.0.0.1:1/mcp", "http://127.0.0.1:1/mcp"],
    [301, "/other", "/other"],
    [302, "https://login.example/start?state=secret#x", "https://login.example/start"],
    [307, "https://user:secret@mcp.example/mcp", "https://mcp.example/mcp"],
  ])("HTTP %i to %s", async (status, location, target) => {
    const server = await scriptedHttp((_, reply) => void reply.response.writeHead(status, { location }).end());
    const error = (await failureOf(connect(server.url, { revision: "stateful" }))) as HttpStatusError;
    expect(error).toMatchObject({ status, message: expect.stringMatching(/ use .* instead/) });
    expect(error.message).toContain(target);
    expect(error.message).not.toContain("secret");
  });
});

describe("the proxies of the environment", () => {
  /** A proxy that reaches `port` of this machine for each host, and notes what it was asked for. */
  async function proxy(port: () => number): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
      const forwarded = tcp(port(), "127.0.0.1").on("error", () => response.destroy());
      const { pathname } = new URL(request.url!);
      forwarded.write(`${request.method} ${pathname} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n`);
      for (const name of ["content-type", "content-length", "accept", "mcp-session-id", "mcp-protocol-version"])
        if (request.headers[name] !== undefined) forwarded.write(`${name}: ${String(request.headers[name])}\r\n`);
      forwarded.write("\r\n");
      request.pipe(forwarded, { end: false });
      forwarded.pipe(response.socket!);
    });
    server.on("connect", (request, socket) => {
      asked.push(`CONNECT ${request.url}`);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  /** Only these variables name a proxy. */
  function environment(variables: Record<string, string>): void {
    for (const name of [
      "HTTP_PROXY",
      "http_proxy",
      "HTTPS_PROXY",
      "https_proxy",
      "ALL_PROXY",
      "all_proxy",
      "NO_PROXY",
      "no_proxy",
    ])
      vi.stubEnv(name, variables[name]);
    vi.stubEnv("NODE_USE_ENV_PROXY", variables["NODE_USE_ENV_PROXY"]);
    onTestFinished(() => void vi.unstubAllEnvs());
  }

  test.each([
    ["by the option fetch", { fetch: proxyFetch }, {}],
    ["for all clients by NODE_USE_ENV_PROXY", {}, { NODE_USE_ENV_PROXY: "1" }],
  ])("are used %s, on every Node [FD-75]", async (_what, options, more) => {
    const server = await old();
    const { url, asked } = await proxy(() => Number(new URL(server.url).port));
    environment({ HTTP_PROXY: url, ...more });
    const client = await closing(connect({ url: "http://mcp.corp.invalid/mcp", ...options }, { revision: "stateful" }));
    expect((await client.listTools()).tools).toEqual([]);
    expect(asked).toContain("POST http://mcp.corp.invalid/mcp");
  });

  test("a tunnel that the proxy refuses is in the error, with proxy and variable, without a password [FD-75]", async () => {
    const { url, asked } = await proxy(() => 0);
    environment({ https_proxy: url.replace("//", "//user:secret@") });
    const error = (await failureOf(connect({ url: "https://mcp.corp.invalid/mcp", fetch: proxyFetch }))) as Error;
    expect(asked).toEqual(["CONNECT mcp.corp.invalid:443"]);
    expect(error.message).toBe(
      `Cannot reach https://mcp.corp.invalid/mcp: it was asked through the proxy ${url} (https_proxy), ` +
        "which refuses that with HTTP 403",
    );
  });

  test.each(["*", "mcp.corp.invalid", ".corp.invalid", "other, corp.invalid", "*.invalid", "mcp.corp.invalid:80"])(
    "NO_PROXY=%s goes past the proxy [FD-75]",
    async (excluded) => {
      const { url, asked } = await proxy(() => 0);
      environment({ HTTP_PROXY: url, NO_PROXY: excluded });
      await failureOf(connect({ url: "http://mcp.corp.invalid/mcp", fetch: proxyFetch }));
      expect(asked).toEqual([]);
    },
  );

  test.each(["orp.invalid", "mcp.corp.invalid:8080", "mcp.corp"])("NO_PROXY=%s does not [FD-75]", async (excluded) => {
    const { url, asked } = await proxy(() => 1);
    environment({ HTTP_PROXY: url, NO_PROXY: excluded });
    await failureOf(connect({ url: "http://mcp.corp.invalid/mcp", fetch: proxyFetch }));
    expect(asked).not.toEqual([]);
  });

  test("a server on this machine is reached without it, and a variable without a URL is named [FD-75]", async () => {
    const server = await old();
    environment({ HTTP_PROXY: "nonsense://x" });
    expect((await (await closing(connect({ url: server.url, fetch: proxyFetch }))).listTools()).tools).toEqual([]);
    const error = (await failureOf(connect({ url: "http://mcp.corp.invalid/mcp", fetch: proxyFetch }))) as Error;
    expect((error.cause as Error).message).toContain("HTTP_PROXY is not the URL of a proxy");
  });
});
