/** Servers of the SDK 1.x beside what Tenon adds: its features, 2026-07-28, middleware. */
import { WebStandardStreamableHTTPServerTransport } from "mcp-sdk-v1/server/webStandardStreamableHttp.js";
import { connect } from "tenon/client";
import { expect, test } from "vitest";
import * as z from "zod";
import { ListToolsRequestSchema } from "mcp-sdk-v1/types.js";
import { Server } from "../src/server/index.ts";
import { officialClient, text } from "./official-client.ts";
import { weatherServer } from "./weather.ts";

test("what is registered on Tenon stands beside what is registered on 1.x", async () => {
  const server = weatherServer();
  const seen: string[] = [];
  server.tenon.use((next) => (ctx) => {
    seen.push(ctx.method);
    return next(ctx);
  });
  server.tenon.tool("native", { input: z.object({ a: z.number() }) }, ({ a }) => a + 1);
  server.tenon.tool("old", {}, () => "replaced");
  server.tenon.resource("weather://native", {}, () => "native");
  server.tenon.resourceTemplate("native://{id}", {}, ({ id }) => id);
  server.tenon.prompt("native", {}, () => "Hello");
  const client = await officialClient(server);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(["forecast", "fail", "refuse", "slow", "ask", "sample", "native", "old"]);
  expect(text(await client.callTool({ name: "native", arguments: { a: 1 } }))).toBe("2");
  expect(text(await client.callTool({ name: "old" }))).toBe("replaced");
  expect(text(await client.callTool({ name: "forecast", arguments: { city: "Rome" } }))).toBe("Rome: 20");
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["weather://today", "weather://native"]);
  expect((await client.readResource({ uri: "native://7" })).contents).toMatchObject([{ text: "7" }]);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["greet", "native"]);
  expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true }, resources: { subscribe: true } });
  expect(seen).toContain("tools/call");
});

