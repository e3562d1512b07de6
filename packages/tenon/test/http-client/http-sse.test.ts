// Servers that have nothing but the transport of 2024-11-05: HTTP+SSE (requirements B4.4, E1).
import { connect, type ConnectOptions, type HttpServerParameters } from "tenon";
import type { Fetch } from "tenon/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { quiet, scriptedHttp, stateless, type Reply, type Script } from "./scripted-http.ts";

const open = (url: string | HttpServerParameters, options?: ConnectOptions) => closing(connect(url, options));

let stream: Reply | undefined;

/** A server without Streamable HTTP. `begin` is what its stream begins with. */
const oldest =
  (status: number, endpoint = "/messages?session=1", begin = `event: endpoint\ndata: ${endpoint}\n\n`): Script =>
  (request, reply) => {
    if (request.method === "POST" && request.path === "/mcp") return void reply.response.writeHead(status).end();
    if (request.method === "GET") {
      reply.stream();
      stream = reply;
      reply.response.write(begin);
      return undefined;
    }
    reply.response.writeHead(202).end();
    const { id, method } = request.message;
    const result =
      method === "initialize"
        ? { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "old", version: "1" } }
        : { tools: [] };
    if (id !== undefined && method !== "tools/call") stream?.event({ jsonrpc: "2.0", id, result });
    return undefined;
  };

test.each([
  ["/api", "is the path right? Most servers answer at /mcp"],
  ["/mcp/", "is the path right? Try it without the slash at its end"],
])("an HTTP 404 at %s says that the path may be wrong", async (path, hint) => {
  const server = await scriptedHttp((_, reply) => void reply.response.writeHead(404).end());
  const url = server.url.replace(/\/mcp$/, path);
  expect(await failureOf(connect(url, { revision: "2026-07-28" }))).toMatchObject({
    status: 404,
    message: `${url} answered with HTTP 404: ${hint}`,
  });
});

test("a stream of HTTP+SSE that does not open is in the error, and its cause", async () => {
  const server = await scriptedHttp((request, reply) => {
    if (request.method === "POST") return void reply.response.writeHead(405).end();
    reply.response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    return undefined;
  });
  const second = `${server.url} answered a GET with no event stream`;
  expect(await failureOf(connect(server.url))).toMatchObject({
    status: 405,
    message: `${server.url} answered with HTTP 405. HTTP+SSE, which was tried next, failed, too: ${second}`,
    cause: { message: second },
  });
});

describe("servers that have HTTP+SSE only [B4.4]", () => {
  test.each([400, 404, 405])("HTTP %i to both, then a GET", async (status) => {
    const server = await scriptedHttp(oldest(status));
    const client = await open(server.url);
    expect(client.protocolVersion).toBe("2024-11-05");
    expect(await client.listTools()).toEqual({ tools: [] });
    expect(server.methods).toEqual([
      "server/discover",
      "initialize",
      "GET",
      "initialize",
      "notifications/initialized",
      "tools/list",
    ]);
    expect(server.requests.slice(3).every(({ path }) => path === "/messages?session=1")).toBe(true);
  });

  test.each([
    ["2024-11-05", ["initialize", "GET", "initialize", "notifications/initialized"]],
    ["stateful", ["initialize", "GET", "initialize", "notifications/initialized"]],
    ["2025-03-26", ["initialize"]],
  ] as const)("a client that speaks %s only asks for HTTP+SSE if its revision has it", async (revision, methods) => {
    const server = await scriptedHttp(oldest(404));
    const opened = open(server.url, { revision });
    if (methods.length === 1) expect(await failureOf(opened)).toMatchObject({ status: 404 });
    else expect((await opened).protocolVersion).toBe("2024-11-05");
    expect(server.methods).toEqual(methods);
  });

  test("the GET fails as well: the error is that of the handshake, with that of the stream as its cause and a hint", async () => {
    const server = await scriptedHttp((_, reply) => void reply.response.writeHead(404).end());
    expect(await failureOf(connect(server.url))).toMatchObject({
      status: 404,
      message: `${server.url} answered with HTTP 404: is the path right? Some servers do not answer at /mcp`,
      cause: { status: 404 },
    });
    expect(server.methods).toEqual(["server/discover", "initialize", "GET"]);
  });

  test.each(["https://elsewhere.example/messages", "javascript:alert(1)", "//elsewhere.example/m", "http://user:pw@127.0.0.1/m"])(
    "an endpoint that is not the server's own is refused: %s [D.1 E1]",
    async (endpoint) => {
      const server = await scriptedHttp(oldest(404, endpoint));
      expect(await failureOf(connect(server.url))).toMatchObject({ status: 404 });
      expect(server.methods).toEqual(["server/discover", "initialize", "GET"]);
    },
  );

  test("a second endpoint is ignored and reported; E4 the stream's end fails what is under way [E1]", async () => {
    const errors: Error[] = [];
    const server = await scriptedHttp(oldest(404));
    const client = await open(server.url, { onError: (error) => errors.push(error) });
    stream!.response.write("event: endpoint\ndata: /other\n\n");
    await client.listTools();
    expect(errors.map(({ message }) => message)).toEqual([`${server.url} named a second endpoint: ignored`]);
    expect(server.requests.at(-1)!.path).toBe("/messages?session=1");
    const lost = failureOf(client.callTool("slow", undefined, { validateOutput: false }).then(() => undefined));
    stream!.response.destroy();
    const error = await lost;
    expect(error).toMatchObject({ code: -32000, outcome: "unknown", message: `The stream from ${server.url} ended` });
    expect(error.cause).toBeInstanceOf(Error);
    await client.closed;
  });

  test("what waits while the server takes no response of the client is bounded in bytes: the connection ends [R8]", async () => {
    const inner = oldest(404);
    const server = await scriptedHttp((request, reply) =>
      "method" in request.message || request.method === "GET" ? inner(request, reply) : undefined,
    );
    const client = await open({ url: server.url, limits: { maxWaiting: 2_000_000 } });
    const lost = failureOf(client.callTool("slow", undefined, { validateOutput: false }).then(() => undefined));
    for (let id = 1; id <= 300; id++) stream!.event({ jsonrpc: "2.0", id: `s${id}`, method: "ping" });
    for (let i = 0; i < 20; i++)
      stream!.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x".repeat(500_000) } });
    expect(await lost).toMatchObject({ code: -32000, data: { limit: "limits.maxWaiting", max: 2_000_000 } });
    expect((await lost).message).toMatch(/^Connection closed: /);
    expect(((await lost).data as { actual: number }).actual).toBeGreaterThan(2_000_000);
    await client.closed;
  });
});

