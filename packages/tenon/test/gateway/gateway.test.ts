/**
 * What a gateway does besides bridging: names, URIs, sharing, faults of a server, policy, a changed configuration, held calls.
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { connect, McpError, McpServer } from "tenon";
import { createGateway, type Gateway, type GatewayOptions } from "tenon/gateway";
import { createFetchHandler } from "tenon/server";
import { VirtualClock } from "tenon/testing";
import * as z from "zod";
import { byName, clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const MORTAL = fileURLToPath(new URL("mortal-server.mjs", import.meta.url));

const EVERYTHING = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json")),
  "dist/index.js",
);

function noted(text: string): McpServer {
  const server = testServer({ name: text });
  server.resource("note://today", {}, () => text);
  server.tool("link", {}, () => ({ content: [{ type: "resource_link", uri: "note://today", name: "today" }] }));
  return server;
}

it("gives the second of two equal URIs an alias, in lists and in results, and both can be read", async () => {
  const client = await clientOf(gatewayOf({ servers: { a: noted("first"), b_2: noted("second") } }));
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["note://today", "b-2+note://today"]);
  for (const [tool, text] of [
    ["a__link", "first"],
    ["b_2__link", "second"],
  ] as const) {
    const { content } = await client.callTool(tool);
    const [link] = content as unknown as { uri: string }[];
    expect((await client.readResource(link!.uri)).contents).toMatchObject([{ uri: link!.uri, text }]);
  }
});

it("pages with one stable cursor over all servers, and refuses a bad one", async () => {
  const many = (count: number): McpServer => {
    const server = testServer({ name: "many" });
    for (let index = 0; index < count; index++) server.tool(`tool${index}`, {}, () => "");
    return server;
  };
  const client = await clientOf(gatewayOf({ servers: { a: many(3), b: many(2) }, limits: { pageSize: 2 } }));
  const names: string[] = [];
  for await (const { name } of client.tools()) names.push(name);
  expect(names).toEqual(["a__tool0", "a__tool1", "a__tool2", "b__tool0", "b__tool1"]);
  await expect(client.listTools({ cursor: "bad" })).rejects.toMatchObject({ code: -32602 });
});

it("calls a tool whose name does not fit by its name in the gateway", async () => {
  const server = testServer({ name: "long" });
  const name = `tool.${"x".repeat(90)}`;
  server.tool(name, {}, () => "called");
  const client = await clientOf(gatewayOf({ servers: { long: server } }));
  const [tool] = (await client.listTools()).tools;
  expect(tool!.name).toMatch(/^long__[\w-]{1,58}$/);
  expect((await client.callTool(tool!.name)).text).toBe("called");
});

it("serves the other servers while one never answers, and names the one that is down", async () => {
  const fine = testServer({ name: "fine" });
  fine.tool("here", {}, () => "here");
  const hung = { accept: () => new Promise<void>(() => undefined) };
  const client = await clientOf(
    gatewayOf({
      servers: { hung, fine, gone: { command: process.execPath, args: ["-e", "process.exit(3)"] } },
      readyTimeout: 50,
    }),
  );
  expect((await client.callTool("fine__here")).text).toBe("here");
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["fine__here"]);
  await expect(client.callTool("gone__any")).rejects.toMatchObject({ code: -32603, data: { server: "gone", reason: "down" } });
});

it("starts a program again that has ended, and fails the call that was running", async () => {
  const client = await clientOf(gatewayOf({ servers: { mortal: { command: process.execPath, args: [MORTAL] } } }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["mortal__die", "mortal__pid"]);
  const { text: before } = await client.callTool("mortal__pid");
  await expect(client.callTool("mortal__die")).rejects.toBeInstanceOf(McpError);
  const { text: after } = await client.callTool("mortal__pid");
  expect(after).toMatch(/^\d+$/);
  expect(after).not.toBe(before);
});

// One server of others, as hosts start it: what it lists and answers must come through whole.
it("passes what server-everything lists and answers, member by member", async () => {
  const entry = { command: process.execPath, args: [EVERYTHING, "stdio"] };
  const direct = await connect(entry, { revision: "2025-11-25" });
  onTestFinished(() => direct.close());
  const client = await clientOf(gatewayOf({ servers: { up: entry }, readyTimeout: 60_000 }), { revision: "2025-11-25" });
  const renamed = (await direct.listTools()).tools.map((tool) => ({ ...tool, name: `up__${tool.name}` }));
  expect((await client.listTools()).tools).toEqual(renamed);
  expect((await client.listResources()).resources).toEqual((await direct.listResources()).resources);
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual(
    (await direct.listResourceTemplates()).resourceTemplates,
  );
  expect((await client.callTool("up__echo", { message: "hi" })).content).toEqual(
    (await direct.callTool("echo", { message: "hi" })).content,
  );
});

it("denies what the policy denies in lists and calls, as if it did not exist", async () => {
  const shop = testServer({ name: "shop" });
  shop.tool("search", { annotations: { readOnlyHint: true } }, () => "found");
  shop.tool("buy", {}, () => "bought");
  const gateway = gatewayOf({ servers: { shop }, policy: ({ annotations }) => annotations["readOnlyHint"] === true });
  const client = await clientOf(gateway);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["shop__search"]);
  expect((await client.callTool("shop__search")).text).toBe("found");
  await expect(client.callTool("shop__buy")).rejects.toMatchObject({ code: -32602, message: "Unknown tool: shop__buy" });
});

it("adds, removes and changes servers, and keeps the others connected", async () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => {
    const server = testServer({ name });
    server.tool("say", {}, () => name);
    return server;
  }) as [McpServer, McpServer, McpServer];
  const gateway = gatewayOf({ servers: { a, b } });
  const client = await clientOf(gateway);
  const changes = await client.listen({ tools: true });
  await client.listTools();
  expect(await gateway.setServers({ a, b: c, d: c })).toEqual({ added: ["d"], removed: [], changed: ["b"] });
  await changes.next();
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["a__say", "b__say", "d__say"]);
  expect((await client.callTool("b__say")).text).toBe("c");
  expect(await gateway.setServers({ a })).toEqual({ added: [], removed: ["b", "d"], changed: [] });
  await expect(client.callTool("b__say")).rejects.toThrow("Unknown tool: b__say");
});

it("refuses two servers with one prefix, and options that do not exist", () => {
  expect(() => createGateway({ servers: { "a.b": noted("x"), a_b: noted("y") } })).toThrow(
    /"a.b" and "a_b" would both have the prefix "a_b"/,
  );
  expect(() => createGateway({ servers: {}, prefixes: {} } as unknown as GatewayOptions)).toThrow('Unknown option "prefixes"');
  expect(() => createGateway({ servers: {}, share: "user" as "session" })).toThrow(/"share" must be/);
});

// ---- held calls: a client without sessions, a server with sessions ----

/** A stateful server that asks for a name and counts its runs, behind a gateway that is served over HTTP. */
function asking(options: Partial<GatewayOptions> = {}): {
  /** `as`: who sends it. */
  post: (body: object, as?: string) => Promise<Record<string, unknown>>;
  runs: () => number;
  /** How the questions of its calls ended. */
  ended: () => string[];
  gateway: Gateway;
} {
  let runs = 0;
  const ended: string[] = [];
  const server = testServer({ name: "asking" });
  server.tool("greet", { input: z.object({ greeting: z.string() }) }, async ({ greeting }, ctx) => {
    runs++;
    const name = await ctx.elicit("name", { message: "Your name?", schema: z.object({ name: z.string() }) });
    ended.push(name.action);
    return `${greeting} ${name.action === "accept" ? name.content.name : name.action}`;
  });
  const gateway = gatewayOf({ servers: { up: { target: server, revision: "2025-11-25" } }, share: "principal", ...options });
  const handler = createFetchHandler(gateway, { allowedHosts: ["gateway.test"], auth: byName });
  onTestFinished(() => handler.close());
  let id = 0;
  const post = async (params: object, as = "ada"): Promise<Record<string, unknown>> => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const body = {
      jsonrpc: "2.0",
      id: ++id,
      method: "tools/call",
      params: { name: "up__greet", arguments: { greeting: "Hello" }, ...params, _meta },
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: as,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "up__greet",
    };
    const response = await handler(
      new Request("http://gateway.test/mcp", { method: "POST", headers, body: JSON.stringify(body) }),
    );
    // A response that takes long is an event stream.
    const text = await response.text();
    return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as Record<string, unknown>;
  };
  return { post, runs: () => runs, ended: () => ended, gateway };
}

