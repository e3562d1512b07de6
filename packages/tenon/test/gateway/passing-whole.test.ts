/**
 * What comes through a gateway whole: entries of lists, URIs in results, notifications, capabilities; and that a policy denies in
 * every method.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { McpServer, type Client, type JsonObject, type ProtocolVersion } from "tenon";
import { tasks } from "tenon/ext/tasks";
import * as z from "zod";
import { result, scriptedServer } from "../support/scripted-server.ts";
import type { ScriptedTransport } from "../support/scripted-transport.ts";
import { rawTasks } from "./matrix/upstream.ts";
import { clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const FAMILIES = ["2025-11-25", "2026-07-28"] as const;
/** Clients and servers, with and without sessions. */
const PAIRS = FAMILIES.flatMap((front) => FAMILIES.map((behind) => [front, behind] as const));

const UNKNOWN = { "x-unknown": { deep: [1, null, "ü"] }, _meta: { "com.example/owner": "ada" } };
const DESCRIBED = {
  title: "T",
  description: "D",
  icons: [{ src: "https://example.com/i.png", theme: "dark", "x-icon": 1 }],
  ...UNKNOWN,
};
const SCHEMA = { type: "object", properties: { a: { type: "string", "x-widget": "secret" } }, "x-order": ["a"] };
const ENTRIES = {
  tools: [
    {
      name: "act",
      inputSchema: SCHEMA,
      outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      annotations: { readOnlyHint: true, "x-hint": 1 },
      ...DESCRIBED,
    },
  ],
  prompts: [{ name: "review", arguments: [{ name: "code", title: "C", required: true, "x-kind": "text" }], ...DESCRIBED }],
  resources: [
    {
      uri: "note://today",
      name: "today",
      mimeType: "text/plain",
      size: 8,
      annotations: { audience: ["user"], priority: 1, "x-a": 1 },
      ...DESCRIBED,
    },
  ],
  resourceTemplates: [
    { uriTemplate: "note://{id}", name: "note", mimeType: "text/plain", annotations: { priority: 0 }, ...DESCRIBED },
  ],
};
const complete = (members: JsonObject): JsonObject => ({ resultType: "complete", ttlMs: 0, cacheScope: "private", ...members });

/** A server of every revision with one entry in each list, whose tool returns that. */
function described(called: JsonObject = { content: [] }): ScriptedTransport {
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  return scriptedServer({
    initialize: result({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "odd", version: "1" } }),
    "server/discover": result(complete({ supportedVersions: ["2026-07-28"], capabilities })),
    "tools/list": result(complete({ tools: ENTRIES.tools })),
    "prompts/list": result(complete({ prompts: ENTRIES.prompts })),
    "resources/list": result(complete({ resources: ENTRIES.resources })),
    "resources/templates/list": result(complete({ resourceTemplates: ENTRIES.resourceTemplates })),
    "tools/call": result(complete(called)),
  });
}

