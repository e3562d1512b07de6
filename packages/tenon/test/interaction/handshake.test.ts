/** The handshake of the stateful revisions, and stateless requests beside it, on the wire. */
import { describe, expect, it } from "vitest";
import { McpError, McpServer, STATEFUL_VERSIONS, type JsonObject, type RequestContext } from "tenon";
import { RawClient, STATELESS_META } from "../support/raw-client.ts";

const info = { protocolVersion: "2025-11-25", capabilities: { roots: {} }, clientInfo: { name: "c", version: "1" } };

function createServer(look?: (context: RequestContext) => void): McpServer {
  const server = new McpServer({ name: "s", version: "1", title: "S", description: "D" }, { onError: () => undefined });
  server.tool("look", {}, (_input, context) => {
    look?.(context);
    return "looked";
  });
  server.resource("a://b", {}, () => "B");
  return server;
}

const errorOf = (answer: JsonObject): JsonObject => answer["error"] as JsonObject;
const resultOf = (answer: JsonObject): JsonObject => answer["result"] as JsonObject;

describe("The handshake", () => {
  it("takes effect with its response: the next request knows the client [SS-20 SS-22 SS-31]", async () => {
    let seen: unknown;
    const client = new RawClient(createServer(({ client, protocolVersion }) => (seen = { ...client, protocolVersion })));
    const { result } = await client.request("initialize", info);
    expect(result).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} },
      serverInfo: { name: "s", version: "1", title: "S", description: "D" },
    });
    expect(resultOf(await client.request("tools/call", { name: "look" }))).toMatchObject({ content: [{ text: "looked" }] });
    expect(seen).toEqual({ info: { name: "c", version: "1" }, capabilities: { roots: {} }, protocolVersion: "2025-11-25" });
  });

  it.each([...STATEFUL_VERSIONS])("for %s the response is the same revision [SS-21 CF-19 B1.2]", async (version) => {
    const client = new RawClient(createServer());
    expect(resultOf(await client.request("initialize", { ...info, protocolVersion: version }))["protocolVersion"]).toBe(version);
  });

  it.each(["2026-07-28", "1999-01-01", "2099-01-01", "", "constructor"])(
    "for %s the response is the newest handshake revision, never an error [SS-21 CF-19 B1.2 B1.8]",
    async (version) => {
      const client = new RawClient(createServer());
      expect(resultOf(await client.request("initialize", { ...info, protocolVersion: version }))["protocolVersion"]).toBe(
        "2025-11-25",
      );
    },
  );

  it("ping gets a response in any state [SS-23 XT-10]", async () => {
    const client = new RawClient(createServer());
    expect(await client.request("ping")).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    await client.initialize("2025-06-18");
    expect(await client.request("ping", {}, 2)).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  });

  it("a request before it is refused, and the connection lives [SS-24 CF-09 XT-10]", async () => {
    const client = new RawClient(createServer());
    const refused = await client.request("tools/list");
    expect(errorOf(refused)).toEqual({ code: -32602, message: "Received request before initialization was complete" });
    // Whether the method exists is checked first.
    expect(errorOf(await client.request("no/such"))).toMatchObject({ code: -32601, data: "no/such" });
    expect(errorOf(await client.request("server/discover"))).toMatchObject({ code: -32601 });
    await client.initialize("2025-11-25");
    expect(resultOf(await client.request("tools/list"))).toMatchObject({ tools: [{ name: "look" }] });
  });

  it("a request pipelined behind it is served [SS-28 XT-10]", async () => {
    const client = new RawClient(createServer());
    const written = await client.send(
      { jsonrpc: "2.0", id: 0, method: "initialize", params: info },
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
    );
    expect(written).toMatchObject([
      { id: 0, result: {} },
      { id: 1, result: { tools: [{ name: "look" }] } },
    ]);
  });

  it("the end of the handshake opens nothing by itself, and may come any number of times [SS-25]", async () => {
    const client = new RawClient(createServer());
    const done = { jsonrpc: "2.0", method: "notifications/initialized" };
    await client.send(done, done);
    expect(errorOf(await client.request("tools/list"))).toMatchObject({ code: -32602 });
    await client.initialize("2025-11-25");
    await client.send(done, done);
    expect(resultOf(await client.request("tools/list"))).toMatchObject({ tools: [{ name: "look" }] });
  });

  it("other notifications before it change nothing [SS-26]", async () => {
    const server = createServer();
    const client = new RawClient(server);
    const early = await client.send(
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      { jsonrpc: "2.0", method: "notifications/no/such", params: { a: 1 } },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
    );
    expect(early).toEqual([]);
    server.tool("new", {}, () => "");
    expect(await client.send()).toEqual([]);
    expect(errorOf(await client.request("tools/list"))).toMatchObject({ code: -32602 });
  });

  it("before its end the server asks nothing by itself, whatever the client can do and whatever changes [B1.6]", async () => {
    const server = createServer();
    server.onRootsChanged(() => undefined);
    const client = new RawClient(server);
    const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
    const opened = await client.send({ jsonrpc: "2.0", id: 0, method: "initialize", params: { ...info, capabilities } });
    server.tool("new", {}, () => "");
    const later = await client.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    expect([...opened, ...later].filter((message) => "method" in message && "id" in message)).toEqual([]);
    expect(opened).toMatchObject([{ id: 0, result: {} }]);
  });

  it("a second one is refused, and the first stays in force [SS-27]", async () => {
    const client = new RawClient(createServer());
    await client.initialize("2025-06-18");
    expect(errorOf(await client.request("initialize", info))).toMatchObject({ code: -32600 });
    const { tools } = resultOf(
      await client.request("tools/call", { name: "nothing" }).then(() => client.request("tools/list")),
    ) as {
      tools: JsonObject[];
    };
    expect(Object.keys(tools[0]!)).toEqual(["name", "inputSchema"]);
    expect(errorOf(await client.request("resources/read", { uri: "a://c" }))).toMatchObject({ code: -32002 });
  });

  it("malformed params are -32602, snake_case included, and it can be tried again [CF-08 CV-02 B1.1]", async () => {
    const client = new RawClient(createServer());
    const { clientInfo, capabilities } = info;
    const wrong: [JsonObject, string][] = [
      [{}, "params.protocolVersion is missing"],
      [{ protocol_version: "2025-11-25", capabilities, client_info: clientInfo }, "params.protocolVersion is missing"],
      [{ ...info, clientInfo: { name: 1 } }, "params.clientInfo.name is not a string"],
      [{ ...info, capabilities: [1] }, "params.capabilities is not an object"],
    ];
    for (const [params, data] of wrong) {
      expect(errorOf(await client.request("initialize", params))).toEqual({
        code: -32602,
        message: "Invalid request parameters",
        data,
      });
    }
    expect(resultOf(await client.request("initialize", info))["protocolVersion"]).toBe("2025-11-25");
  });

  it("nothing absent and nothing of a stateless revision is written [A2.4 CV-03]", async () => {
    const client = new RawClient(createServer());
    const texts = [JSON.stringify(await client.initialize("2025-11-25"))];
    for (const method of ["tools/list", "resources/list", "resources/templates/list", "ping"])
      texts.push(JSON.stringify(await client.request(method)));
    texts.push(
      JSON.stringify(await client.request("tools/call", { name: "look" })),
      JSON.stringify(await client.request("resources/read", { uri: "a://b" })),
    );
    for (const text of texts) expect(text).not.toMatch(/null|resultType|ttlMs|cacheScope|serverInfo":\{[^}]*\}\},"_meta/);
  });
});