interface Asked {
  readonly inputRequests: Record<string, { readonly method: string }>;
  readonly requestState: string;
}
const accept = { action: "accept", content: { name: "Ada" } };

it("holds a call with a question, continues the same call, and repeats a lost result", async () => {
  const { post, runs } = asking();
  const asked = (await post({}))["result"] as Asked;
  const [key] = Object.keys(asked.inputRequests);
  expect(asked.inputRequests[key!]).toMatchObject({ method: "elicitation/create", params: { message: "Your name?" } });
  const answer = { requestState: asked.requestState, inputResponses: { [key!]: accept } };
  expect(await post(answer)).toMatchObject({ result: { content: [{ text: "Hello Ada" }] } });
  expect(await post(answer)).toMatchObject({ result: { content: [{ text: "Hello Ada" }] } });
  expect(runs()).toBe(1);
});

it("opens a call's state only for the principal that made it: another one answers no question and gets no result", async () => {
  const { post, runs, ended } = asking();
  const asked = (await post({}, "ada"))["result"] as Asked;
  const [key] = Object.keys(asked.inputRequests);
  const answerOf = (name: string): object => ({
    requestState: asked.requestState,
    inputResponses: { [key!]: { action: "accept", content: { name } } },
  });
  expect(await post(answerOf("Eve"), "eve")).toMatchObject({ error: { code: -32602 } });
  expect(ended()).toEqual([]);
  expect(await post(answerOf("Ada"), "ada")).toMatchObject({ result: { content: [{ text: "Hello Ada" }] } });
  expect(await post(answerOf("Eve"), "eve")).toMatchObject({ error: { code: -32602 } }); // nor the result that is kept
  expect([runs(), ended()]).toEqual([1, ["accept"]]);
});