describe.each(PAIRS)("a client of %s and a server of %s", (revision, behind) => {
  it("each member of each entry of a list, also those that the gateway does not know", async () => {
    const client = await clientOf(gatewayOf({ servers: { up: { target: described(), revision: behind } } }), { revision });
    const list = async (method: string, name: string): Promise<unknown> => (await client.request(method, {}))[name];
    expect(await list("tools/list", "tools")).toEqual(ENTRIES.tools.map((tool) => ({ ...tool, name: "up__act" })));
    expect(await list("prompts/list", "prompts")).toEqual(ENTRIES.prompts.map((prompt) => ({ ...prompt, name: "up__review" })));
    expect(await list("resources/list", "resources")).toEqual(ENTRIES.resources);
    expect(await list("resources/templates/list", "resourceTemplates")).toEqual(ENTRIES.resourceTemplates);
  });

  it("a result that does not fit the schema of its tool", async () => {
    const wrong = { content: [{ type: "text", text: "n", "x-a": 1 }], structuredContent: { n: "no number" }, "x-unknown": 1 };
    const client = await clientOf(gatewayOf({ servers: { up: { target: described(wrong), revision: behind } } }), { revision });
    expect(await client.request("tools/call", { name: "up__act", arguments: {} })).toMatchObject(wrong);
  });

  it("all pages of the lists of a server", async () => {
    const server = testServer({ name: "up", pageSize: 2 });
    for (let at = 0; at < 5; at++) {
      server.tool(`tool${at}`, {}, () => "");
      server.prompt(`prompt${at}`, {}, () => "");
      server.resource(`note://${at}`, {}, () => "");
    }
    const client = await clientOf(gatewayOf({ servers: { up: { target: server, revision: behind } } }), { revision });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((at) => `up__tool${at}`));
    expect((await client.listPrompts()).prompts).toHaveLength(5);
    expect((await client.listResources()).resources).toHaveLength(5);
  });

  it("changes of each list, and no word of those that have not changed", async () => {
    const server = testServer({ name: "up" });
    server.tool("first", {}, () => "");
    server.prompt("first", {}, () => "");
    server.resource("note://first", {}, () => "");
    const client = await clientOf(gatewayOf({ servers: { up: { target: server, revision: behind } } }), { revision });
    await client.listTools();
    const changes = await client.listen({ tools: true, prompts: true, resources: true });
    onTestFinished(() => changes.close());
    const next = async (): Promise<string> => ((await changes.next()).value as { kind: string }).kind;
    server.prompt("second", {}, () => "");
    expect(await next()).toBe("prompts");
    server.resource("note://second", {}, () => "");
    expect(await next()).toBe("resources");
    server.tool("second", {}, () => "");
    expect(await next()).toBe("tools");
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["up__first", "up__second"]);
  });

  it("each URI in each place of a result can be read, although two servers have the same", async () => {
    const paged = (text: string): McpServer => {
      const server = testServer({ name: text });
      server.resource("note://today", {}, () => text);
      server.resource("ui://page/main", { mimeType: "text/html" }, () => text);
      server.resource("opaque:x,y;z", {}, () => text);
      server.resourceTemplate("note://by/{id}", {}, () => text);
      const pages = { ui: { resourceUri: "ui://page/main" }, "ui/resourceUri": "ui://page/main" };
      const uris = ["note://today", "note://by/7", "opaque:x,y;z", "ui://page/main"];
      const content = uris.flatMap((uri) => [
        { type: "resource_link", uri, name: "n" } as const,
        { type: "resource", resource: { uri, text } } as const,
      ]);
      server.tool("show", { _meta: pages }, () => ({
        content,
        _meta: pages,
      }));
      server.prompt("show", {}, () => ({ messages: content.map((block) => ({ role: "user", content: block })) }));
      return server;
    };
    const servers = { a: { target: paged("a"), revision: behind }, b: { target: paged("b"), revision: behind } };
    const client = await clientOf(gatewayOf({ servers }), { revision });
    const { tools } = await client.listTools();
    for (const name of ["a", "b"]) {
      const called = await client.request("tools/call", { name: `${name}__show`, arguments: {} });
      const { messages } = await client.getPrompt(`${name}__show`);
      const tool = tools.find((one) => one.name === `${name}__show`);
      const found = urisIn([called, messages, tool as unknown as JsonObject]);
      expect(found.length).toBe(20);
      for (const uri of found) expect((await client.readResource(uri)).contents).toMatchObject([{ uri, text: name }]);
    }
  });

  it("a member of _meta that is named __proto__ stays one", async () => {
    const server = testServer({ name: "up" });
    server.tool("meta", {}, (_input, { meta }) => JSON.stringify([Object.hasOwn(meta, "__proto__"), "given" in meta]));
    const client = await clientOf(gatewayOf({ servers: { up: { target: server, revision: behind } } }), { revision });
    const params = JSON.parse('{"name":"up__meta","arguments":{},"_meta":{"__proto__":{"given":true}}}') as JsonObject;
    expect(await client.request("tools/call", params)).toMatchObject({ content: [{ text: "[true,false]" }] });
  });

  it("every capability has requests that work", async () => {
    const server = testServer({ name: "up" });
    server.resource("note://today", {}, () => "");
    server.prompt("review", { input: z.object({ code: z.string() }) }, () => "");
    const client = await clientOf(gatewayOf({ servers: { up: { target: server, revision: behind } } }), { revision });
    await client.listTools();
    const { serverCapabilities } = await clientOf(gatewayOf({ servers: { up: { target: server, revision: behind } } }), {
      revision,
    });
    const ref = { type: "ref/prompt", name: "up__review" } as const;
    const requests: Record<string, () => Promise<unknown>> = {
      tools: () => client.listTools(),
      prompts: () => client.listPrompts(),
      resources: async () => [await client.listResources(), await (await client.listen({ resources: ["note://today"] })).close()],
      completions: () => client.complete({ ref, argument: { name: "code", value: "" } }),
      logging: () =>
        revision === "2025-11-25" ? client.setLoggingLevel("info") : client.callTool("up__none").catch(() => undefined),
      tasks: () => client.request("tasks/list", {}),
    };
    const declared = Object.keys(serverCapabilities).filter((name) => name !== "extensions" && name !== "experimental");
    expect(declared).toEqual(expect.arrayContaining(["tools", "prompts", "resources"]));
    for (const name of declared) await requests[name]!();
  });
});

/** Texts in the places of URIs, at any depth. */
function urisIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(urisIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    /^(uri|(ui\/)?resourceUri)$/.test(name) ? [one as string] : urisIn(one),
  );
}

