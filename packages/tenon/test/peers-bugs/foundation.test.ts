/**
 * Mistakes other SDKs made and mended: those in what every transport stands on.
 *
 * Each was a bug of another SDK. A bug that another test covers already has no test here.
 */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { connect as connectTo, McpServer, type JsonObject } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { closing, describeInProcess, describeMatrix } from "../support/matrix.ts";
import { RawClient, STATELESS_META } from "../support/raw-client.ts";
import { failure, methodsOf, result, scriptedServer } from "../support/scripted-server.ts";
import { ScriptedTransport } from "../support/scripted-transport.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const info = { name: "s", version: "1" };
const CLIENT = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info };

describe("Ids that are easily taken for none", () => {
  it.each([0, "", "0", -1])("%j: cancelled, counted and responded to like any other", async (id) => {
    for (const stateless of [true, false]) {
      const server = new McpServer(info);
      const heard: unknown[] = [];
      server.tool("wait", {}, async (_input, ctx) => {
        await ctx.progress(1);
        return new Promise<string>((_resolve, reject) =>
          ctx.signal.addEventListener("abort", () => {
            heard.push("aborted");
            reject(ctx.signal.reason as Error);
          }),
        );
      });
      server.tool("now", {}, () => "now");
      const client = new RawClient(server);
      if (!stateless) await client.initialize("2025-11-25");
      const call = (name: string): JsonObject => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name, _meta: { ...(stateless && STATELESS_META), progressToken: id } },
      });
      expect(await client.send(call("wait"))).toEqual([
        expect.objectContaining({
          method: "notifications/progress",
          params: expect.objectContaining({ progressToken: id, progress: 1 }) as unknown,
        }),
      ]);
      expect(await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })).toEqual([]);
      expect(heard).toEqual(["aborted"]);
      expect(await client.send(call("now"))).toEqual([
        expect.objectContaining({ id, result: expect.objectContaining({ content: [{ type: "text", text: "now" }] }) as unknown }),
      ]);
    }
  });
});

