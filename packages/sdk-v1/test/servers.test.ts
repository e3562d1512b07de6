/** Servers of the SDK 1.x on Tenon, in memory: what clients of 1.x and of Tenon get, on every revision. */
import { InMemoryTransport } from "mcp-sdk-v1/inMemory.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  type JSONRPCMessage,
  LoggingMessageNotificationSchema,
  McpError,
  PingRequestSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "mcp-sdk-v1/types.js";
import { Server as OfficialServer } from "mcp-sdk-v1/server/index.js";
import { connect } from "tenon/client";
import { expect, test } from "vitest";
import * as z from "zod";
import { CallToolRequestSchema, ListToolsRequestSchema } from "mcp-sdk-v1/types.js";
import { Server } from "../src/server/index.ts";
import { officialClient, text } from "./official-client.ts";
import { weatherServer } from "./weather.ts";

/** A promise and what settles it. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let settle!: { resolve: (value: T) => void; reject: (reason: unknown) => void };
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle };
}

test("a client of 1.x gets what the official server says of itself", async () => {
  const client = await officialClient(weatherServer());
  expect(client.getServerVersion()).toEqual({ name: "weather", version: "1.2.3" });
  expect(client.getInstructions()).toBe("Ask for a city.");
  expect(client.getServerCapabilities()).toEqual({
    logging: {},
    tools: { listChanged: true },
    resources: { listChanged: true },
    prompts: { listChanged: true },
    completions: {},
  });
});

test("tools, resources, prompts and completion of 1.x are served unchanged", async () => {
  const client = await officialClient(weatherServer());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["forecast", "old", "fail", "refuse", "slow", "ask", "sample"]);
  expect(tools[1]).toMatchObject({ description: "Kept from the first release", annotations: { readOnlyHint: true } });
  expect(await client.callTool({ name: "forecast", arguments: { city: "Rome" } })).toEqual({
    content: [{ type: "text", text: "Rome: 20" }],
    structuredContent: { degrees: 20 },
  });
  expect(text(await client.callTool({ name: "old", arguments: { n: 4 } }))).toBe("8");
  expect((await client.readResource({ uri: "weather://today" })).contents).toEqual([{ uri: "weather://today", text: "sunny" }]);
  expect((await client.readResource({ uri: "weather://city/Oslo" })).contents).toEqual([
    { uri: "weather://city/Oslo", text: "in Oslo" },
  ]);
  expect((await client.getPrompt({ name: "greet", arguments: { who: "Ada" } })).messages[0]?.content).toEqual({
    type: "text",
    text: "Hello Ada",
  });
  const of = { type: "ref/prompt", name: "greet" } as const;
  expect((await client.complete({ ref: of, argument: { name: "who", value: "A" } })).completion.values).toEqual(["Ada"]);
  const city = { type: "ref/resource", uri: "weather://city/{name}" } as const;
  expect((await client.complete({ ref: city, argument: { name: "name", value: "O" } })).completion.values).toEqual(["Oslo"]);
});

test("failures have the texts and codes of the original", async () => {
  const client = await officialClient(weatherServer());
  expect(await client.callTool({ name: "fail" })).toEqual({
    content: [{ type: "text", text: "The station is closed" }],
    isError: true,
  });
  expect(text(await client.callTool({ name: "nothing" }))).toContain("Tool nothing not found");
  expect(text(await client.callTool({ name: "old", arguments: { n: "x" } }))).toContain("Invalid arguments for tool old");
  await expect(client.callTool({ name: "refuse" })).rejects.toMatchObject({ code: -32042 });
  await expect(client.readResource({ uri: "weather://nothing" })).rejects.toThrow(
    "MCP error -32602: MCP error -32602: Resource weather://nothing not found",
  );
  await expect(client.request({ method: "no/such" }, ResultSchema)).rejects.toMatchObject({ code: -32601 });
  await expect(client.callTool({ name: "refuse" })).rejects.toBeInstanceOf(McpError);
});

test("progress and log messages of a handler arrive", async () => {
  const client = await officialClient(weatherServer());
  const logged: unknown[] = [];
  const progress: number[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
  await client.callTool({ name: "slow" }, undefined, { onprogress: (each) => void progress.push(each.progress) });
  expect(progress).toEqual([1]);
  expect(logged).toEqual(["half way"]);
  await client.setLoggingLevel("error");
  await client.callTool({ name: "slow" });
  expect(logged).toEqual(["half way"]);
});

test("a handler asks the user and the model of its client", async () => {
  const client = await officialClient(weatherServer(), { elicitation: {}, sampling: {} });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { city: "Rome" } }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: "m",
    role: "assistant",
    content: { type: "text", text: "x" },
  }));
  expect(text(await client.callTool({ name: "ask" }))).toBe("accept Rome");
  expect(text(await client.callTool({ name: "sample" }))).toBe("m");
});

test("a client without elicitation is not asked", async () => {
  const client = await officialClient(weatherServer());
  expect(await client.callTool({ name: "ask" })).toMatchObject({
    isError: true,
    content: [{ text: "Client does not support form elicitation." }],
  });
});

test("handles enable, disable, remove and update, and the client is notified each time", async () => {
  const server = weatherServer();
  const added = server.tool("new", () => ({ content: [] }));
  const client = await officialClient(server);
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
  const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
  added.disable();
  expect(await names()).not.toContain("new");
  added.enable();
  expect(await names()).toContain("new");
  added.remove();
  expect(await names()).not.toContain("new");
  const other = server.tool("other", () => ({ content: [] }));
  other.update({ name: "renamed", callback: () => ({ content: [{ type: "text", text: "updated" }] }) });
  expect(await names()).not.toContain("other");
  expect(text(await client.callTool({ name: "renamed" }))).toBe("updated");
  await expect.poll(() => changes).toBe(5);
});

test("a notification that comes before any request is handled", async () => {
  const server = new Server({ name: "s", version: "1" });
  const { promise, resolve } = withResolvers<string>();
  server.fallbackNotificationHandler = async ({ method }) => resolve(method);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await near.send({ jsonrpc: "2.0", method: "notifications/own" });
  expect(await promise).toBe("notifications/own");
});

test("the list of tools is made once, and anew after each change of a tool, by whatever way", async () => {
  const server = weatherServer();
  const client = await officialClient(server);
  let converted = 0;
  const counted = z.object({ n: z.number() });
  Object.defineProperty(counted.shape, "n", {
    enumerable: true,
    get: () => (converted++, z.number()),
  });
  const added = server.registerTool("counted", { inputSchema: counted }, () => ({ content: [] }));
  const definition = async (): Promise<unknown> => (await client.listTools()).tools.find(({ name }) => name === "counted");
  await definition();
  const once = converted;
  expect(once).toBeGreaterThan(0);
  expect(await definition()).toMatchObject({ inputSchema: { properties: { n: { type: "number" } } } });
  expect(converted).toBe(once);
  added.update({ description: "Updated" });
  expect(await definition()).toMatchObject({ description: "Updated" });
  added.title = "Assigned";
  expect(await definition()).toMatchObject({ title: "Assigned" });
  added.disable();
  expect(await definition()).toBeUndefined();
  added.enable();
  expect(await definition()).toMatchObject({ title: "Assigned" });
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
  expect(await definition()).toBeUndefined();
});

test("a cancelled call aborts the signal of its handler", async () => {
  const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  const { promise: aborted, resolve } = withResolvers<unknown>();
  const started = withResolvers<void>();
  server.setRequestHandler(CallToolRequestSchema, async (_request, { signal }) => {
    started.resolve();
    await new Promise<void>((end) => {
      signal.addEventListener("abort", () => {
        resolve(signal.reason);
        end();
      });
    });
    return { content: [] };
  });
  const client = await officialClient(server);
  const controller = new AbortController();
  const called = client.callTool({ name: "x" }, undefined, { signal: controller.signal });
  called.catch(() => undefined);
  await started.promise;
  controller.abort("enough");
  await aborted;
  await expect(called).rejects.toThrow("enough");
});

test("the connection ends once, and the server can be connected again", async () => {
  const server = weatherServer();
  let closed = 0;
  server.server.onclose = () => void closed++;
  const first = await officialClient(server);
  await expect(server.connect(InMemoryTransport.createLinkedPair()[0])).rejects.toThrow("Already connected to a transport");
  expect(server.isConnected()).toBe(true);
  await first.close();
  await expect.poll(() => closed).toBe(1);
  expect(server.isConnected()).toBe(false);
  await expect(server.server.ping()).rejects.toThrow("Not connected");
  const second = await officialClient(server);
  expect((await second.listTools()).tools).toHaveLength(7);
});

test("the transport is closed as often as on the original", async () => {
  const closesOf = async (server: OfficialServer): Promise<number> => {
    const [, far] = InMemoryTransport.createLinkedPair();
    let closes = 0;
    const close = far.close.bind(far);
    far.close = () => {
      closes++;
      return close();
    };
    await server.connect(far);
    await server.close();
    await new Promise((resolve) => setImmediate(resolve));
    return closes;
  };
  const info = { name: "s", version: "1" };
  expect(await closesOf(new Server(info))).toBe(await closesOf(new OfficialServer(info)));
});

test("a request without a handshake is served, as in 1.x", async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = weatherServer();
  await server.connect(far);
  const { promise, resolve } = withResolvers<JSONRPCMessage>();
  near.onmessage = resolve;
  await near.start();
  await near.send({ jsonrpc: "2.0", id: 7, method: "tools/list" });
  expect(await promise).toMatchObject({ id: 7, result: { tools: [{ name: "forecast" }, {}, {}, {}, {}, {}, {}] } });
  expect(server.server.getClientCapabilities()).toBeUndefined();
});

test("custom methods, the fallback handler and an overridden method are served", async () => {
  const server = new Server({ name: "s", version: "1" });
  server.setRequestHandler(
    z.object({ method: z.literal("shop/price"), params: z.object({ item: z.string() }) }),
    ({ params }) => ({
      cents: params.item.length,
    }),
  );
  server.setRequestHandler(PingRequestSchema, () => ({ _meta: { own: true } }));
  server.fallbackRequestHandler = async ({ method }) => ({ asked: method });
  const client = await officialClient(server);
  expect(await client.request({ method: "shop/price", params: { item: "tea" } }, ResultSchema)).toEqual({ cents: 3 });
  expect(await client.request({ method: "ping" }, ResultSchema)).toEqual({ _meta: { own: true } });
  expect(await client.request({ method: "other/method" }, ResultSchema)).toEqual({ asked: "other/method" });
});

test("an invalid result of a tool is the error of the original", async () => {
  const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: "none" }) as never);
  const client = await officialClient(server);
  await expect(client.callTool({ name: "x" })).rejects.toThrow("Invalid tools/call result");
});

test("the servers are official ones to instanceof", () => {
  expect(weatherServer().server).toBeInstanceOf(OfficialServer);
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const)(
  "Tenon's client is served on %s",
  async (revision) => {
    const client = await connect(weatherServer().tenon, { revision });
    expect(client.protocolVersion).toBe(revision);
    expect((await client.listTools()).tools).toHaveLength(7);
    expect((await client.callTool("forecast", { city: "Rome" })).text).toContain("Rome: 20");
    expect((await client.callTool("fail")).text).toBe("The station is closed");
    expect((await client.readResource("weather://today")).contents).toMatchObject([{ text: "sunny" }]);
    expect((await client.getPrompt("greet", { who: "Ada" })).messages).toHaveLength(1);
    await client.close();
  },
);