describe("a stream of HTTP+SSE that does not begin as one: the error is that of the handshake [B4.4]", () => {
  const ENDPOINT = "event: endpoint\ndata: /messages\n\n";

  test.each([
    ["a message before the endpoint", `data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n${ENDPOINT}`],
    ["an event of another type", `event: hello\ndata: /messages\n\n${ENDPOINT}`],
  ])("%s", async (_what, begin) => {
    const server = await scriptedHttp(oldest(404, undefined, begin));
    expect(await failureOf(connect(server.url))).toMatchObject({ status: 404 });
    expect(server.methods).toEqual(["server/discover", "initialize", "GET"]);
    await stream!.gone;
  });

  test("another media type, or no success", async () => {
    for (const answer of [(reply: Reply) => reply.text(ENDPOINT), (reply: Reply) => reply.text("no", 500)]) {
      const server = await scriptedHttp((request, reply) => (request.method === "GET" ? answer(reply) : reply.text("none", 404)));
      expect(await failureOf(connect(server.url))).toMatchObject({ status: 404 });
      expect(server.methods).toEqual(["server/discover", "initialize", "GET"]);
    }
  });

  test("no endpoint within 10 seconds, and not a moment less", async () => {
    const clock = new VirtualClock();
    const server = await scriptedHttp(oldest(404, undefined, ": wait\n\n"));
    let settled = false;
    const failure = failureOf(connect(server.url, { clock })).finally(() => {
      settled = true;
    });
    await server.received("GET");
    await clock.advance(9_999);
    expect(settled).toBe(false);
    await clock.advance(1);
    expect(await failure).toMatchObject({ status: 404 });
    await stream!.gone;
    expect(clock.pending).toBe(0);
  });

  test("a caller who aborts meanwhile gets the reason, and the stream ends", async () => {
    const server = await scriptedHttp(oldest(404, undefined, ": wait\n\n"));
    const abort = new AbortController();
    const connecting = connect(server.url, { signal: abort.signal });
    await server.received("GET");
    abort.abort(new Error("enough"));
    await expect(connecting).rejects.toThrow("enough");
    await stream!.gone;
  });
});