it("names and URIs of a server stay as they are while others come and go, from none to two and back", async () => {
  const noted = (name: string): McpServer => {
    const server = testServer({ name });
    server.tool("say", {}, () => name);
    server.prompt("say", {}, () => name);
    server.resource("note://today", {}, () => name);
    return server;
  };
  const [a, b] = [noted("a"), noted("b")];
  const gateway = gatewayOf({ servers: {} });
  const client = await clientOf(gateway);
  const seen = async (): Promise<readonly string[]> => [
    ...(await client.listTools()).tools.map(({ name }) => name),
    ...(await client.listPrompts()).prompts.map(({ name }) => name),
    ...(await client.listResources()).resources.map(({ uri }) => uri),
  ];
  expect(await seen()).toEqual([]);
  await gateway.setServers({ a });
  const ofOne = ["a__say", "a__say", "note://today"];
  expect(await seen()).toEqual(ofOne);
  await gateway.setServers({ a, b });
  const ofTwo = ["a__say", "b__say", "a__say", "b__say", "note://today", "b+note://today"];
  expect(await seen()).toEqual(ofTwo);
  expect((await client.readResource("note://today")).contents).toMatchObject([{ text: "a" }]);
  await gateway.setServers({ a });
  expect(await seen()).toEqual(ofOne);
  expect((await client.callTool("a__say")).text).toBe("a");
});

describe.each(PAIRS)("a policy, for a client of %s and a server of %s", (revision, behind) => {
  /** A server with one of each that the policy denies, and the requests that reached it. */
  function guarded(): { server: McpServer; reached: string[] } {
    const reached: string[] = [];
    const server = testServer({ name: "up", extensions: [tasks()] });
    const complete = { id: () => ["1"] };
    server.tool("secret", { task: true }, () => "secret");
    server.prompt("secret", { input: z.object({ id: z.string() }), complete }, () => "secret");
    server.resource("secret://one", {}, () => "secret");
    server.resourceTemplate("secret://by/{id}", { complete }, () => "secret");
    server.use((next) => (context) => {
      if (JSON.stringify(context.params).includes("secret")) reached.push(context.method);
      return next(context);
    });
    return { server, reached };
  }

  const requests: readonly [string, (client: Client, revision: ProtocolVersion) => Promise<unknown>][] = [
    ["tools/call", (client) => client.callTool("up__secret")],
    ["tools/call of call_tool", (client) => client.callTool("call_tool", { name: "up__secret", arguments: {} })],
    ["tools/call as a task", (client) => client.request("tools/call", { name: "up__secret", arguments: {}, task: {} })],
    [
      "call_tool as a task",
      (client) => client.request("tools/call", { name: "call_tool", arguments: { name: "up__secret" }, task: {} }),
    ],
    ["prompts/get", (client) => client.getPrompt("up__secret", { id: "1" })],
    ["resources/read", (client) => client.readResource("secret://one")],
    ["resources/read of a template", (client) => client.readResource("secret://by/1")],
    ["resources/read of an alias", (client) => client.readResource("up+secret://one")],
    ["resources/subscribe", (client) => client.request("resources/subscribe", { uri: "secret://one" })],
    ["resources/unsubscribe", (client) => client.request("resources/unsubscribe", { uri: "secret://one" })],
    [
      "completion of a prompt",
      (client) => client.complete({ ref: { type: "ref/prompt", name: "up__secret" }, argument: { name: "id", value: "" } }),
    ],
    [
      "completion of a template",
      (client) =>
        client.complete({ ref: { type: "ref/resource", uri: "secret://by/{id}" }, argument: { name: "id", value: "" } }),
    ],
    ["subscriptions/listen", (client) => client.listen({ resources: ["secret://one"] }).then((changes) => changes.close())],
  ];

  it.each(requests)("denies in %s what it denies, and the server gets nothing", async (_method, send) => {
    const { server, reached } = guarded();
    const policy = ({ name }: { readonly name: string }): boolean => !name.includes("secret");
    const gateway = gatewayOf({ servers: { up: { target: server, revision: behind } }, policy, search: true });
    const client = await clientOf(gateway, { revision, extensions: [rawTasks] });
    const lists = [
      await client.listTools(),
      await client.listPrompts(),
      await client.listResources(),
      await client.listResourceTemplates(),
    ];
    expect(JSON.stringify(lists)).not.toContain("secret");
    const told = await send(client, revision).then(
      (value) => JSON.stringify(value ?? {}),
      (error: Error) => `refused: ${error.message}`,
    );
    expect(told).toMatch(/^refused: |"isError":true|^\{\}$|"values":\[\]/);
    expect(reached).toEqual([]);
  });

  it.each(requests.slice(0, 1))("which %s reaches without it", async (_method, send) => {
    const { server, reached } = guarded();
    const client = await clientOf(gatewayOf({ servers: { up: { target: server, revision: behind } } }), { revision });
    await send(client, revision);
    expect(reached).toContain("tools/call");
  });
});
