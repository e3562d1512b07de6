// How a client finds out over HTTP what a server speaks (requirements B4).
import { connect, HttpStatusError, type ConnectOptions, type HttpServerParameters, type JsonObject } from "tenon";
import { describe, expect, test, vi } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { deserted, quiet, scriptedHttp, stateful, stateless, type Reply, type Script } from "./scripted-http.ts";

const open = (url: string | HttpServerParameters, options?: ConnectOptions) => closing(connect(url, options));

/** A stateful server that meets the probe with `answer`. */
const meetsProbe = (answer: (reply: Reply) => void): Script => {
  const rest = stateful(undefined, {});
  return quiet((request, reply) => (request.message["method"] === "server/discover" ? answer(reply) : rest(request, reply)));
};

test("a valid response to the probe means a stateless server, and nothing else is sent [B4.1 B4.2]", async () => {
  const server = await scriptedHttp(stateless());
  const client = await open(server.url);
  expect(client.protocolVersion).toBe("2026-07-28");
  expect(server.methods).toEqual(["server/discover"]);
  expect(server.requests[0]!.headers).toMatchObject({ "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" });
});

describe("what a stateful server may say to the probe [B4.3 requirement Z3]", () => {
  test.each<[string, (reply: Reply) => void]>([
    ["400 with a JSON-RPC error", (reply) => reply.error(-32000, 400)],
    ["400 with an error for no id", (reply) => reply.error(-32000, 400, { id: null })],
    ["400 with nothing", (reply) => void reply.response.writeHead(400).end()],
    ["400 with a page", (reply) => reply.text("<h1>Bad Request</h1>", 400)],
    ["404 session not found", (reply) => reply.error(-32001, 404, { id: null })],
    ["404 method not found", (reply) => reply.error(-32601, 404)],
    ["405", (reply) => void reply.response.writeHead(405).end()],
    ["415", (reply) => void reply.response.writeHead(415).end()],
    ["200 method not found", (reply) => reply.error(-32601)],
    ["200 with an error for no id", (reply) => reply.error(-32600, 200, { id: null })],
    ["200 with a page", (reply) => reply.text("<h1>Hello</h1>")],
    ["200 with nothing", (reply) => void reply.response.writeHead(200).end()],
    ["202", (reply) => void reply.response.writeHead(202).end()],
    ["a result that is none", (reply) => reply.result({ hello: 1 })],
    ["an unsupported version without data", (reply) => reply.error(-32022, 400)],
    [
      "other versions, stateful ones",
      (reply) => reply.error(-32022, 400, { data: { supported: ["2025-06-18"], requested: "2026-07-28" } }),
    ],
  ])("%s", async (_, answer) => {
    const server = await scriptedHttp(meetsProbe(answer));
    const client = await open(server.url);
    expect(client.protocolVersion).toBe("2025-11-25");
    await server.received("GET");
    expect(server.methods).toEqual(["server/discover", "initialize", "notifications/initialized", "GET"]);
  });
});

test("the handshake has nothing of the probe [B4.7 E5.1 B1.9]", async () => {
  const server = await scriptedHttp(meetsProbe((reply) => reply.error(-32601)));
  await open(server.url);
  const [probe, initialize, initialized] = server.requests;
  expect(initialize!.headers).not.toHaveProperty("mcp-protocol-version");
  expect(initialize!.headers).not.toHaveProperty("mcp-method");
  expect(initialize!.message["id"]).not.toBe(probe!.message["id"]);
  expect((initialize!.message["params"] as JsonObject)["_meta"]).toBeUndefined();
  expect(initialized!.headers["mcp-protocol-version"]).toBe("2025-11-25");
});

