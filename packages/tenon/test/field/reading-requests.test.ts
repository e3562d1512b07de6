/** What clients and hosts write into requests, notifications and answers, read by a server. */
import { describe, expect, it, vi } from "vitest";
import { connect, type Deviation, type JsonObject, type McpServer, type McpServerOptions } from "tenon";
import { RawClient, STATELESS_META } from "../support/raw-client.ts";
import { result, scriptedServer } from "../support/scripted-server.ts";
import { testServer } from "../support/test-server.ts";

const STATEFUL = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

function serverOf(options: McpServerOptions = {}): McpServer {
  const server = testServer(options);
  server.tool("opt", {}, () => "hi");
  server.prompt("p", {}, () => "hello");
  return server;
}

/** Sends a request as a text, and returns its response. */
async function asked(client: RawClient, method: string, params: unknown): Promise<JsonObject> {
  const [response] = await client.send(JSON.stringify({ jsonrpc: "2.0", id: 5, method, params }));
  return response!;
}

const DEVIATING: readonly (readonly [method: string, params: unknown, result: object])[] = [
  ["tools/list", null, { tools: [{ name: "opt" }] }],
  ["tools/list", [], { tools: [{ name: "opt" }] }],
  ["tools/list", { cursor: null, _meta: null }, { tools: [{ name: "opt" }] }],
  ["tools/call", { name: "opt", arguments: null }, { content: [{ text: "hi" }] }],
  ["tools/call", { name: "opt", arguments: [] }, { content: [{ text: "hi" }] }],
  ["tools/call", { name: "opt", arguments: {}, _meta: { progressToken: null } }, { content: [{ text: "hi" }] }],
  ["prompts/get", { name: "p", arguments: null }, { messages: [{}] }],
  ["prompts/get", { name: "p", arguments: { a: null } }, { messages: [{}] }],
  ["ping", null, {}],
];

describe.each(STATEFUL)("a request on %s with members that are null or empty", (version) => {
  it.each(DEVIATING)("is served: %s %j [FD-03]", async (method, params, expected) => {
    const deviations: Deviation[] = [];
    const client = new RawClient(serverOf({ onDeviation: (deviation) => deviations.push(deviation) }));
    await client.initialize(version);
    expect(await asked(client, method, params)).toMatchObject({ result: expected });
    await asked(client, method, params);
    expect(deviations).toHaveLength(1);
  });

  it.each(DEVIATING)("is refused by a strict server, which says why: %s %j [FD-03]", async (method, params) => {
    const client = new RawClient(serverOf({ strict: true, onError: () => undefined }));
    await client.initialize(version);
    expect(await asked(client, method, params)).toMatchObject({
      error: { code: -32602, data: expect.stringMatching(/ is (null|an empty list)/) },
    });
  });
});

it.each([
  { sampling: null, roots: null, elicitation: null },
  [],
  { experimental: [], roots: [] },
  { experimental: { a: null }, extensions: null },
])("a handshake with the capabilities %j is made [FD-03 FD-38]", async (capabilities) => {
  const client = new RawClient(serverOf());
  const clientInfo = { name: "c", version: "1", title: null, icons: null };
  const params = { protocolVersion: "2025-06-18", capabilities, clientInfo, _meta: null };
  expect(await asked(client, "initialize", params)).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
});

it("what a client without a session says of itself may be null or empty [FD-03 FD-38]", async () => {
  const server = serverOf();
  let meta: unknown;
  server.use((next) => (context) => {
    meta = context.params["_meta"];
    return next(context);
  });
  const client = new RawClient(server);
  const [version, capabilities] = Object.keys(STATELESS_META);
  const odd = { [version!]: "2026-07-28", [capabilities!]: [], "io.modelcontextprotocol/clientInfo": null, progressToken: null };
  expect(await asked(client, "tools/list", { _meta: odd, cursor: null })).toMatchObject({ result: { tools: [{ name: "opt" }] } });
  expect(meta).toEqual({ [version!]: "2026-07-28", [capabilities!]: {} });
});