describeMatrix("What is registered", ({ connect, since }) => {
  it("a title that changes is in the next list; what is hidden is neither listed nor served", async () => {
    const server = new McpServer(info);
    const handles = {
      tool: server.tool("t", { title: "old" }, () => ""),
      resource: server.resource("a://b", { name: "r", title: "old" }, () => ""),
      template: server.resourceTemplate("t://{x}", { name: "rt", title: "old" }, ({ x }) => x),
      prompt: server.prompt("p", { title: "old" }, () => ""),
    };
    const client = await connect(server);
    const titles = async (): Promise<(string | undefined)[]> => [
      (await client.listTools()).tools[0]?.title,
      (await client.listResources()).resources[0]?.title,
      (await client.listResourceTemplates()).resourceTemplates[0]?.title,
      (await client.listPrompts()).prompts[0]?.title,
    ];
    const shown = (title: string): (string | undefined)[] =>
      Array(4).fill(since("2025-06-18") ? title : undefined) as (string | undefined)[];
    expect(await titles()).toEqual(shown("old"));
    for (const handle of Object.values(handles)) handle.update({ title: "new" });
    expect(await titles()).toEqual(shown("new"));
    for (const handle of Object.values(handles)) handle.disable();
    expect(await titles()).toEqual(Array(4).fill(undefined));
    for (const hidden of [
      client.callTool("t"),
      client.readResource("a://b"),
      client.readResource("t://x"),
      client.getPrompt("p"),
    ]) {
      expect((await failureOf(hidden)).code).toBeLessThan(0);
    }
  });

  it("names that look like numbers, or like members of objects, stay where they were put", async () => {
    const server = new McpServer(info);
    const names = ["b", "10", "2", "a", "constructor", "__proto__", "0"];
    for (const name of names) server.tool(name, {}, () => name);
    for (const name of names) server.prompt(name, {}, () => name);
    const client = await connect(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(names);
  });

  it("the first definition of a kind is there for the next client, and nothing is printed", async () => {
    const prints = (["log", "debug", "info", "warn", "error"] as const).map((name) => vi.spyOn(console, name));
    onTestFinished(() => void vi.restoreAllMocks());
    const server = new McpServer(info);
    server.prompt("p", {}, () => "");
    const early = await connect(server);
    await early.listTools().catch(() => undefined);
    server.tool("t", {}, () => "t");
    expect((await (await connect(server)).callTool("t")).text).toBe("t");
    expect(await early.callTool("t").catch(String)).toBeDefined();
    for (const print of prints) expect(print).not.toHaveBeenCalled();
  });

  it("a prompt whose arguments are all optional, or that has none, is filled in without arguments", async () => {
    const server = new McpServer(info);
    server.prompt("optional", { input: z.object({ who: z.string().optional() }) }, ({ who = "nobody" }) => `for ${who}`);
    server.prompt("none", {}, () => "for all");
    const client = await connect(server);
    const said = async (name: string): Promise<unknown> => (await client.getPrompt(name)).messages[0]?.content;
    expect([await said("optional"), await said("none")]).toEqual([
      { type: "text", text: "for nobody" },
      { type: "text", text: "for all" },
    ]);
  });

  it("a schema whose root is a reference describes the very object, with its own ids, on both ways", async () => {
    const server = new McpServer(info);
    const output = {
      $ref: "#/$defs/sum",
      $defs: { sum: { type: "object", properties: { sum: { $ref: "#/$defs/n" } }, required: ["sum"] }, n: { type: "number" } },
    } as const;
    const input = {
      type: "object",
      properties: {
        at: {
          $id: "https://example.com/point",
          type: "object",
          properties: { x: { $ref: "#/$defs/n" } },
          $defs: { n: { type: "integer" } },
        },
      },
      $defs: { n: { type: "string" } },
    } as const;
    server.tool("t", { input, output }, () => ({ sum: 3 }) as never);
    const client = await connect(server);
    const { structuredContent, content } = await client.callTool("t", { at: { x: 1 } });
    if (since("2025-06-18")) expect(structuredContent).toEqual({ sum: 3 });
    expect(content).toEqual([{ type: "text", text: '{"sum":3}' }]);
    const refused = await client.callTool("t", { at: { x: "a string" } }).then(
      ({ isError }) => isError,
      () => true,
    );
    expect(refused).toBe(true);
  });

  it("a caller that changes a cached list does not change it for the next caller", async () => {
    const server = new McpServer(info);
    server.tool("t", { description: "as it was" }, () => "");
    const client = await connect(server);
    const first = await client.listTools();
    (first.tools[0] as { description?: string }).description = "changed";
    (first.tools as unknown[]).length = 1;
    expect((await client.listTools()).tools[0]?.description).toBe("as it was");
    expect((await (await connect(server)).listTools()).tools[0]?.description).toBe("as it was");
  });
});

describeInProcess("One server and many connections", ({ connect, revision }) => {
  it("one that closes, and one of another revision, are nothing to the others", async () => {
    const server = new McpServer(info);
    server.tool("t", {}, (_input, ctx) => ctx.protocolVersion);
    const all = await Promise.all([
      connect(server),
      connect(server),
      connect(server, { revision: "2024-11-05" }),
      connect(server, { revision: "2026-07-28" }),
    ]);
    await all[1]!.close();
    expect((await all[0]!.callTool("t")).text).toBe(revision);
    expect((await all[2]!.callTool("t")).text).toBe("2024-11-05");
    expect((await all[3]!.callTool("t")).text).toBe("2026-07-28");
    expect((await (await connect(server)).callTool("t")).text).toBe(revision);
  });
});

describe("A connection that was only looked at", () => {
  it("is bound to nothing: discovery, then the handshake of an older revision, then a stateless request", async () => {
    const server = new McpServer(info);
    server.tool("t", {}, (_input, ctx) => ctx.protocolVersion);
    const client = new RawClient(server);
    expect(await client.ask("server/discover")).toHaveProperty("result.supportedVersions");
    expect(await client.initialize("2025-03-26")).toHaveProperty("result.protocolVersion", "2025-03-26");
    expect(JSON.stringify(await client.request("tools/call", { name: "t" }))).toContain("2025-03-26");
  });

  it("may be opened twice: the second handshake gets a result, and calls under way go on", async () => {
    const server = new McpServer(info);
    let finish!: (text: string) => void;
    server.tool("t", {}, () => new Promise<string>((resolve) => (finish = resolve)));
    const client = new RawClient(server);
    await client.initialize("2025-06-18");
    expect(await client.send({ jsonrpc: "2.0", id: "call", method: "tools/call", params: { name: "t" } })).toEqual([]);
    const again = await client.request("initialize", CLIENT, "again");
    expect("result" in again || (again["error"] as JsonObject)["code"] === -32600).toBe(true);
    finish("done");
    expect(JSON.stringify(await client.send())).toContain("done");
  });

  it("keeps what went wrong with it: a client that cannot connect says why, with its cause", async () => {
    const gone = new ScriptedTransport();
    gone.write = () => {
      throw new Error("the pipe is broken");
    };
    const error: unknown = await connectTo(gone).catch((reason: unknown) => reason);
    const chain: string[] = [];
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) chain.push(cause.message);
    expect(chain.join(": ")).toContain("the pipe is broken");
  });

  it("a probe that is refused for other reasons than the revision is no evidence of one", async () => {
    for (const code of [-32700, -32600, -32601, -32602, -32603, -32000, 401, 12]) {
      const server = scriptedServer({ "server/discover": failure(code), initialize: result({ ...CLIENT, serverInfo: info }) });
      const client = await closing(connectTo(server));
      expect(methodsOf(server).slice(0, 2)).toEqual(["server/discover", "initialize"]);
      expect(client.protocolVersion).toBe("2025-11-25");
    }
  });
});