describe("Stateless requests", () => {
  it("are served on a connection of any state, each by its own identity [B5.6 B5.1 A4.1]", async () => {
    const seen: unknown[] = [];
    const client = new RawClient(createServer(({ client, protocolVersion }) => seen.push([protocolVersion, client.info?.name])));
    const look = { name: "look" };
    const named = (name: string): JsonObject => ({
      ...look,
      _meta: { "io.modelcontextprotocol/clientInfo": { name, version: "1" } },
    });
    expect(resultOf(await client.ask("tools/call", named("first")))).toMatchObject({ resultType: "complete" });
    expect(errorOf(await client.request("tools/call", look))).toMatchObject({ code: -32602 });
    await client.initialize("2024-11-05");
    await client.ask("tools/call", named("second"));
    expect(resultOf(await client.request("tools/call", look))).not.toHaveProperty("resultType");
    await client.ask("tools/call", look);
    expect(seen).toEqual([
      ["2026-07-28", "first"],
      ["2026-07-28", "second"],
      ["2024-11-05", "raw"],
      ["2026-07-28", undefined],
    ]);
  });

  it.each([
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/result",
    "tasks/list",
  ])("%s is no method of theirs [B5.2 I2 requirement G9]", async (method) => {
    const client = new RawClient(createServer());
    await client.initialize("2025-11-25");
    expect(errorOf(await client.ask(method, { ...info, level: "info", uri: "a://b" }))).toMatchObject({
      code: -32601,
      data: method,
    });
  });

  it("need their version and capabilities, well-formed [A3.7]", async () => {
    const client = new RawClient(createServer());
    const version = "io.modelcontextprotocol/protocolVersion";
    const capabilities = "io.modelcontextprotocol/clientCapabilities";
    const wrong: JsonObject[] = [
      { [version]: "2026-07-28" },
      { [capabilities]: {} },
      { ...STATELESS_META, [version]: 20260728 },
      { ...STATELESS_META, [capabilities]: [1] },
      { ...STATELESS_META, "io.modelcontextprotocol/clientInfo": { name: "nameless version" } },
      { ...STATELESS_META, "io.modelcontextprotocol/logLevel": "loud" },
    ];
    for (const _meta of wrong) {
      const { error } = await client.request("tools/list", { _meta });
      const data = expect.stringMatching(/^params\._meta\..+ is (missing|not )/) as string;
      expect(error).toEqual({ code: -32602, message: "Invalid request parameters", data });
    }
  });

  it("name a revision that is served, or get -32022 with those that are [A5.2 B2.2]", async () => {
    const client = new RawClient(createServer());
    for (const requested of ["2025-11-25", "2099-01-01", "x"]) {
      const { error } = await client.request("no/such", {
        _meta: { ...STATELESS_META, "io.modelcontextprotocol/protocolVersion": requested },
      });
      expect(error).toMatchObject({ code: -32022, data: { supported: ["2026-07-28"], requested } });
    }
  });

  it("server/discover returns what is served, the server's identity, and the lifetime of the result [B2.5 A3.8 J1]", async () => {
    const client = new RawClient(createServer());
    expect(resultOf(await client.ask("server/discover"))).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} },
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1", title: "S", description: "D" } },
    });
  });

  it("every result has its kind and the server's identity; lists and reads have their lifetime [A2.1 A3.8 J1]", async () => {
    const client = new RawClient(createServer());
    const serverInfo = { "io.modelcontextprotocol/serverInfo": { name: "s" } };
    const cacheable: [string, JsonObject][] = [
      ["tools/list", {}],
      ["resources/list", {}],
      ["resources/templates/list", {}],
      ["resources/read", { uri: "a://b" }],
    ];
    for (const [method, params] of cacheable) {
      expect(resultOf(await client.ask(method, params))).toMatchObject({
        resultType: "complete",
        ttlMs: 0,
        cacheScope: "private",
        _meta: serverInfo,
      });
    }
    const called = resultOf(await client.ask("tools/call", { name: "look" }));
    expect(called).toMatchObject({ resultType: "complete", _meta: serverInfo });
    expect(called).not.toHaveProperty("ttlMs");
  });

  it("never fail with a code of the stateful revisions [A5.4 A5.3]", async () => {
    const server = createServer();
    const codes = [-32002, -32042, -32000, -32001, -32050];
    codes.forEach((code) =>
      server.resource(`code://${-code}`, {}, () => {
        throw new McpError(code, "x");
      }),
    );
    const client = new RawClient(server);
    expect(errorOf(await client.ask("resources/read", { uri: "a://none" }))).toMatchObject({
      code: -32602,
      data: { uri: "a://none" },
    });
    for (const code of codes) {
      const { error } = await client.ask("resources/read", { uri: `code://${-code}` });
      expect(error).toEqual({ code: code === -32002 ? -32602 : -32603, message: "x" });
    }
  });
});