it.each([
  ["2025-06-18", "tools/call", { name: 7 }, "params.name is not a string"],
  ["2025-06-18", "tools/call", {}, "params.name is missing"],
  ["2025-06-18", "tools/call", { name: "opt", arguments: "{}" }, "params.arguments is not an object"],
  ["2025-06-18", "tools/list", { cursor: 7 }, "params.cursor is not a string"],
  [
    "2026-07-28",
    "tools/list",
    { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    "clientCapabilities is missing",
  ],
] as const)(
  "the error for a wrong request names its member, and the log has one line: %s %s %j [FD-03]",
  async (version, method, params, member) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    try {
      const client = new RawClient(serverOf());
      if (version !== "2026-07-28") await client.initialize(version);
      expect(await asked(client, method, params)).toMatchObject({
        error: { code: -32602, data: expect.stringContaining(member) },
      });
      const lines = log.mock.calls.map((words) => words.join(" "));
      expect(lines).toEqual([expect.stringMatching(/^tenon: \S+ failed: Invalid request parameters: params\..+ is [^\n]+$/)]);
    } finally {
      log.mockRestore();
    }
  },
);

it.each([
  ["a declined form with content: null", { action: "decline", content: null }, "decline"],
  ["an accepted form with a field that is null", { action: "accept", content: { a: null, b: "x" }, _meta: null }, '{"b":"x"}'],
  ["an accepted form with content: []", { action: "accept", content: [] }, "{}"],
])("%s is an answer [FD-32]", async (_what, answer, said) => {
  const server = testServer();
  const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } } as const;
  server.tool("ask", {}, async (_input, ctx) => {
    const { action, content } = (await ctx.elicit("q", { message: "?", schema })) as { action: string; content?: object };
    return action === "accept" ? JSON.stringify(content) : action;
  });
  const client = new RawClient(server);
  await client.initialize("2025-06-18", { elicitation: {} });
  const [question] = await client.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } });
  let [response] = await client.send(JSON.stringify({ jsonrpc: "2.0", id: question!["id"], result: answer, error: null }));
  await expect
    .poll(async () => (response ??= (await client.send())[0]), { timeout: 30_000 })
    .toMatchObject({ result: { content: [{ text: said }] } });
});

describe("a question of a revision that does not have it", () => {
  const form = { message: "?", requestedSchema: { type: "object", properties: {} } };
  const ask = (params: object): string => JSON.stringify({ jsonrpc: "2.0", id: 9, method: "elicitation/create", params });
  const initialized = result({ protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "java", version: "1" } });

  it("is answered by a client that has declared it [FD-08]", async () => {
    const deviations: Deviation[] = [];
    const server = scriptedServer({ initialize: initialized });
    await using _client = await connect(server, {
      revision: "stateful",
      onElicit: () => ({ action: "accept", content: {} }),
      onDeviation: (deviation) => deviations.push(deviation),
    });
    server.push(ask(form));
    await expect.poll(() => server.sent.at(-1)).toEqual({ jsonrpc: "2.0", id: 9, result: { action: "accept", content: {} } });
    server.push(ask({ message: 7 }));
    await expect.poll(() => server.sent.at(-1)).toMatchObject({ error: { code: -32602 } });
    expect(deviations).toMatchObject([{ kind: "newer-question", method: "elicitation/create" }]);
  });

  it.each([{}, { onElicit: () => ({ action: "accept" as const }), strict: true }])(
    "is refused by others: %j [FD-08]",
    async (options) => {
      const server = scriptedServer({ initialize: initialized });
      await using _client = await connect(server, { revision: "stateful", ...options });
      server.push(ask(form));
      await expect.poll(() => server.sent.at(-1)).toMatchObject({ error: { code: -32601 } });
    },
  );
});

it("a question in a result has params, although it needs none [FD-43]", async () => {
  const server = testServer();
  server.tool("ask", {}, async (_input, ctx) => JSON.stringify(await ctx.roots("r")));
  const client = new RawClient(server);
  const capabilities = { "io.modelcontextprotocol/clientCapabilities": { roots: {} } };
  expect(await client.ask("tools/call", { name: "ask", _meta: capabilities })).toMatchObject({
    result: { inputRequests: { r: { method: "roots/list", params: {} } } },
  });
});