describe("Listening", () => {
  it.each(["send", "acknowledgement"])("a failed %s fails its caller, once, and no other", async (what) => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on("unhandledRejection", unhandled);
    const clock = new VirtualClock();
    const capabilities = { tools: { listChanged: true } };
    const server = scriptedServer({
      "server/discover": result({
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities,
        ttlMs: 0,
        cacheScope: "private",
      }),
      "subscriptions/listen": () => {
        if (what === "send") throw new Error("the pipe is full");
      },
      "tools/list": result({ resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" }),
    });
    const client = await closing(connectTo(server, { clock, timeout: 1_000 }));
    const listening = client.listen({ tools: true }).catch(String);
    await clock.advance(1_001);
    expect(await listening).toMatch(what === "send" ? /the pipe is full/ : /timed out|Request/);
    expect((await client.listTools()).tools).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("a write that never ends blocks no caller: the acknowledgement has its own time limit", async () => {
    const clock = new VirtualClock();
    const transport = scriptedServer({
      "server/discover": result({
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: { listChanged: true } },
        ttlMs: 0,
        cacheScope: "private",
      }),
    });
    const client = await closing(connectTo(transport, { clock, timeout: 1_000 }));
    transport.send = () => new Promise<void>(() => undefined);
    const listening = failureOf(client.listen({ tools: true }));
    await clock.advance(1_001);
    expect((await listening).name).toBe("RequestTimeoutError");
  });

  it("to nothing the server has ends at once, and to something carries what belongs to it", async () => {
    const empty = new RawClient(new McpServer(info));
    const written = await empty.send({
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true }, _meta: STATELESS_META },
    });
    expect(written.map(({ method, result: done }) => method ?? (done as JsonObject)["resultType"])).toEqual([
      "notifications/subscriptions/acknowledged",
      "complete",
    ]);
  });
});

describe("Old servers", () => {
  it("a tool result without content beside structured content has an empty one", async () => {
    const call = async (version: string): Promise<unknown> => {
      const stateless = version === "2026-07-28";
      const server = scriptedServer({
        "server/discover": stateless
          ? result({
              resultType: "complete",
              supportedVersions: [version],
              capabilities: { tools: {} },
              ttlMs: 0,
              cacheScope: "private",
            })
          : failure(-32601),
        initialize: result({ protocolVersion: version, capabilities: { tools: {} }, serverInfo: info }),
        "tools/list": result({ tools: [], ...(stateless && { resultType: "complete", ttlMs: 0, cacheScope: "private" }) }),
        "tools/call": result({ structuredContent: { a: 1 }, ...(stateless && { resultType: "complete" }) }),
      });
      const client = await closing(connectTo(server));
      return client.callTool("t").catch((error: unknown) => error);
    };
    for (const version of ["2025-06-18", "2025-11-25", "2026-07-28"])
      expect(await call(version)).toMatchObject({ content: [], structuredContent: { a: 1 } });
  });
});