describe("a connection over HTTP+SSE [B4.4]", () => {
  test("the user's headers go with every request; messages are JSON, the stream is asked for as one", async () => {
    const server = await scriptedHttp(oldest(404));
    const client = await open({ url: server.url, headers: { "x-key": "k" } });
    await client.listTools();
    const [get, ...posts] = server.requests.slice(2);
    expect([get!.method, get!.headers.accept, get!.headers["x-key"]]).toEqual(["GET", "text/event-stream", "k"]);
    for (const { headers } of posts) {
      expect([headers["content-type"], headers["x-key"]]).toEqual(["application/json", "k"]);
      expect(headers).not.toHaveProperty("mcp-protocol-version");
    }
  });

  test("events of other types and events without data are nothing to the client", async () => {
    const errors: Error[] = [];
    const server = await scriptedHttp(oldest(404));
    const client = await open(server.url, { onError: (error) => errors.push(error) });
    stream!.response.write("event: ping\ndata: not JSON\n\nid: 1\ndata:\n\nevent: message\nretry: 1\ndata:\n\n: comment\n\n");
    expect(await client.listTools()).toEqual({ tools: [] });
    expect(errors).toEqual([]);
  });

  test("a message that the server refuses fails its call alone", async () => {
    const inner = oldest(404);
    const server = await scriptedHttp((request, reply) =>
      request.message["method"] === "tools/call" ? reply.text("full", 503) : inner(request, reply),
    );
    const client = await open(server.url);
    const error = await failureOf(client.callTool("t", undefined, { validateOutput: false }).then(() => undefined));
    expect(error).toMatchObject({ data: { status: 503, body: "full" } });
    expect(await client.listTools()).toEqual({ tools: [] });
  });

  test("a dozen messages that the server has not accepted yet cause no warning, and end with the client [fault Z3]", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const inner = oldest(404);
    const held: Reply[] = [];
    const server = await scriptedHttp((request, reply) =>
      request.message["method"] === "tools/call" ? void held.push(reply) : inner(request, reply),
    );
    const client = await open(server.url);
    const calls = Array.from({ length: 12 }, () =>
      failureOf(client.callTool("t", undefined, { validateOutput: false }).then(() => undefined)),
    );
    await server.received("tools/call", 12);
    await client.close();
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: -32000 });
    await Promise.all(held.map(({ gone }) => gone));
    expect(warnings).toEqual([]);
  });

  test("a hundred messages in sequence cause no warning, and the body of each response to them is read [fault Z3]", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const inner = oldest(404);
    const server = await scriptedHttp((request, reply) => {
      if (request.message["method"] !== "tools/list") return inner(request, reply);
      reply.text("Accepted", 202);
      stream!.event({ jsonrpc: "2.0", id: request.message["id"], result: { tools: [] } });
      return undefined;
    });
    let read = 0;
    const own: Fetch = async (url, init) => {
      const response = await fetch(url, init as RequestInit);
      if (response.body === null || !String(init.body).includes("tools/list")) return response;
      return new Response(response.body.pipeThrough(new TransformStream({ flush: () => void read++ })), response);
    };
    const client = await open({ url: server.url, fetch: own });
    for (let calls = 0; calls < 100; calls++) await client.listTools();
    await expect.poll(() => read).toBe(100);
    expect(warnings).toEqual([]);
  });

  test("a stream with parameters and capitals in its media type is one", async () => {
    const inner = oldest(404);
    const server = await scriptedHttp((request, reply) => {
      const begin = (): void => reply.stream({ "content-type": "Text/Event-Stream; charset=utf-8" });
      return inner(request, { ...reply, stream: begin });
    });
    expect(await (await open(server.url)).listTools()).toEqual({ tools: [] });
  });

  test.each([401, 403])("HTTP %i to the GET is what the user hears: another transport would not help [B4.4]", async (status) => {
    const server = await scriptedHttp((request, reply) => reply.text("no", request.method === "GET" ? status : 404));
    expect(await failureOf(connect(server.url))).toMatchObject({ status });
  });

  test("an event above the limit ends the connection with the limit [C3]", async () => {
    const server = await scriptedHttp(oldest(404));
    const client = await open({ url: server.url, limits: { maxResponseBytes: 1_000 } });
    const lost = failureOf(client.callTool("slow", undefined, { validateOutput: false }).then(() => undefined));
    stream!.response.write(`data: ${"x".repeat(2_000)}`);
    expect(await lost).toMatchObject({ code: -32000, data: { limit: "limits.maxResponseBytes", max: 1_000 } });
    await client.closed;
  });

  test("closing ends the stream, and a closed client sends nothing", async () => {
    const server = await scriptedHttp(oldest(404));
    const client = await connect(server.url);
    await client.close();
    await stream!.gone;
    const before = server.methods.length;
    expect(await failureOf(client.listTools())).toMatchObject({ code: -32000 });
    expect(server.methods).toHaveLength(before);
  });

  test("is remembered: the next one begins with the GET, until the server has something newer", async () => {
    let script: Script = oldest(404);
    const server = await scriptedHttp((request, reply) => script(request, reply));
    await open(server.url);
    const before = server.methods.length;
    await open(server.url);
    expect(server.methods.slice(before)).toEqual(["GET", "initialize", "notifications/initialized"]);
    script = quiet(stateless());
    expect((await open(server.url)).protocolVersion).toBe("2026-07-28");
    expect(server.methods.slice(before + 3)).toEqual(["GET", "server/discover"]);
    await open(server.url);
    expect(server.methods.slice(before + 5)).toEqual(["server/discover"]);
  });
});
