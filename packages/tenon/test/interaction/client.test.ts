/** How a client handles what servers send: output schemas, notifications and responses of all kinds. */
import { describe, expect, it } from "vitest";
import {
  ConnectionClosedError,
  InputRequiredError,
  LATEST_HANDSHAKE_VERSION,
  ProtocolViolationError,
  ToolOutputValidationError,
  type CallToolResult,
  type Client,
  type JsonObject,
} from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { connected } from "../support/odd-server.ts";
import { failure, methodsOf, result, type Reply } from "../support/scripted-server.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";

const object = { type: "object" };
const sum = { ...object, properties: { sum: { type: "number" } }, required: ["sum"] };

const COMPLETION = {
  ref: { type: "ref/prompt", name: "p" },
  argument: { name: "a", value: "" },
  context: { arguments: {} },
} as const;
const STEP = { progressToken: 0, progress: 0.5 };

describe("Checking the results of tools", () => {
  const listing = (...tools: { name: string; outputSchema?: JsonObject }[]): Reply =>
    result({ tools: tools.map((tool) => ({ inputSchema: object, ...tool })) });
  const answering = (answers: { [name: string]: Partial<CallToolResult> }): Reply => {
    return (request, server) =>
      result({ content: [], ...answers[(request["params"] as { name: string }).name] })(request, server);
  };
  const outcomeOf = async (call: Promise<unknown>): Promise<ToolOutputValidationError> => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ToolOutputValidationError);
    return error as ToolOutputValidationError; // just checked
  };

  it("what fits is returned, else an error with the result; one listing does [XT-16 CS-51 CS-54 CS-55 CS-61]", async () => {
    const { client, server } = await connected({
      "tools/list": listing(
        { name: "good", outputSchema: sum },
        { name: "bad", outputSchema: sum },
        { name: "missing", outputSchema: sum },
      ),
      "tools/call": answering({ good: { structuredContent: { sum: 1 } }, bad: { structuredContent: { sum: "1" } }, missing: {} }),
    });
    expect((await client.callTool("good")).data).toEqual({ sum: 1 });
    const bad = await outcomeOf(client.callTool("bad"));
    expect(bad).toMatchObject({ toolName: "bad", reason: "invalid", result: { structuredContent: { sum: "1" } } });
    expect(bad.message).toMatch(/^Invalid structured content returned by tool bad: sum/);
    expect(bad.issues).toHaveLength(1);
    const missing = await outcomeOf(client.callTool("missing"));
    expect(missing).toMatchObject({ reason: "missing", issues: [] });
    expect(missing.message).toBe("Tool missing has an output schema but did not return structured content");
    expect(methodsOf(server).filter((method) => method === "tools/list")).toHaveLength(1);
  });

  it("failures, tools without a schema, and those who asked not to are not checked [XT-16 CS-50 CS-53]", async () => {
    const { client, server } = await connected({
      "tools/list": listing({ name: "failed", outputSchema: sum }, { name: "free" }, { name: "bad", outputSchema: sum }),
      "tools/call": answering({
        failed: { isError: true, structuredContent: { sum: "no" } },
        free: { structuredContent: { x: null } },
        bad: { structuredContent: {} },
      }),
    });
    expect((await client.callTool("failed")).isError).toBe(true);
    expect((await client.callTool("bad", {}, { validateOutput: false })).data).toEqual({});
    expect(methodsOf(server)).toEqual(["tools/call", "tools/call"]);
    expect((await client.callTool("free")).data).toEqual({ x: null });
    await outcomeOf(client.callTool("bad", {}, { validateOutput: true }));
  });

  it("tools whose names no server should have are listed and called as they are named [K1.3]", async () => {
    const names = ["", "a b", "ä/b", "x".repeat(129), "Same", "same"];
    const { client, server } = await connected({
      "tools/list": listing(...names.map((name) => ({ name }))),
      "tools/call": answering({}),
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
    for (const name of names) await client.callTool(name);
    expect(
      server.sent.flatMap(({ method, params }) => (method === "tools/call" ? [(params as JsonObject)["name"]] : [])),
    ).toEqual(names);
  });

  it("a tool that is not listed is not checked, reported once and not looked for again [XT-16 CS-52 CS-51]", async () => {
    const { client, server, errors } = await connected({ "tools/list": listing({ name: "other" }), "tools/call": answering({}) });
    for (let call = 0; call < 3; call++) expect((await client.callTool("hidden")).content).toEqual([]);
    expect(methodsOf(server)).toEqual(["tools/call", "tools/list", "tools/call", "tools/call"]);
    expect(errors.map((error) => error.message)).toEqual([
      "Tool hidden not listed by server, cannot validate any structured content",
    ]);
  });

  it("a tool that cannot be looked up is returned unchecked, and only what failed is reported", async () => {
    const { client, errors } = await connected({ "tools/list": failure(-32603), "tools/call": answering({}) });
    expect((await client.callTool("any")).content).toEqual([]);
    expect(errors.map((error) => error.message)).toEqual(["x"]);
  });

  it("tools of a server that keeps inventing them are evicted, and listed again when called [rule R5 CS-57]", async () => {
    let page = 0;
    const { client, server } = await connected({
      "tools/list": ({ id }, to) => {
        page++;
        const tools = Array.from({ length: 6_000 }, (_, n) => ({
          name: n === 0 ? "kept" : `${page}-${n}`,
          inputSchema: { type: "object" },
        }));
        to.push({ jsonrpc: "2.0", id, result: { tools } });
      },
      "tools/call": answering({}),
    });
    const asked = (): number => methodsOf(server).filter((method) => method === "tools/list").length;
    for (let list = 0; list < 3; list++) await client.listTools();
    await client.callTool("kept");
    await client.callTool("3-1");
    expect(asked()).toBe(3);
    await client.callTool("2-1");
    expect(asked()).toBe(4);
  });

  it("a server without a list turns no success into a failure [CS-51]", async () => {
    const { client, errors } = await connected({ "tools/list": failure(-32601), "tools/call": answering({}) });
    expect((await client.callTool("any")).content).toEqual([]);
    expect(errors[0]).toMatchObject({ code: -32601 });
  });

  it("calls at the same time share one listing [CS-51]", async () => {
    const { client, server } = await connected({
      "tools/list": listing({ name: "good", outputSchema: sum }),
      "tools/call": answering({ good: { structuredContent: { sum: 1 } } }),
    });
    await Promise.all([1, 2, 3].map(() => client.callTool("good")));
    expect(methodsOf(server).filter((method) => method === "tools/list")).toHaveLength(1);
  });

  it("looks through pages until it finds the tool [CS-51]", async () => {
    const { client, server } = await connected({
      "tools/list": (request, own) => {
        const { cursor } = (request["params"] ?? {}) as { cursor?: string };
        const page = cursor === undefined ? 1 : Number(cursor) + 1;
        result({ tools: [{ name: `t${page}`, inputSchema: object, outputSchema: sum }], nextCursor: String(page) })(request, own);
      },
      "tools/call": answering({ t3: { structuredContent: { sum: 1 } }, t2: { structuredContent: {} } }),
    });
    expect((await client.callTool("t3")).data).toEqual({ sum: 1 });
    await outcomeOf(client.callTool("t2"));
    expect(methodsOf(server)).toEqual(["tools/call", "tools/list", "tools/list", "tools/list", "tools/call"]);
  });

  it("a schema that cannot be used fails every call that needs it [CS-56 A8.1]", async () => {
    const unknown = { $schema: "https://example.com/own-dialect", ...sum };
    const { client } = await connected({
      "tools/list": listing(
        { name: "broken", outputSchema: { ...object, properties: { sum: { type: "nonsense" } } } },
        { name: "dialect", outputSchema: unknown },
      ),
      "tools/call": answering({ broken: { structuredContent: { sum: 1 } }, dialect: { structuredContent: { sum: 1 } } }),
    });
    for (const name of ["broken", "broken", "dialect"]) {
      expect(await outcomeOf(client.callTool(name))).toMatchObject({
        reason: "schema",
        message: expect.stringMatching(/^Invalid schema for tool/),
      });
    }
  });

  it("references to other documents are refused, not fetched; patterns stall no process [CS-59 A8.2 A8.3 R9]", async () => {
    const { client } = await connected({
      "tools/list": listing(
        { name: "remote", outputSchema: { ...object, $ref: "http://169.254.169.254/schema.json" } },
        { name: "slow", outputSchema: { ...object, properties: { s: { type: "string", pattern: "^(a+)+$" } } } },
      ),
      "tools/call": answering({ remote: { structuredContent: {} }, slow: { structuredContent: { s: `${"a".repeat(40)}!` } } }),
    });
    expect(await outcomeOf(client.callTool("remote"))).toMatchObject({ reason: "schema" });
    // With backtracking this needs 2 ** 40 steps: the test ends only if the pattern runs in linear time.
    await outcomeOf(client.callTool("slow"));
  });

  it("a changed list is looked at again, an unchanged schema kept [CS-57 CS-60]", async () => {
    let outputSchema: JsonObject = sum;
    const { client, server } = await connected({
      "tools/list": (request, own) => listing({ name: "t", outputSchema })(request, own),
      "tools/call": answering({ t: { structuredContent: { sum: 1 } } }),
    });
    await client.callTool("t");
    outputSchema = { ...sum, required: ["sum", "unit"] };
    await client.callTool("t");
    server.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await turn();
    await outcomeOf(client.callTool("t"));
    outputSchema = sum;
    await client.listTools();
    expect((await client.callTool("t")).data).toEqual({ sum: 1 });
  });

  it("null is content, absent is not [CS-54 XT-22]", async () => {
    const { client } = await connected(
      {
        "server/discover": result({
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: "private",
        }),
        "tools/list": result({
          resultType: "complete",
          ttlMs: 0,
          cacheScope: "private",
          tools: [{ name: "null", inputSchema: object, outputSchema: { type: "null" } }],
        }),
        "tools/call": result({ resultType: "complete", content: [], structuredContent: null }),
      },
      { revision: "2026-07-28" },
    );
    expect((await client.callTool("null")).data).toBeNull();
  });
});