it("asks again if a round brings no answer", async () => {
  const { post, runs } = asking();
  const asked = (await post({}))["result"] as Asked;
  const again = (await post({ requestState: asked.requestState, inputResponses: {} }))["result"] as Asked;
  const [key] = Object.keys(again.inputRequests);
  expect(key).toBe(Object.keys(asked.inputRequests)[0]);
  expect(await post({ requestState: again.requestState, inputResponses: { [key!]: accept } })).toMatchObject({
    result: { content: [{ text: "Hello Ada" }] },
  });
  expect(runs()).toBe(1);
});

it("opens a state with the same arguments only, and never runs a lost call again", async () => {
  const keys = ["k".repeat(32)];
  const first = asking({ requestState: { keys } });
  const asked = (await first.post({}))["result"] as Asked;
  const [key] = Object.keys(asked.inputRequests);
  const answer = { requestState: asked.requestState, inputResponses: { [key!]: accept } };
  expect(await first.post({ ...answer, arguments: { greeting: "Bye" } })).toMatchObject({ error: { code: -32602 } });
  expect(await first.post({ ...answer, requestState: "v1.x.y" })).toMatchObject({ error: { code: -32602 } });
  const other = asking({ requestState: { keys } });
  expect(await other.post(answer)).toMatchObject({
    error: { code: -32603, data: { server: "up", reason: "suspended_call_lost" } },
  });
  expect(other.runs()).toBe(0);
});

it("ends a held call at its deadline, tells its server, and refuses a late answer", async () => {
  const clock = new VirtualClock();
  const { post, ended } = asking({ clock, requestState: { ttl: 300_000 } });
  let asked: Asked | undefined;
  void post({}).then(({ result }) => (asked = result as Asked));
  // The questions of 20 ms are one round, whenever the first of them comes.
  await expect.poll(() => clock.advance(20).then(() => asked)).toBeDefined();
  const [key] = Object.keys(asked!.inputRequests);
  expect(ended()).toEqual([]);
  await clock.advance(300_000);
  await expect.poll(ended).toEqual(["cancel"]);
  expect(await post({ requestState: asked!.requestState, inputResponses: { [key!]: accept } })).toMatchObject({
    error: { code: -32602 },
  });
});

it("counts a held call for the quota of calls that run until it has ended, and refuses no answer to it", async () => {
  const clock = new VirtualClock();
  const { post, ended } = asking({ clock, quotas: { up: { running: 1 } }, requestState: { ttl: 300_000 } });
  const ask = async (): Promise<Asked | undefined> => {
    let response: Record<string, unknown> | undefined;
    void post({}).then((body) => (response = body));
    await vi.waitFor(() => clock.advance(20).then(() => expect(response).toBeDefined()), { timeout: 60_000 });
    return response!["result"] as Asked | undefined;
  };
  const refused = { error: { code: -32603, data: { limit: "quotas.running", max: 1, server: "up" } } };
  const { inputRequests, requestState } = (await ask())!;
  expect(await post({})).toMatchObject(refused);
  const answer = { requestState, inputResponses: { [Object.keys(inputRequests)[0]!]: accept } };
  expect(await post(answer)).toMatchObject({ result: { content: [{ text: "Hello Ada" }] } });
  expect(await ask()).toBeDefined();
  expect(await post({})).toMatchObject(refused);
  await clock.advance(300_000); // nobody answers
  await vi.waitFor(() => expect(ended()).toEqual(["accept", "cancel"]), { timeout: 60_000 });
  await vi.waitFor(async () => expect(await ask()).toBeDefined(), { timeout: 60_000 });
});

it("refuses to hold more calls than the limit", async () => {
  const { post } = asking({ limits: { maxHeld: 3 * 131_072 } });
  expect((await post({}))["result"]).toHaveProperty("requestState");
  const second = await post({});
  expect(JSON.stringify(second)).not.toContain("requestState");
});
