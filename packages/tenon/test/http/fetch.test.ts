// The endpoint as a function of Request and Response, in this process: the same answers, streams and limits.
import { describe, expect, test } from "vitest";
import { createFetchHandler, McpServer, type FetchHandler, type HttpOptions } from "tenon/server";
import type { JsonObject } from "tenon";
import { BOTH, dataOf, initialize, mirrored, statelessBody } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const URL_ = "http://localhost/mcp";

function serve(options?: HttpOptions): { fetch: FetchHandler; server: McpServer } {
  const server = testServer({ onError: () => undefined });
  server.tool("hello", {}, () => "Hello");
  server.tool("steps", {}, async (_input, ctx) => {
    for (let i = 1; i <= 3; i++) await ctx.progress(i);
    return "done";
  });
  return { fetch: createFetchHandler(server, options), server };
}

function request(body: unknown, headers: Record<string, string> = {}, init: RequestInit = {}): Request {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Request(URL_, {
    method: "POST",
    body: text,
    ...init,
    headers: { "content-type": "application/json", accept: BOTH, ...headers },
  });
}

const stateless = (method: string, params: JsonObject = {}, init?: RequestInit): Request =>
  request(statelessBody(method, params), mirrored(method, params), init);

describe("what is served", () => {
  test("a stateless call [F1.4]", async () => {
    const { fetch } = serve();
    const response = await fetch(stateless("tools/call", { name: "hello" }));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await response.json()).toMatchObject({ result: { content: [{ text: "Hello" }] } });
  });

  test("a stream [F1.5]", async () => {
    const { fetch } = serve();
    const response = await fetch(stateless("tools/call", { name: "steps", _meta: { progressToken: 1 } }));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(dataOf(await response.text()).map((data) => (JSON.parse(data) as JsonObject)["method"] ?? "answer")).toEqual([
      ...Array<string>(3).fill("notifications/progress"),
      "answer",
    ]);
  });

  test("a session [E4]", async () => {
    const { fetch } = serve();
    const opened = await fetch(request(initialize("2025-11-25")));
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id")!, "mcp-protocol-version": "2025-11-25" };
    expect((await fetch(request({ jsonrpc: "2.0", method: "notifications/initialized" }, headers))).status).toBe(202);
    expect(await (await fetch(request({ jsonrpc: "2.0", id: 2, method: "ping" }, headers))).json()).toEqual({
      jsonrpc: "2.0",
      id: 2,
      result: {},
    });
    expect((await fetch(new Request(URL_, { method: "DELETE", headers }))).status).toBe(204);
    expect((await fetch(request({ jsonrpc: "2.0", id: 3, method: "ping" }, headers))).status).toBe(404);
  });

  test("a long list is the same as over a socket", async () => {
    const { fetch, server } = serve();
    for (let i = 0; i < 500; i++) server.tool(`tool-${i}`, { description: "x".repeat(50) }, () => "");
    const { result } = (await (await fetch(stateless("tools/list"))).json()) as { result: { tools: unknown[] } };
    expect(result.tools).toHaveLength(502);
  });
});

describe("clients that go away [F1.6 fault H8]", () => {
  function waiting(): { fetch: FetchHandler; aborted: Promise<unknown> } {
    const { fetch, server } = serve();
    const aborted = new Promise((resolve) => {
      server.tool("wait", {}, async (_input, ctx) => {
        await ctx.progress(1);
        return new Promise<string>(() => ctx.signal.addEventListener("abort", () => resolve(ctx.signal.reason)));
      });
    });
    return { fetch, aborted };
  }
  const params = { name: "wait", _meta: { progressToken: 1 } };

  test("cancelling the body cancels the request", async () => {
    const { fetch, aborted } = waiting();
    const reader = (await fetch(stateless("tools/call", params))).body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(await aborted).toMatchObject({ code: -32600, message: "The client closed the request" });
  });

  test("aborting the request does so too", async () => {
    const { fetch, aborted } = waiting();
    const controller = new AbortController();
    const response = await fetch(stateless("tools/call", params, { signal: controller.signal }));
    controller.abort();
    expect(await aborted).toMatchObject({ code: -32600, message: "The client closed the request" });
    await response.body?.cancel().catch(() => undefined);
  });
});