describe("A stream of changes", () => {
  const discovered = result({
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: {},
    ttlMs: 0,
    cacheScope: "private",
  });

  it("a server that does not say that it watches is not waited for, and told so [I4 requirement G5]", async () => {
    const clock = new VirtualClock();
    const { client, server } = await connected(
      { "server/discover": discovered },
      { revision: "2026-07-28", clock, timeout: 100 },
    );
    const listening = failureOf(client.listen({ tools: true }));
    await expect.poll(() => methodsOf(server)).toEqual(["subscriptions/listen"]);
    await clock.advance(100);
    expect(await listening).toMatchObject({ code: -32001, data: { method: "subscriptions/listen", timeoutMs: 100 } });
    expect(server.sent[1]).toMatchObject({ method: "notifications/cancelled", params: { requestId: server.sent[0]!["id"] } });
    expect(clock.pending).toBe(0);
  });

  it("a server that refuses is believed [I4 CS-25]", async () => {
    const clock = new VirtualClock();
    const { client } = await connected(
      { "server/discover": discovered, "subscriptions/listen": failure(-32601) },
      { revision: "2026-07-28", clock },
    );
    expect(await failureOf(client.listen({ tools: true }))).toMatchObject({ code: -32601 });
    await client.close();
    expect(clock.pending).toBe(0);
  });
});

