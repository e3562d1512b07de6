// What is refused before a body is looked at: hosts, origins, methods, media types, sizes.
import { describe, expect, onTestFinished, test } from "vitest";
import { createFetchHandler, type McpServer } from "tenon/server";
import { serveHttp } from "tenon/node";
import { rawSocket } from "./raw-socket.ts";
import { BOTH, initialize, mirrored, serve, statelessBody } from "./support.ts";
import { testServer } from "../support/test-server.ts";

let calls = 0;
function server(): McpServer {
  const made = testServer();
  made.tool("hello", {}, () => (calls++, "Hello"));
  return made;
}

const body = statelessBody("tools/call", { name: "hello" });
const headers = mirrored("tools/call", { name: "hello" });

describe("Host and Origin [fault H1 rule R1 E6.1 E6.2 F1.8]", () => {
  test.each([
    "evil.example",
    "evil.example:80",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "localhost.",
    "user@localhost",
    "localhost:99999999",
    "[::2]",
    "0.0.0.0",
    "127.0.0.1:80:80",
  ])("host %j is refused with 421 on every method", async (host) => {
    const http = await serve(server());
    const before = calls;
    for (const method of ["POST", "GET", "DELETE", "OPTIONS", "PUT"]) {
      const { status } = await http.raw({ method, headers: { ...headers, host }, ...(method === "POST" && { body }) });
      expect(status, method).toBe(421);
    }
    expect(calls).toBe(before);
  });

  test.each(["localhost", "localhost:1", "127.0.0.1", "127.0.0.1:65535", "[::1]", "[::1]:8080", "LOCALHOST:3000"])(
    "host %s is allowed",
    async (host) => {
      const http = await serve(server());
      expect((await http.raw({ headers: { ...headers, host }, body })).status).toBe(200);
    },
  );

  test.each([
    "https://evil.example",
    "null",
    "http://localhost.evil.example",
    "file://",
    "http://localhost/path",
    "localhost",
    "http://user@localhost",
    "chrome-extension://abc",
  ])("origin %s is refused with 403", async (origin) => {
    const http = await serve(server());
    expect((await http.raw({ headers: { ...headers, origin }, body })).status).toBe(403);
    expect((await http.raw({ method: "GET", headers: { origin } })).status).toBe(403);
  });

  test.each(["http://localhost", "http://localhost:5173", "https://127.0.0.1:1", "http://[::1]:80"])(
    "origin %s is allowed",
    async (origin) => {
      const http = await serve(server());
      const response = await http.raw({ headers: { ...headers, origin }, body });
      expect(response.status).toBe(200);
      expect(response.headers["access-control-allow-origin"]).toBeUndefined();
    },
  );

  test.each<[string, string, number, RegExp]>([
    ["1.1", "", 400, /^HTTP/],
    ["1.0", "", 421, /Forbidden/],
    ["1.1", "Host:\r\n", 421, /Forbidden/],
    ["1.1", "Host: localhost\r\nHost: evil.example\r\n", 400, /more than one Host/],
  ])("HTTP/%s with %j: %i", async (version, head, status, words) => {
    const http = await serve(server());
    const answer = await rawSocket(http.port, `GET /mcp HTTP/${version}\r\n${head}Connection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(words);
  });

  test("hosts and origins that are named are allowed, others are not", async () => {
    const http = await serve(server(), {
      allowedHosts: ["mcp.example", "other.example:8443"],
      allowedOrigins: ["https://app.example"],
    });
    const status = async (host: string, origin?: string): Promise<number> =>
      (await http.raw({ headers: { ...headers, host, origin }, body })).status;
    expect(await status("mcp.example")).toBe(200);
    expect(await status("mcp.example:1234", "https://app.example")).toBe(200);
    expect(await status("other.example:8443")).toBe(200);
    expect(await status("other.example:8444")).toBe(421);
    expect(await status("localhost")).toBe(421);
    expect(await status("mcp.example", "http://app.example")).toBe(403);
  });

  test('"any" leaves the check to what embeds the endpoint, for hosts and origins each', async () => {
    const status = async (options: Parameters<typeof serve>[1], host: string, origin?: string): Promise<number> =>
      (await (await serve(server(), options)).raw({ headers: { ...headers, host, origin }, body })).status;
    expect(await status({ allowedHosts: "any" }, "mcp.example")).toBe(200);
    expect(await status({ allowedHosts: "any" }, "mcp.example", "https://app.example")).toBe(403);
    expect(await status({ allowedOrigins: "any" }, "localhost", "https://app.example")).toBe(200);
    expect(await status({ allowedOrigins: "any" }, "mcp.example", "https://app.example")).toBe(421);
    expect(
      await status({ allowedOrigins: "any", cors: { origins: ["https://b.example"] } }, "localhost", "https://app.example"),
    ).toBe(200);
  });

  test("an address that others can reach is not bound without allowedHosts", async () => {
    await expect(serveHttp(server(), { port: 0, host: "0.0.0.0" })).rejects.toThrow(/allowedHosts/);
    const http = await serveHttp(server(), { port: 0, host: "0.0.0.0", allowedHosts: ["localhost"] });
    await http.close();
  });
});

describe("media type [fault H2 rule R2 fault F11]", () => {
  test.each([
    undefined,
    "text/plain",
    "application/json-rpc",
    "application/jsonx",
    "application/json; charset=utf-16",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=application/json",
  ])("%s is refused with 415", async (type) => {
    const http = await serve(server());
    const before = calls;
    expect((await http.raw({ headers: { ...headers, "content-type": type }, body: JSON.stringify(body) })).status).toBe(415);
    expect(calls).toBe(before);
  });

  test.each(["application/json", "Application/JSON; charset=utf-8", 'application/json;charset="UTF-8"'])(
    "%s is taken",
    async (type) => {
      const http = await serve(server());
      expect((await http.raw({ headers: { ...headers, "content-type": type }, body })).status).toBe(200);
    },
  );
});

describe("a body that is packed [F9]", () => {
  test.each(["gzip", "br", "deflate", "GZIP", "identity, gzip", "unknown"])(
    "with %s is refused with 415, and not unpacked",
    async (encoding) => {
      const http = await serve(server());
      const before = calls;
      const packed = await http.raw({ headers: { ...headers, "content-encoding": encoding }, body });
      expect([packed.status, calls]).toEqual([415, before]);
      expect(packed.json).toMatchObject({ error: { message: "Unsupported media type: a body must not be compressed" } });
    },
  );

  test("with nothing is taken", async () => {
    const http = await serve(server());
    expect((await http.raw({ headers: { ...headers, "content-encoding": "identity" }, body })).status).toBe(200);
  });
});

describe("Accept [fault H3]", () => {
  test.each<[string | undefined, number]>([
    ["application/json, text/event-stream", 200],
    ["text/event-stream,application/json;q=0.9", 200],
    ["*/*", 200],
    [undefined, 200],
    ["application/json", 200],
    ["text/event-stream", 200],
    ["application/json, text/event-stream;q=0", 200],
    ["text/html", 406],
    [`${"a/b,".repeat(2_000)}x/y`, 406],
  ])("%s at a stateful revision: %i [E1.2]", async (accept, status) => {
    const http = await serve(server());
    expect((await http.raw({ headers: { accept }, body: initialize("2025-06-18") })).status).toBe(status);
  });
});

describe("methods and paths [fault H5]", () => {
  test.each(["GET", "DELETE", "PUT", "OPTIONS", "PATCH", "HEAD"])(
    "%s is 405 on the stateless revision, and says what is not [F1.1]",
    async (method) => {
      const http = await serve(server());
      const response = await http.raw({ method, headers: { "mcp-protocol-version": "2026-07-28" } });
      expect([response.status, response.headers.allow]).toEqual([405, "POST"]);
    },
  );

  test("PUT is 405 at the stateful ones", async () => {
    const http = await serve(server());
    expect((await http.raw({ method: "PUT" })).headers.allow).toBe("POST, GET, DELETE");
  });

  test.each(["/", "/mcpx", "/mcp//", "//mcp", "/other?/mcp"])("%s is not found, and never redirected", async (path) => {
    const http = await serve(server());
    const response = await http.raw({ path, headers, body });
    expect([response.status, response.headers.location]).toEqual([404, undefined]);
  });

  test("the health endpoints are served if the option health is true", async () => {
    const plain = await serve(server());
    expect((await plain.raw({ method: "GET", path: "/livez" })).status).toBe(404);
    const http = await serve(server(), { health: true });
    for (const path of ["/livez", "/healthz"]) expect((await http.raw({ method: "GET", path })).status).toBe(200);
    expect((await http.raw({ method: "GET", path: "/readyz" })).status).toBe(200);
  });
});

describe("sizes", () => {
  test("a body that the operator allows is read, also if it is longer than a JSON text may be by default", async () => {
    const http = await serve(server(), { limits: { maxBodyBytes: 2 ** 24 } });
    const long = statelessBody("tools/call", { name: "hello", arguments: { text: "x".repeat(11 * 2 ** 20) } });
    const response = await http.raw({ headers, body: long });
    expect([response.status, response.text]).toEqual([200, expect.stringContaining(`"result"`)]);
  });

  // The client writes no more than the server reads before it refuses. So the server's close never resets the connection
  // before the client has read the status.
  test.each<[how: string, head: string, sent: string]>([
    ["by its length, before it comes", "Content-Length: 10001", ""],
    ["by what has come of it", "Transfer-Encoding: chunked", `2711\r\n${"x".repeat(10_001)}`],
  ])(
    "a body that is too large is refused %s: 413, the connection is closed, and the server goes on [fault F7]",
    async (_, head, sent) => {
      const http = await serve(server(), { limits: { maxBodyBytes: 10_000 } });
      const before = calls;
      const lines = Object.entries({ ...headers, "content-type": "application/json", accept: BOTH }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      const answer = await rawSocket(http.port, ["POST /mcp HTTP/1.1", "Host: localhost", head, ...lines, "", sent].join("\r\n"));
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toMatch(/^connection: close$/im);
      expect(answer).toContain("maxBodyBytes");
      expect(calls).toBe(before);
      expect((await http.raw({ headers, body })).status).toBe(200);
    },
  );

  test("a body longer than its length says is no more than its length: the rest is not a request [fault F7]", async () => {
    const http = await serve(server());
    const before = calls;
    const whole = JSON.stringify(body);
    const lines = Object.entries({ ...headers, "content-type": "application/json", accept: BOTH }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const head = ["POST /mcp HTTP/1.1", "Host: localhost", `Content-Length: ${whole.length - 5}`, ...lines, "", ""].join("\r\n");
    const answer = await rawSocket(http.port, head + whole); // JSON that ends too early, and a rest that is no HTTP
    expect([...answer.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => status).filter((status) => status !== "400")).toEqual(
      [],
    );
    expect(calls).toBe(before);
    expect((await http.raw({ headers, body })).status).toBe(200);
  });

  test.each([undefined, "9999"])(
    "of a body without an end, whose length is said to be %s, no more is read than the limit and 64 KiB [fault F7]",
    async (length) => {
      const handler = createFetchHandler(server(), { limits: { maxBodyBytes: 10_000 } });
      onTestFinished(() => handler.close());
      let read = 0;
      let isCancelled = false;
      const endless = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            controller.enqueue(new Uint8Array(1_024).fill(32));
            read += 1_024;
          },
          cancel: () => void (isCancelled = true),
        },
        { highWaterMark: 0 },
      );
      const all = { ...headers, "content-type": "application/json", accept: BOTH, ...(length && { "content-length": length }) };
      const init = { method: "POST", headers: all, body: endless, duplex: "half" };
      const response = await handler(new Request("http://localhost/mcp", init));
      expect(response.status).toBe(413);
      expect(read).toBeGreaterThan(10_000);
      expect(read).toBeLessThanOrEqual(10_000 + 65_536);
      await expect.poll(() => isCancelled).toBe(true);
    },
  );

  test("a body of exactly the limit is taken [fault F7]", async () => {
    const http = await serve(server(), { limits: { maxBodyBytes: 10_000 } });
    const text = JSON.stringify(body).padEnd(10_000);
    expect((await http.raw({ headers, body: text })).status).toBe(200);
    expect((await http.raw({ headers: { ...headers, "transfer-encoding": "chunked" }, body: text })).status).toBe(200);
  });

  test("a body that is not UTF-8 is a parse error [fault F11]", async () => {
    const http = await serve(server());
    const bad = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const head =
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${bad.length}\r\n` +
      "Connection: close\r\n\r\n";
    const answer = await rawSocket(http.port, Buffer.concat([Buffer.from(head), bad]));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("-32700");
  });
});

describe("CORS", () => {
  const origin = "https://app.example";

  test("a page of a listed origin may use the endpoint, and gets the CORS headers", async () => {
    const http = await serve(server(), { cors: { origins: [origin] } });
    const asked = "content-type,mcp-protocol-version,mcp-param-region,x-other";
    const preflight = await http.raw({
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": asked },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers["access-control-allow-origin"]).toBe(origin);
    expect(preflight.headers["access-control-allow-headers"]).toBe("content-type, mcp-protocol-version, mcp-param-region");
    expect(preflight.headers["access-control-allow-credentials"]).toBeUndefined();
    const response = await http.raw({ headers: { ...headers, origin }, body });
    expect(response.headers).toMatchObject({ "access-control-allow-origin": origin, vary: "Origin" });
    expect(response.headers["access-control-expose-headers"]).toContain("Mcp-Session-Id");
  });

  test("other origins get nothing, and * is not an origin [rule R1]", async () => {
    const http = await serve(server(), { cors: { origins: [origin] } });
    const response = await http.raw({ method: "OPTIONS", headers: { origin: "https://evil.example" } });
    expect([response.status, response.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    // What the guard lets in may still not be read by a page.
    const wider = await serve(server(), { allowedOrigins: [origin, "https://other.example"], cors: { origins: [origin] } });
    const unread = await wider.raw({ headers: { ...headers, origin: "https://other.example" }, body });
    expect([unread.status, unread.headers["access-control-allow-origin"]]).toEqual([200, undefined]);
    for (const origins of [["*"], ["null"], ["https://app.example/"], ["app.example"]])
      await expect(serveHttp(server(), { port: 0, cors: { origins } })).rejects.toThrow(
        new TypeError(`cors.origins: "${origins[0]}" is not an origin, such as "https://app.example"`),
      );
    const untyped = { origins: origin as unknown as string[] };
    await expect(serveHttp(server(), { port: 0, cors: untyped })).rejects.toThrow(
      new TypeError('Option "cors" must be { origins: ["https://app.example"] }'),
    );
  });
});