describe("the end", () => {
  test("drain refuses new requests, lets a running call end, and ends streams", async () => {
    const { fetch, server } = serve();
    let finish = (): void => undefined;
    const entered = new Promise<void>((resolve) => {
      server.tool("wait", {}, () => {
        resolve();
        return new Promise<string>((end) => (finish = () => end("ended")));
      });
    });
    const opened = await fetch(request(initialize("2025-11-25")));
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id")!, "mcp-protocol-version": "2025-11-25" };
    await fetch(request({ jsonrpc: "2.0", method: "notifications/initialized" }, headers));
    const stream = await fetch(new Request(URL_, { headers: { ...headers, accept: BOTH } }));
    const call = fetch(stateless("tools/call", { name: "wait" }));
    await entered;

    const drained = fetch.drain(60_000);
    expect((await fetch(stateless("tools/call", { name: "hello" }))).status).toBe(503);
    await stream.text(); // the stream has an end
    finish();
    expect(await (await call).json()).toMatchObject({ result: { content: [{ text: "ended" }] } });
    await drained;
  });

  test("close ends a running call", async () => {
    const { fetch, server } = serve();
    const aborted = new Promise((resolve) => {
      server.tool("wait", {}, async (_input, ctx) => {
        void fetch.close();
        return new Promise<string>(() => ctx.signal.addEventListener("abort", () => resolve(ctx.signal.reason)));
      });
    });
    void fetch(stateless("tools/call", { name: "wait" })).catch(() => undefined);
    expect(await aborted).toMatchObject({ code: -32603, message: "The server has been closed" });
    expect((await fetch(stateless("tools/call", { name: "hello" }))).status).toBe(503);
  });
});

describe("what is refused", () => {
  test("the host of the URL counts if there is no Host header [rule R1]", async () => {
    const { fetch } = serve();
    const foreign = new Request("https://mcp.example/mcp", stateless("tools/call", { name: "hello" }));
    expect((await fetch(foreign)).status).toBe(421);
    const open = createFetchHandler(testServer(), { allowedHosts: ["mcp.example"] });
    expect((await open(new Request("https://mcp.example/mcp", stateless("server/discover")))).status).toBe(200);
  });

  test("413 a body that is too large, without reading all of it", async () => {
    const { fetch } = serve({ limits: { maxBodyBytes: 1_000 } });
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller): void {
        pulled++;
        controller.enqueue(new Uint8Array(500).fill(32));
      },
    });
    const init = { method: "POST", body, duplex: "half", headers: { "content-type": "application/json", accept: BOTH } };
    expect((await fetch(new Request(URL_, init as RequestInit))).status).toBe(413);
    expect(pulled).toBeLessThan(10);
  });

  test("400 a body that breaks off, which the operator hears of", async () => {
    const errors: Error[] = [];
    const { fetch } = serve({ onError: (error) => errors.push(error) });
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("torn")) });
    const response = await fetch(request("", {}, { body, duplex: "half" } as RequestInit));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32700, message: "The body could not be read" } });
    expect(errors.map(({ message }) => message)).toEqual(["torn"]);
  });

  test("400 what is not UTF-8: the client hears why, the operator hears nothing", async () => {
    const errors: Error[] = [];
    const { fetch } = serve({ onError: (error) => errors.push(error) });
    const response = await fetch(
      new Request(URL_, {
        method: "POST",
        body: new Uint8Array([0x22, 0xff, 0x22]),
        headers: { "content-type": "application/json", accept: BOTH },
      }),
    );
    const error = { code: -32700, message: "Parse error: the body is not UTF-8" };
    expect([response.status, await response.json()]).toEqual([400, { jsonrpc: "2.0", id: null, error }]);
    expect(errors).toEqual([]);
  });

  test("refuses a value that is not a server, and invalid options", () => {
    expect(() => createFetchHandler({} as McpServer)).toThrow(TypeError);
    expect(() => createFetchHandler(testServer(), { streams: { after: -1 } })).toThrow(RangeError);
    expect(() => createFetchHandler(testServer(), { sessions: { max: 0 } })).toThrow(RangeError);
    expect(() => createFetchHandler(testServer(), { allowedHosts: ["https://x"] })).toThrow(TypeError);
  });
});

test("a stream without a reader waits for it, within its limit [fault H9]", async () => {
  const { fetch, server } = serve({ limits: { maxBuffered: 100_000 } });
  let sent = 0;
  let aborted = false;
  server.tool("flood", {}, async (_input, ctx) => {
    for (; sent < 100_000 && !ctx.signal.aborted; sent++) await ctx.progress(sent, undefined, "x".repeat(100));
    aborted = ctx.signal.aborted;
    return "";
  });
  const response = await fetch(stateless("tools/call", { name: "flood", _meta: { progressToken: 1 } }));
  await new Promise((resolve) => setImmediate(resolve));
  const before = sent;
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toBeLessThan(2_000);
  expect(sent - before).toBeLessThan(1_000);
  await response.body!.cancel();
  await expect.poll(() => aborted).toBe(true);
});

test("a failure to open what the server shares is 503, and the next request tries again", async () => {
  let attempts = 0;
  const lifespan = (): { ready: true } => {
    if (attempts++ === 0) throw new Error("no database");
    return { ready: true };
  };
  const server = new McpServer({ name: "s", version: "1" }, { lifespan });
  const fetch = createFetchHandler(server);
  const refused = await fetch(stateless("server/discover"));
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { id: 1, error: { message: "The server is not available" } },
  ]);
  expect((await fetch(stateless("server/discover"))).status).toBe(200);
  expect((await fetch(request(initialize("2025-11-25")))).status).toBe(200);
  await server.close();
  expect((await fetch(stateless("server/discover"))).status).toBe(503);
  expect((await fetch(request(initialize("2025-11-25")))).status).toBe(503);
});