describe("Notifications of a server", () => {
  it("well-formed ones are delivered, known or not; cancels and malformed ones are not [CS-90 CS-91 CS-93 CS-97]", async () => {
    const heard: unknown[] = [];
    const { server, errors } = await connected({}, { onMessage: (message) => void heard.push(message) });
    server.push({ jsonrpc: "2.0", method: "notifications/message", params: { level: "loud", data: 1 } });
    server.push({ jsonrpc: "2.0", method: "notifications/resources/updated", params: {} });
    server.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    server.push({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "unknown", progress: 1 } });
    server.push({ jsonrpc: "2.0", method: "notifications/own/thing", params: { a: null } });
    server.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await turn();
    expect(heard).toEqual([
      { method: "notifications/progress", params: { progressToken: "unknown", progress: 1 } },
      { method: "notifications/own/thing", params: { a: null } },
      { method: "notifications/tools/list_changed", params: {} },
    ]);
    expect(errors.map((error) => error.message)).toEqual([
      'The server sent a malformed "notifications/message"',
      'The server sent a malformed "notifications/resources/updated"',
    ]);
    expect(server.sent).toEqual([]);
  });

  it("callbacks may make calls themselves [CS-92 XT-12]", async () => {
    const client = await new Promise<Client>((resolve) => {
      const opening = connected(
        { ping: result({}) },
        { onMessage: () => opening.then(({ client }) => client.ping()).then(() => opening.then((open) => resolve(open.client))) },
      );
      void opening.then(({ server }) => server.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }));
    });
    expect(client.protocolVersion).toBe(LATEST_HANDSHAKE_VERSION);
  });
});