describe("what says nothing about the revision is passed on, and no handshake follows [B4.5]", () => {
  test.each([401, 403, 429, 500, 502, 503])("HTTP %i", async (status) => {
    const server = await scriptedHttp((_, reply) => void reply.response.writeHead(status).end());
    const error = await failureOf(connect(server.url));
    expect(error).toBeInstanceOf(HttpStatusError);
    expect(error).toMatchObject({ status });
    expect(server.methods).toEqual(["server/discover"]);
  });

  test("HTTP 503 with a JSON-RPC error is that error", async () => {
    const server = await scriptedHttp((_, reply) => reply.error(-32603, 503));
    expect(await failureOf(connect(server.url))).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^no \(.*"revision"/),
    });
    expect(server.methods).toEqual(["server/discover"]);
  });

  test("silence", async () => {
    const server = await scriptedHttp(() => undefined);
    expect(await failureOf(connect(server.url, { timeout: 50 }))).toMatchObject({ code: -32001, method: "server/discover" });
    expect(server.methods).toEqual(["server/discover"]);
  });

  test("no server listens [C1]", async () => {
    expect(await failureOf(connect(await deserted()))).toMatchObject({ code: -32000, outcome: "not-sent" });
  });

  test.each([-32020, -32021])("a stateless server's error %i is final [B4.2]", async (code) => {
    const server = await scriptedHttp((_, reply) => reply.error(code, 400, { data: { requiredCapabilities: {} } }));
    expect(await failureOf(connect(server.url))).toMatchObject({ code });
    expect(server.methods).toEqual(["server/discover"]);
  });
});

test("a server that wants the version it was just asked in is asked once more [B2.3 B4.2]", async () => {
  let asked = 0;
  const answer = stateless();
  const server = await scriptedHttp((request, reply) =>
    asked++ === 0
      ? reply.error(-32022, 400, { data: { supported: ["2026-07-28"], requested: "2026-07-28" } })
      : answer(request, reply),
  );
  expect((await open(server.url)).protocolVersion).toBe("2026-07-28");
  expect(server.methods).toEqual(["server/discover", "server/discover"]);
  const refusing = await scriptedHttp((_, reply) =>
    reply.error(-32022, 400, { data: { supported: ["2026-07-28"], requested: "2026-07-28" } }),
  );
  expect(await failureOf(connect(refusing.url))).toMatchObject({ code: -32022 });
  expect(refusing.methods).toHaveLength(2);
});

describe("verdicts [B2.8]", () => {
  test("that a server is stateful is remembered, and forgotten when it no longer is", async () => {
    let script: Script = quiet(stateful());
    const server = await scriptedHttp((request, reply) => script(request, reply));
    await open(server.url);
    await open(server.url);
    expect(server.methods.filter((method) => method === "server/discover")).toHaveLength(1);
    const modern = stateless();
    script = (request, reply) => (request.message["method"] === "initialize" ? reply.error(-32601, 404) : modern(request, reply));
    const client = await open(server.url);
    expect(client.protocolVersion).toBe("2026-07-28");
    expect(server.methods.slice(-2)).toEqual(["initialize", "server/discover"]);
  });

  test("other headers are another caller [J8]", async () => {
    const server = await scriptedHttp(quiet(stateful()));
    await open({ url: server.url, headers: { authorization: "Bearer a" } });
    await open({ url: server.url, headers: { authorization: "Bearer b" } });
    expect(server.methods.filter((method) => method === "server/discover")).toHaveLength(2);
  });

  test("a revision that is asked for is spoken without a probe, and nothing is remembered", async () => {
    const server = await scriptedHttp(quiet(stateful(undefined, { version: "2025-06-18" })));
    expect((await open(server.url, { revision: "2025-06-18" })).protocolVersion).toBe("2025-06-18");
    expect(server.methods[0]).toBe("initialize");
    await open(server.url, { revision: "stateful" });
    expect(server.methods).not.toContain("server/discover");
  });
});

describe("a page whose probe fails for reasons a browser does not tell [B4.6]", () => {
  const rules = (server: { url: string }) => ({
    url: server.url,
    // As a browser does where a server's CORS rules do not know the headers of stateless revisions.
    fetch: (url: string, init: RequestInit): Promise<Response> =>
      new Headers(init.headers).has("mcp-method") ? Promise.reject(new TypeError("Failed to fetch")) : fetch(url, init),
  });

  test("of another origin: the handshake is tried", async () => {
    vi.stubGlobal("location", { origin: "https://page.example" });
    const server = await scriptedHttp(quiet(stateful()));
    expect((await open(rules(server))).protocolVersion).toBe("2025-11-25");
  });

  test("of the same origin, or no page at all: it is an outage", async () => {
    const server = await scriptedHttp(quiet(stateful()));
    expect(await failureOf(connect(rules(server)))).toMatchObject({ code: -32000, outcome: "unknown" });
    vi.stubGlobal("location", { origin: new URL(server.url).origin });
    expect(await failureOf(connect(rules(server)))).toMatchObject({ code: -32000, outcome: "unknown" });
    expect(server.methods).toEqual([]);
  });
});
