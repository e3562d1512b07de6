/** `ClientSessionGroup` as the seed document has it: row by row. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { McpServer as OfficialServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import {
  acceptorOf,
  connect,
  createDirectPair,
  McpServer,
  McpUsageError,
  type Dispatcher,
  type Implementation,
  type JsonObject,
  type Tool,
} from "tenon";
import { ClientSessionGroup } from "tenon/group";
import { serveHttp } from "tenon/node";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { failure, methodsOf, result, scriptedServer, type Reply } from "../support/scripted-server.ts";
import type { ScriptedTransport } from "../support/scripted-transport.ts";
import { grouped, observe, Outpost, serverWith } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const identity = (name: string): string => name;
const object = { type: "object" };
const STDIO_FIXTURE = fileURLToPath(new URL("../support/stdio-fixture.mjs", import.meta.url));

/** A server of the handshake revisions that is nothing but its answers. */
function scripted(capabilities: JsonObject, replies: { [method: string]: Reply }): ScriptedTransport {
  const initialize = result({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "scripted", version: "1" } });
  return scriptedServer({ "server/discover": failure(-32601), initialize, ...replies });
}

/** An official server that knows nothing but HTTP+SSE. */
async function sseServer(): Promise<string> {
  let transport: SSEServerTransport | undefined;
  const http = createServer((request, response) => {
    if (request.method === "GET") {
      const server = new OfficialServer({ name: "sse", version: "1" });
      server.registerTool("t", {}, () => ({ content: [{ type: "text", text: "sse.t" }] }));
      transport = new SSEServerTransport("/messages", response);
      void server.connect(transport);
    } else if (request.url?.startsWith("/messages")) void transport!.handlePostMessage(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
}

function everythingServer(name: string): McpServer {
  const server = serverWith(name, "t");
  server.prompt("p", {}, () => "p");
  server.resource(`${name}:r`, { name: "r" }, () => "r");
  server.resource(`${name}:s`, { name: "r" }, () => "s");
  return server;
}

describe("What a group has", () => {
  it("brings tools, prompts and resources of several servers together [SG-01 SG-07 SG-22]", async () => {
    const { group } = await grouped({ one: everythingServer("one"), two: everythingServer("two") });
    expect([...group.tools]).toEqual([
      ["one__t", expect.objectContaining({ name: "t" })],
      ["two__t", expect.objectContaining({ name: "t" })],
    ]);
    expect([...group.prompts.keys()]).toEqual(["one__p", "two__p"]);
    expect([...group.resources.keys()]).toEqual(["one__one:r", "one__one:s", "two__two:r", "two__two:s"]);
    expect((await group.callTool("two__t")).text).toBe("two.t");
  });

  it("a map is a snapshot: what was read stays as it was, what is read again is new [CV-14 SG-07]", async () => {
    const { group } = await grouped({ one: serverWith("one", "t") });
    const before = group.tools;
    expect(group.tools).toBe(before);
    await group.add({ two: serverWith("two", "t") });
    expect([...before.keys()]).toEqual(["one__t"]);
    expect([...group.tools.keys()]).toEqual(["one__t", "two__t"]);
    expectTypeOf(group.tools).toEqualTypeOf<ReadonlyMap<string, Tool>>();
  });

  it("names begin with what the user calls a server, not with what it calls itself [K1.12]", async () => {
    const { group } = await grouped({ billing: serverWith("Admin Tools", "t") });
    expect([...group.tools.keys()]).toEqual(["billing__t"]);
    expect((await group.callTool("billing__t")).text).toBe("Admin Tools.t");
  });

  it("sessions are a copy, in order, and everything else goes through them [SG-06]", async () => {
    const { group } = observe();
    const first = await group.connectToServer(serverWith("one", "t"));
    const second = await group.connectToServer(serverWith("two", "t"));
    expect(group.sessions).toEqual([first, second]);
    (group.sessions as unknown[]).pop();
    expect(group.sessions).toHaveLength(2);
    expect((await first.callTool("t")).text).toBe("one.t");
  });

  it("a hook names tools and prompts by name, resources by URI; components stay as they are [SG-03 SG-19]", async () => {
    const asked: unknown[] = [];
    const { group } = observe({
      nameHook: (name: string, server: Implementation, kind, serverName) => {
        asked.push([name, server.name, kind, serverName]);
        return `${server.name}_${name}`;
      },
    });
    await group.connectToServer(everythingServer("one"));
    expect(asked).toEqual([
      ["p", "one", "prompt", "one"],
      ["one:r", "one", "resource", "one"],
      ["one:s", "one", "resource", "one"],
      ["t", "one", "tool", "one"],
    ]);
    expect([...group.tools.keys(), ...group.prompts.keys(), ...group.resources.keys()]).toEqual([
      "one_t",
      "one_p",
      "one_one:r",
      "one_one:s",
    ]);
    expect(group.tools.get("one_t")?.name).toBe("t");
    expect(group.resources.get("one_one:r")?.name).toBe("r");
  });

  it("calls the owner by the tool's own name, with arguments, options and meta [SG-08]", async () => {
    const server = testServer();
    server.tool("echo", { input: { type: "object" } }, (input, ctx) => {
      void ctx.progress(1, 2, "half");
      return { input, mark: ctx.meta?.["x/mark"] };
    });
    const { group } = await grouped({ s: server });
    const progress: unknown[] = [];
    const called = await group.callTool(
      "s__echo",
      { a: null },
      { meta: { "x/mark": 7 }, onProgress: (step) => void progress.push(step) },
    );
    expect(called.data).toEqual({ input: { a: null }, mark: 7 });
    expect(progress).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });

  it("an unknown name is an error of the call [SG-08 SG-27]", async () => {
    const { group } = await grouped({ s: serverWith("s", "t") });
    expect(await failureOf(group.callTool("t"))).toMatchObject({ code: -32602, message: "Unknown tool: t" });
    expect(await failureOf(group.callTool("s__u"))).toMatchObject({ code: -32602, message: "Unknown tool: s__u" });
    expect(await failureOf(group.getPrompt("s__u"))).toMatchObject({ code: -32602, message: "Unknown prompt: s__u" });
    expect(await failureOf(group.readResource("u:"))).toMatchObject({ code: -32602, message: "Unknown resource: u:" });
  });
});

describe("Connecting to a server", () => {
  it("connects, takes in, and returns the session [SG-09 SG-15]", async () => {
    const { group } = observe();
    const session = await group.connectToServer(serverWith("one", "t"), { clientInfo: { name: "host", version: "2" } });
    expect(session.serverInfo).toMatchObject({ name: "one" });
    expect([...group.tools.keys()]).toEqual(["one__t"]);
    expect(group.servers.get("one")).toMatchObject({ state: "connected", session, error: undefined, failures: 0 });
  });

  it("takes parameters of each kind: stdio, streamable HTTP, SSE [SG-11 SG-12]", async () => {
    const endpoint = await serveHttp(serverWith("http", "t"), { port: 0 });
    onTestFinished(() => endpoint.close());
    const { group } = observe();
    await group.connectToServer({ type: "stdio", command: process.execPath, args: [STDIO_FIXTURE] }, { name: "stdio" });
    await group.connectToServer({ type: "streamableHttp", url: endpoint.url, headers: { "x-key": "1" } }, { name: "http" });
    await group.connectToServer({ type: "sse", url: await sseServer() }, { name: "sse" });
    expect((await group.callTool("http__t")).text).toBe("http.t");
    expect((await group.callTool("sse__t")).text).toBe("sse.t");
    expect([...group.tools.keys()].filter((name) => name.startsWith("stdio__")).length).toBeGreaterThan(0);
    const unknown = group.connectToServer({ type: "ws", url: endpoint.url } as never);
    await expect(unknown).rejects.toThrow(new TypeError('Option "type" of a server must be "stdio", "sse" or "http", not "ws"'));
  });

  it("takes callbacks, a time limit and who the client is, for one server or for all [SG-13]", async () => {
    const server = testServer();
    server.tool("ask", {}, async (_input, ctx) => {
      const answer = await ctx.elicit("q", { message: "?", schema: { type: "object", properties: { a: { type: "string" } } } });
      return { action: answer.action, client: ctx.client.info?.name };
    });
    const onElicit = (): { action: "decline" } => ({ action: "decline" });
    const { group } = observe({ clientInfo: { name: "of the group", version: "1" }, onElicit: () => ({ action: "cancel" }) });
    await group.connectToServer(server, { name: "own", onElicit, clientInfo: { name: "own", version: "1" } });
    await group.connectToServer({ target: server }, { name: "shared" });
    expect((await group.callTool("own__ask")).data).toEqual({ action: "decline", client: "own" });
    expect((await group.callTool("shared__ask")).data).toEqual({ action: "cancel", client: "of the group" });
  });

  it("a server that does not connect leaves the group as it was [SG-14]", async () => {
    const { group, changes, errors } = observe();
    await group.connectToServer(serverWith("one", "t"));
    const before = group.tools;
    changes.length = 0;
    const post = new Outpost("two", "t");
    post.refusal = new Error("not today");
    await expect(group.connectToServer(post.target)).rejects.toThrow("not today");
    await expect(group.connectToServer(post.target, { name: "two" })).rejects.toThrow("not today");
    expect(group.tools).toBe(before);
    expect([...group.servers.keys()]).toEqual(["one"]);
    expect(changes.filter(({ kind }) => kind === "list")).toEqual([]);
    expect(errors).toEqual(["server: not today", "two: not today"]);
    expect(post.attempts).toBe(2);
  });

  it("a connect that is abandoned leaves nothing [SG-14]", async () => {
    const { group } = observe();
    const post = new Outpost("two", "t");
    post.refusal = "hang";
    const abort = new AbortController();
    const connecting = group.connectToServer(post.target, { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(connecting).rejects.toThrow("enough");
    expect(group.servers.size).toBe(0);
    expect(group.sessions).toEqual([]);
  });

  it("a stack of the user's closes sessions too, and is never disposed by the group [SG-02 SG-04 SG-05]", async () => {
    const disposals: (() => Promise<void>)[] = [];
    const { group } = observe({ stack: { defer: (dispose) => void disposals.push(dispose) } });
    const session = await group.connectToServer(serverWith("one", "t"));
    expect(disposals).toHaveLength(1);
    await disposals[0]!();
    await session.closed;
    expect(group.tools.size).toBe(0);
    await group.close();
    await disposals[0]!();
    expect(disposals).toHaveLength(1);
  });

  it("closes all sessions at once and once, and a closed group takes no servers [SG-05]", async () => {
    const group = new ClientSessionGroup();
    const sessions = [await group.connectToServer(serverWith("one", "t")), await group.connectToServer(serverWith("two", "t"))];
    expect(group.close()).toBe(group.close());
    await group.close();
    await Promise.all(sessions.map(({ closed }) => closed));
    expect(group.tools.size).toBe(0);
    await expect(group.connectToServer(serverWith("x"))).rejects.toThrow(new McpUsageError("The group is closed"));
    await expect(group.add({ x: serverWith("x") })).rejects.toThrow(McpUsageError);
  });

  it("says what could not be closed, and closes the others all the same [SG-05]", async () => {
    const stuck = (): Dispatcher => {
      const [near, far] = createDirectPair();
      void acceptorOf(serverWith("stuck", "t")).accept(far);
      const close = near.close.bind(near);
      return Object.assign(near, { close: () => close().then(() => Promise.reject(new Error("stuck"))) });
    };
    const post = new Outpost("post", "t");
    const group = new ClientSessionGroup();
    await group.add({ stuck, post: post.target, last: stuck });
    const error: unknown = await group.close().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "AggregateError", errors: [{ message: "stuck" }, { message: "stuck" }] });
    expect(post.connections).toBe(0);
  });

  it("ends what is still connecting [SG-05 XT-20]", async () => {
    const group = new ClientSessionGroup();
    const post = new Outpost("one", "t");
    const hanging = new Outpost("two", "t");
    hanging.refusal = "hang";
    const connecting = [group.connectToServer(post.target), group.connectToServer(hanging.target, { name: "two" })];
    const adding = group.add({ three: hanging.target });
    await group.close();
    await adding;
    for (const end of connecting) await expect(end).rejects.toThrow("has left the group");
    await expect.poll(() => post.connections).toBe(0);
  });

  it("`await using` closes the group [SG-05]", async () => {
    const session = await (async () => {
      await using group = new ClientSessionGroup();
      return await group.connectToServer(serverWith("one", "t"));
    })();
    await session.closed;
    expect(await failureOf(session.callTool("t"))).toMatchObject({ code: -32000 });
  });
});

describe("Aggregation", () => {
  it("names that two servers have are refused with both, before anything changes [SG-16 SG-21 XT-18]", async () => {
    const { group } = observe({ nameHook: identity });
    await group.connectToServer(serverWith("one", "a", "b", "c"));
    const before = group.tools;
    const post = new Outpost("two", "b", "c", "d");
    const error = await failureOf(group.connectToServer(post.target));
    expect(error).toMatchObject({ code: -32602, data: { list: "tools", names: ["b", "c"], servers: ["two", "one"] } });
    expect(error.message).toMatch(/^b, c already exist in group tools\. Server "one" has what server "two" offers/);
    expect(group.tools).toBe(before);
    expect(post.attempts).toBe(1);
    await expect.poll(() => post.connections).toBe(0); // the session that was opened is closed
    expect((await group.callTool("b")).text).toBe("one.b");
  });

  it("prompts are looked at first, then resources, then tools [SG-21]", async () => {
    const lists = async (build: (server: McpServer) => void): Promise<unknown> => {
      const { group } = observe({ nameHook: identity });
      const make = (name: string): McpServer => {
        const server = testServer({ name });
        build(server);
        return server;
      };
      await group.connectToServer(make("one"));
      return (await failureOf(group.connectToServer(make("two")))).data;
    };
    const tool = (server: McpServer): void => void server.tool("t", {}, () => "");
    const resource = (server: McpServer): void => void server.resource("r:r", { name: "r" }, () => "");
    const prompt = (server: McpServer): void => void server.prompt("p", {}, () => "");
    expect(await lists(tool)).toMatchObject({ list: "tools" });
    expect(await lists((server) => [tool(server), resource(server)])).toMatchObject({ list: "resources" });
    expect(await lists((server) => [tool(server), resource(server), prompt(server)])).toMatchObject({ list: "prompts" });
  });

  it("does not ask for what is not declared, and takes a refused list as empty [SG-17]", async () => {
    const server = scripted(
      { tools: {}, prompts: {} },
      { "tools/list": result({ tools: [{ name: "t", inputSchema: object }] }), "prompts/list": failure(-32603) },
    );
    const { group, errors } = await grouped({ s: server });
    expect([...group.tools.keys()]).toEqual(["s__t"]);
    expect(group.prompts.size).toBe(0);
    expect(errors).toEqual(["s: Could not fetch prompts: x"]);
    expect(methodsOf(server)).not.toContain("resources/list");
  });

  it("a connection that is lost while it lists is a failure to connect [SG-17]", async () => {
    const server = scripted(
      { tools: {}, prompts: {} },
      { "tools/list": result({ tools: [] }), "prompts/list": (_request, end) => end.end() },
    );
    const { group } = observe();
    expect(await failureOf(group.connectToServer(server))).toMatchObject({ code: -32000 });
    expect(group.servers.size).toBe(0);
  });

  it("follows every list to its end [SG-18 SG-28]", async () => {
    const server = testServer({ pageSize: 2 });
    for (const name of ["a", "b", "c", "d", "e"]) {
      server.tool(name, {}, () => name);
      server.prompt(name, {}, () => name);
      server.resource(`r:${name}`, { name }, () => name);
      server.resourceTemplate(`r:${name}/{x}`, { name }, () => name);
    }
    const { group } = await grouped({ s: server });
    const { tools, prompts, resources, resourceTemplates } = group;
    expect([tools, prompts, resources, resourceTemplates].map((map) => map.size)).toEqual([5, 5, 5, 5]);
  });

  it("a list that repeats its cursor ends there; one without an end is cut, and reported [SG-28]", async () => {
    const page = (request: JsonObject, next: string): JsonObject => {
      const { cursor = "" } = (request["params"] ?? {}) as { cursor?: string };
      return { tools: [{ name: `t${cursor}`, inputSchema: object }], nextCursor: next };
    };
    const repeats = scripted({ tools: {} }, { "tools/list": (request, to) => result(page({}, "same"))(request, to) });
    const endless = scripted(
      { tools: {} },
      { "tools/list": (request, to) => result(page(request, String(to.sent.length)))(request, to) },
    );
    const { group, errors } = await grouped({ repeats, endless });
    expect([...group.tools.keys()].filter((name) => name.startsWith("repeats"))).toEqual(["repeats__t"]);
    expect([...group.tools.keys()].filter((name) => name.startsWith("endless"))).toHaveLength(64);
    expect(errors.sort()).toEqual(["endless: The list of tools is cut after 64: The list has more than 64 pages"]);
  });

  it("two components of one server with one name are refused, not overwritten [SG-19]", async () => {
    const { group } = observe({ nameHook: () => "same" });
    const error = await failureOf(group.connectToServer(serverWith("one", "a", "b")));
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('"a" and "b"') as string });
    expect(group.tools.size).toBe(0);
  });
});

describe("Disconnecting", () => {
  it("a session that is not in the group, or not any more [SG-23]", async () => {
    const { group } = observe();
    const session = await group.connectToServer(serverWith("one", "t"));
    const message = "Provided session is not managed or already disconnected.";
    const stranger = await closing(connect(serverWith("x")));
    expect(await failureOf(group.disconnect(stranger))).toMatchObject({ code: -32602, message });
    expect(await failureOf(group.disconnect("x"))).toMatchObject({ code: -32602, message });
    await group.disconnect(session);
    expect(await failureOf(group.disconnect(session))).toMatchObject({ code: -32602, message });
  });

  it("takes the components away at once, closes the session, and frees the names [SG-24 SG-25 SG-27]", async () => {
    const { group, changes } = observe({ nameHook: identity });
    const session = await group.connectToServer(everythingServer("one"));
    changes.length = 0;
    const gone = group.disconnect(session);
    expect([group.tools, group.prompts, group.resources].map(({ size }) => size)).toEqual([0, 0, 0]);
    expect(changes.filter(({ kind }) => kind === "list")).toEqual([
      { kind: "list", server: "one", list: "prompts", added: [], removed: ["p"], changed: [] },
      { kind: "list", server: "one", list: "resources", added: [], removed: ["one:r", "one:s"], changed: [] },
      { kind: "list", server: "one", list: "tools", added: [], removed: ["t"], changed: [] },
    ]);
    await gone;
    await session.closed;
    expect(await failureOf(group.callTool("t"))).toMatchObject({ message: "Unknown tool: t" });
    await group.connectToServer(everythingServer("two"));
    expect((await group.callTool("t")).text).toBe("two.t");
  });
});

describe("over stdio [XT-18]", () => {
  const fixture = { command: process.execPath, args: [STDIO_FIXTURE] };

  it("a collision ends the second process; a hook makes both callable; names come free [XT-18]", async () => {
    const { group } = observe({ nameHook: identity });
    const first = await group.connectToServer(fixture);
    const names = [...group.tools.keys()];
    expect(await failureOf(group.connectToServer(fixture))).toMatchObject({ code: -32602 });
    expect([...group.tools.keys()]).toEqual(names);
    await group.disconnect(first);
    expect(group.tools.size).toBe(0);
    await group.connectToServer(fixture);
    expect([...group.tools.keys()]).toEqual(names);
    const { group: hooked } = observe({ nameHook: (name, _info, _kind, server) => `${server}.${name}` });
    await hooked.add({ a: fixture, b: fixture });
    await hooked.settled();
    expect([...hooked.tools.keys()]).toEqual(["a", "b"].flatMap((server) => names.map((name) => `${server}.${name}`)));
  });
});