describe("Responses of a server", () => {
  it("an id that comes back in quotes is the id that was sent, for progress too [XT-01 ID-02]", async () => {
    const steps: number[] = [];
    const { client } = await connected({
      ping: (request, server) => {
        server.push({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: String(request["id"]), progress: 1 },
        });
        server.push({ jsonrpc: "2.0", id: String(request["id"]), result: {} });
      },
    });
    expect(await client.ping({ onProgress: ({ progress }) => void steps.push(progress) })).toEqual({});
    expect(steps).toEqual([1]);
  });

  it("the first response counts; unknown ones are reported, old ones ignored [D1 D2 CF-06 CF-07]", async () => {
    const { client, server, errors } = await connected({ ping: result({}) });
    await client.ping();
    server.push({ jsonrpc: "2.0", id: server.sent[0]!["id"], result: { late: true } });
    server.push({ jsonrpc: "2.0", id: 4711, result: {} });
    server.push({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "what?" } });
    await turn();
    expect(errors.map((error) => error.message)).toEqual(["Received response with an unknown request ID: 4711", "what?"]);
    expect(await client.ping()).toEqual({});
  });

  it("one with both result and error fails its call at once [F2 A1.7]", async () => {
    const { client } = await connected({
      ping: ({ id }, server) => server.push({ jsonrpc: "2.0", id, result: {}, error: { code: 1, message: "" } }),
    });
    expect(await failureOf(client.ping())).toBeInstanceOf(ProtocolViolationError);
  });

  it("a cancelled call is cancelled on the wire once, with its id and reason [XT-03 CF-05]", async () => {
    const clock = new VirtualClock();
    const { client, server } = await connected({}, { clock });
    const abort = new AbortController();
    const [aborted, late] = [client.ping({ signal: abort.signal }), failureOf(client.ping({ timeout: 10 }))];
    const ids = server.sent.map(({ id }) => id);
    abort.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await clock.advance(10);
    await late;
    await client.close();
    expect(server.sent.slice(2)).toEqual([
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: ids[0], reason: "enough" } },
      {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: ids[1], reason: expect.stringContaining("timed out after 10 ms") },
      },
    ]);
    expect(clock.pending).toBe(0);
  });

  it("a server that dies fails every call, and those that come after [XT-02]", async () => {
    const { client, server } = await connected({});
    const calls = [client.ping(), client.listTools(), client.callTool("x")].map((call) => failureOf(call));
    await turn();
    server.end();
    for (const call of calls) expect(await call).toBeInstanceOf(ConnectionClosedError);
    expect(await failureOf(client.ping())).toMatchObject({ code: -32000, message: "Connection closed" });
    await client.sendProgress({ progressToken: 1, progress: 1 });
    await client.closed;
  });

  it("a tool that left its content out has none [K1.8]", async () => {
    const { client } = await connected({ "tools/call": result({ structuredContent: { a: null } }) }, { validateOutput: false });
    expect(await client.callTool("t")).toMatchObject({ content: [], data: { a: null }, text: "", isError: false });
  });

  it.each<[call: string, call: (client: Client) => Promise<unknown>, method: string, params: JsonObject | undefined]>([
    ["ping", (client) => client.ping({ meta: { "x/y": 1 } }), "ping", { _meta: { "x/y": 1 } }],
    ["setLoggingLevel", (client) => client.setLoggingLevel("error"), "logging/setLevel", { level: "error" }],
    ["readResource", (client) => client.readResource("users/me"), "resources/read", { uri: "users/me" }],
    ["subscribeResource", (client) => client.subscribeResource("FILE:///A b"), "resources/subscribe", { uri: "FILE:///A b" }],
    [
      "unsubscribeResource",
      (client) => client.unsubscribeResource("FILE:///A b"),
      "resources/unsubscribe",
      { uri: "FILE:///A b" },
    ],
    ["getPrompt", (client) => client.getPrompt("p", { a: "1" }), "prompts/get", { name: "p", arguments: { a: "1" } }],
    ["complete", (client) => client.complete({ ...COMPLETION }), "completion/complete", COMPLETION],
    ["callTool", (client) => client.callTool("t"), "tools/call", { name: "t" }],
    ["listTools", (client) => client.listTools({ cursor: "" }), "tools/list", { cursor: "" }],
    ["listPrompts", (client) => client.listPrompts({ cursor: "2" }), "prompts/list", { cursor: "2" }],
    ["listResources", (client) => client.listResources({}, { meta: { a: 1 } }), "resources/list", { _meta: { a: 1 } }],
    ["listResourceTemplates", (client) => client.listResourceTemplates(), "resources/templates/list", {}],
    ["sendProgress", (client) => client.sendProgress(STEP), "notifications/progress", STEP],
    ["sendRootsListChanged", (client) => client.sendRootsListChanged(), "notifications/roots/list_changed", undefined],
  ])(
    "%s sends this message [CS-40 CS-44 CS-46 CL-13 CL-14 CL-15 CL-16 CL-17 CL-18 CL-20 CL-21 CL-22]",
    async (_, call, method, params) => {
      const { client, server } = await connected({});
      const outcome = Promise.allSettled([call(client)]);
      await expect.poll(() => server.sent).toHaveLength(1);
      expect([server.sent[0]!["method"], server.sent[0]!["params"]]).toEqual([method, params]);
      await client.close();
      await outcome;
    },
  );

  it("H questions instead of a result are an error that holds them [K1.13]", async () => {
    const questions = { resultType: "input_required", inputRequests: {}, requestState: "s" };
    const { client } = await connected(
      {
        "server/discover": result({
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: {},
          ttlMs: 0,
          cacheScope: "private",
        }),
        "tools/call": result(questions),
        "resources/read": result(questions),
        "prompts/get": result(questions),
      },
      { revision: "2026-07-28", limits: { maxRounds: 0 } },
    );
    for (const call of [client.callTool("t"), client.readResource("a://b"), client.getPrompt("p")]) {
      await expect(call).rejects.toMatchObject({ name: InputRequiredError.name, result: questions });
    }
  });
});