test("a low-level server lists pages, and Tenon's tools follow the last one", async () => {
  const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  const tool = (name: string) => ({ name, inputSchema: { type: "object" as const } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    params?.cursor === undefined ? { tools: [tool("a")], nextCursor: "2" } : { tools: [tool("b")] },
  );
  server.tenon.tool("c", {}, () => "c");
  const client = await officialClient(server);
  const first = await client.listTools();
  expect(first).toMatchObject({ tools: [{ name: "a" }], nextCursor: "2" });
  expect((await client.listTools({ cursor: "2" })).tools.map(({ name }) => name)).toEqual(["b", "c"]);
});

test("a change of a 1.x list reaches a client of 2026-07-28 that listens", async () => {
  const server = weatherServer();
  await using client = await connect(server.tenon, { revision: "2026-07-28" });
  const stream = await client.listen({ tools: true });
  const change = stream[Symbol.asyncIterator]().next();
  await server.server.sendToolListChanged();
  expect(await change).toMatchObject({ done: false, value: { kind: "tools" } });
});

test("handlers of several clients ask their own client, and know its capabilities", async () => {
  const { tenon, server } = weatherServer();
  const answering = async (city: string) =>
    await connect(tenon, { revision: "2025-11-25", onElicit: () => ({ action: "accept", content: { city } }) });
  const clients = [await answering("Rome"), await answering("Oslo"), await connect(tenon, { revision: "2025-11-25" })];
  const asked = await Promise.all(clients.map(async (client) => (await client.callTool("ask")).text));
  expect(asked).toEqual(["accept Rome", "accept Oslo", "Client does not support form elicitation."]);
  await expect(server.ping()).rejects.toThrow("Not connected");
  await Promise.all(clients.map((client) => client.close()));
});

test("on 2026-07-28 a question of a handler fails with its reason", async () => {
  await using client = await connect(weatherServer().tenon, { revision: "2026-07-28", onElicit: () => ({ action: "cancel" }) });
  const result = await client.callTool("ask");
  expect(result.isError).toBe(true);
  expect(result.text).toContain("2026-07-28 has no requests of the server");
});

test.each([{}, { requestState: { maxSuspended: 0 } }])(
  "handlers that may run again ask clients of 2026-07-28 in results, with %o",
  async (options) => {
    const server = weatherServer({ repeatableHandlers: true, ...options });
    let runs = 0;
    server.tool("trip", async () => {
      runs++;
      const cities = [];
      for (const message of ["From?", "To?"]) {
        const requestedSchema = { type: "object" as const, properties: { city: { type: "string" as const } } };
        cities.push((await server.server.elicitInput({ message, requestedSchema })).content?.["city"]);
      }
      const { roots } = await server.server.listRoots();
      return { content: [{ type: "text", text: `${cities.join(" to ")}, ${roots[0]?.uri}` }] };
    });
    const asked: string[] = [];
    await using client = await connect(server.tenon, {
      revision: "2026-07-28",
      onElicit: ({ message }) => {
        asked.push(message);
        return { action: "accept", content: { city: message === "From?" ? "Rome" : "Oslo" } };
      },
      onSample: () => ({ model: "m", role: "assistant", content: { type: "text", text: "x" } }),
      roots: [{ uri: "file:///home" }],
    });
    expect((await client.callTool("trip")).text).toBe("Rome to Oslo, file:///home");
    expect(asked).toEqual(["From?", "To?"]);
    expect(runs).toBe("requestState" in options ? 4 : 1);
    expect((await client.callTool("ask")).text).toBe("accept Oslo");
    expect((await client.callTool("sample")).text).toBe("m");
  },
);

test("a declined question, and a client that cannot be asked, are what they are with a handshake", async () => {
  const server = weatherServer({ repeatableHandlers: true });
  await using declining = await connect(server.tenon, { revision: "2026-07-28", onElicit: () => ({ action: "decline" }) });
  expect((await declining.callTool("ask")).text).toBe("decline undefined");
  await using mute = await connect(server.tenon, { revision: "2026-07-28" });
  expect((await mute.callTool("ask")).text).toBe("Client does not support form elicitation.");
});

test("on 2026-07-28 a client gets log messages only if it asks for them", async () => {
  const logged: unknown[] = [];
  const onLog = ({ data }: { data: unknown }): void => void logged.push(data);
  await using silent = await connect(weatherServer().tenon, { revision: "2026-07-28", onLog });
  await silent.callTool("slow");
  expect(logged).toEqual([]);
  await using wanting = await connect(weatherServer().tenon, { revision: "2026-07-28", onLog, logLevel: "info" });
  await wanting.callTool("slow");
  expect(logged).toEqual(["half way"]);
});

test.each([true, false])(
  "the Streamable HTTP transport of 1.x serves a server on the layer, with sessions: %s",
  async (sessions) => {
    const server = weatherServer();
    const transport = new WebStandardStreamableHTTPServerTransport({
      ...(sessions && { sessionIdGenerator: () => "my-session" }),
      enableJsonResponse: true,
    });
    await server.connect(transport);
    const post = (message: object, headers = {}): Promise<Response> =>
      transport.handleRequest(
        new Request("http://127.0.0.1/mcp", {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
        }),
      );
    if (!sessions)
      return expect(await (await post({ method: "tools/list" })).json()).toMatchObject({
        id: 1,
        result: { tools: { length: 7 } },
      });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const opened = await post({ method: "initialize", params });
    expect(opened.headers.get("mcp-session-id")).toBe("my-session");
    expect(await opened.json()).toMatchObject({ id: 1, result: { serverInfo: { name: "weather" } } });
    const called = await post(
      { method: "tools/call", params: { name: "old", arguments: { n: 2 } } },
      { "mcp-session-id": "my-session" },
    );
    expect(await called.json()).toMatchObject({ result: { content: [{ text: "4" }] } });
  },
);

test("middleware on server.tenon serves a method that the 1.x server declares and has no handler for", async () => {
  const server = new Server({ name: "declared", version: "1" }, { capabilities: { tools: {} } });
  server.tenon.use("tools/list", () => () => ({ tools: [{ name: "a", inputSchema: { type: "object" } }] }));
  server.tenon.use("prompts/list", () => () => ({ prompts: [] }));
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    await using client = await connect(server.tenon, { revision });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["a"]);
    await expect(client.request("prompts/list", {})).rejects.toMatchObject({ code: -32601 });
    await expect(
      client.request("completion/complete", { ref: { type: "ref/prompt", name: "a" }, argument: { name: "a", value: "" } }),
    ).rejects.toMatchObject({ code: -32601 });
  }
});
