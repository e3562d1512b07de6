/** Lists that change while the group looks, and lists that lie. */
import { describe, expect, it } from "vitest";
import { connect, McpServer, type JsonObject } from "tenon";
import { createGateway } from "tenon/gateway";
import type { GroupOptions } from "tenon/group";
import { failureOf } from "../support/failure-of.ts";
import { closing, describeMatrix, targetOf } from "../support/matrix.ts";
import { failure, methodsOf, result, scriptedServer, type Reply } from "../support/scripted-server.ts";
import type { ScriptedTransport } from "../support/scripted-transport.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { grouped, observe, Outpost, serverWith } from "./support.ts";

const object = { type: "object" };
const identity = (name: string): string => name;

/** A server of the handshake revisions that is nothing but its answers. */
function scripted(
  replies: { [method: string]: Reply },
  name = "s",
  capabilities: JsonObject = { tools: { listChanged: true } },
): ScriptedTransport {
  return scriptedServer({
    "server/discover": failure(-32601),
    initialize: result({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name, version: "1" } }),
    ...replies,
  });
}
const toolsNamed = (...names: string[]): JsonObject => ({ tools: names.map((name) => ({ name, inputSchema: object })) });
const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

describeMatrix("Lists that change", ({ transport, revision }) => {
  it("are in the maps again, each as a whole, and the change is announced [SG-29]", async () => {
    const server = serverWith("s", "a");
    server.prompt("p", {}, () => "");
    server.resource("r:1", { name: "r" }, () => "");
    const { group, changes } = await grouped({ s: await targetOf(transport, server) }, { revision, readyTimeout: Infinity });
    changes.length = 0;
    server.tool("b", {}, () => "b");
    server.resource("r:2", { name: "r" }, () => "");
    server.resourceTemplate("r:{x}/y", { name: "t" }, () => "");
    await expect
      .poll(() => [...group.tools.keys(), ...group.resources.keys(), ...group.resourceTemplates.keys()])
      .toEqual(["s__a", "s__b", "s__r:1", "s__r:2", "s__r:{x}/y"]);
    expect((await group.callTool("s__b")).text).toBe("b");
    expect(changes).toContainEqual({ kind: "list", server: "s", list: "tools", added: ["s__b"], removed: [], changed: [] });
    expect(changes.filter((change) => change.kind === "list" && change.list === "prompts")).toEqual([]);
  });
});

describe.each(["2025-11-25", "2026-07-28"] as const)("A list straight after the call that changed it, on %s", (revision) => {
  const growing = (): McpServer => {
    const server = serverWith("s", "a");
    server.tool("grow", {}, () => (server.tool("b", {}, () => "b"), "grown"));
    return server;
  };

  it("is the new one behind a gateway", async () => {
    await using gateway = createGateway({ readyTimeout: 60_000, servers: { s: { target: growing(), revision } } });
    await using client = await connect(gateway);
    await client.listTools();
    expect((await client.callTool("s__grow")).text).toBe("grown");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("s__b");
  });

  it("is the new one of a server that mounts a group", async () => {
    const { group } = await grouped({ s: growing() }, { revision });
    const outer = serverWith("outer");
    outer.mount("g", group);
    await using client = await connect(outer);
    expect((await client.callTool("g__s__grow")).text).toBe("grown");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("g__s__b");
  });
});

/** Milliseconds after which a server that was lost has been tried again. */
const LONGEST_FIRST_PAUSE = 1_000;

describe("A server that comes back", () => {
  it.each(["2026-07-28", "2025-11-25"] as const)(
    "is watched again when it is back: what changes then is seen, %s [C.7 fault S24 I9]",
    async (revision) => {
      const clock = new VirtualClock();
      const post = new Outpost({ name: "post", clock }, "t");
      const { group } = await grouped({ post: post.target }, { clock, revision });
      post.die();
      await clock.advance(LONGEST_FIRST_PAUSE);
      expect([...group.tools.keys()]).toEqual(["post__t"]);
      post.add("new");
      await clock.advance(LONGEST_FIRST_PAUSE);
      expect([...group.tools.keys()]).toEqual(["post__t", "post__new"]);
    },
  );
});

describe("A refresh", () => {
  it("keeps the old view where the new one would collide, until it does not any more [SG-29]", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("one", "a");
    const { group, errors } = await grouped({ one: post.target, two: serverWith("two", "b") }, { clock, nameHook: identity });
    const before = group.tools;
    post.add("b");
    post.add("c");
    await clock.advance(0);
    await expect
      .poll(() => errors)
      .toEqual([expect.stringMatching(/^one: b already exist in group tools\. Server "two"/) as string]);
    expect(group.tools).toBe(before);

    expect((await group.callTool("b")).text).toBe("two.b");
    post.remove("b");
    await clock.advance(1_000);
    await expect.poll(() => [...group.tools.keys()]).toEqual(["a", "c", "b"]);
  });

  it("keeps the old lists if a refresh fails, and tries again a few times [SG-29]", async () => {
    const clock = new VirtualClock();
    let down = false;
    const server = scripted({
      "tools/list": (request, to) => (down ? failure(-32603) : result(toolsNamed("a", "b")))(request, to),
    });
    const { group, errors } = await grouped({ s: server }, { clock });
    const before = group.tools;
    down = true;
    server.take();
    server.push(changed);
    await clock.advance(10_000);
    expect(methodsOf(server)).toEqual(Array.from({ length: 4 }, () => "tools/list"));
    expect(errors).toEqual(Array.from({ length: 4 }, () => "s: x"));
    expect(group.tools).toBe(before); // and a list that could not be read is read again when a program looks at it
    await clock.advance(0);
    expect(errors).toHaveLength(5);
    down = false;
    server.push(changed);
    await clock.advance(1_000);
    expect(group.tools).toBe(before); // nothing is different
    expect(errors).toHaveLength(5);
  });

  it("tries again as often after many refreshes in a row that worked", async () => {
    const clock = new VirtualClock();
    let reads = 0;
    const server = scripted({
      "tools/list": (request, to) => {
        if (++reads > 6) return failure(-32603)(request, to);
        result(toolsNamed(`v${reads}`))(request, to);
        if (reads > 1) to.push(changed);
      },
    });
    await grouped({ s: server }, { clock });
    server.push(changed);
    await clock.advance(120_000);
    expect(reads).toBe(6 + 4);
  });

  it("is made once for many changes, one at a time, so that nothing older ends above something newer [SG-29]", async () => {
    const clock = new VirtualClock();
    let list = toolsNamed("v0");
    const waiting: (() => void)[] = [];
    let holds = false;
    const server = scripted({
      "tools/list": (request, to) => {
        const now = list;
        if (holds) waiting.push(() => result(now)(request, to) as undefined);
        else result(now)(request, to);
      },
    });
    const { group } = await grouped({ s: server }, { clock });
    holds = true;
    for (const name of ["v1", "v2", "v3"]) {
      list = toolsNamed(name);
      server.push(changed);
      await turn();
    }
    expect(waiting).toHaveLength(1); // with what was there when the first change was told
    await clock.advance(5_000);
    expect(waiting).toHaveLength(1);
    waiting[0]!();
    await turn();
    expect([...group.tools.keys()]).toEqual(["s__v1"]);
    await clock.advance(5_000); // it rests for as long as the read took
    expect(waiting).toHaveLength(2);
    waiting[1]!();
    await turn();
    expect([...group.tools.keys()]).toEqual(["s__v3"]);
    await clock.advance(60_000);
    expect(waiting).toHaveLength(2);
  });

  it("a server that changes all the time is asked less and less often [fault G1]", async () => {
    const clock = new VirtualClock();
    const server = scripted({
      "tools/list": (request, to) => {
        result(toolsNamed(`v${to.sent.length}`))(request, to);
        to.push(changed);
      },
    });
    const { group } = await grouped({ s: server, other: serverWith("other", "t") }, { clock });
    await clock.advance(60_000);
    const asked = methodsOf(server).filter((method) => method === "tools/list").length;
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThan(15);
    expect((await group.callTool("other__t")).text).toBe("other.t");
  });

  it("what changes while the server is taken in is not missed [SG-29]", async () => {
    let lists = 0;
    const server = scripted({
      "tools/list": (request, to) => {
        if (++lists === 1) to.push(changed);
        result(toolsNamed(lists === 1 ? "old" : "new"))(request, to);
      },
    });
    const { group } = await grouped({ s: server });
    await expect.poll(() => [...group.tools.keys()]).toEqual(["s__new"]);
  });

  it("a lent session is followed too [SG-29]", async () => {
    const server = serverWith("s", "a");
    const session = await closing(connect(server));
    const { group } = observe();
    await group.connectWithSession({ name: "s", version: "1" }, session);
    server.tool("b", {}, () => "");
    await expect.poll(() => [...group.tools.keys()]).toEqual(["s__a", "s__b"]);
  });

  it("listeners come and go, and one that throws is reported and changes nothing [SG-29]", async () => {
    const { group, errors } = observe();
    const heard: string[] = [];
    group.onChange(() => {
      throw new Error("oops");
    });
    const stop = group.onChange((change) => heard.push(change.kind));
    await group.connectToServer(serverWith("s", "a"));
    expect(heard).toEqual(["server", "list"]);
    expect(errors).toEqual(["s: oops", "s: oops"]);
    stop();
    await group.disconnect("s");
    expect(heard).toHaveLength(2);
    await expect(Promise.resolve(group.tools.size)).resolves.toBe(0);
  });
});

describe("Lists that lie", () => {
  const lists = (...tools: unknown[]): ScriptedTransport => scripted({ "tools/list": result({ tools }) });
  const good = { name: "good", inputSchema: object };

  it.each<[string, unknown, RegExp]>([
    ["is none", { name: "bad", inputSchema: "object" }, /"bad" is left out: .*inputSchema is not an object/],
    ["is missing", { name: "bad" }, /"bad" is left out: .*inputSchema is missing/],
    [
      "describes no object",
      { name: "bad", inputSchema: { type: "string" } },
      /"bad" is left out: .*inputSchema\.type is not "object"/,
    ],
    [
      "has a type that is none",
      { name: "bad", inputSchema: { type: "object", properties: { a: { type: "strnig" } } } },
      /"bad" is left out: .*strnig/,
    ],
    [
      "refers to nothing",
      { name: "bad", inputSchema: { type: "object", $ref: "#/$defs/x" } },
      /"bad" is left out: .*points at nothing/,
    ],
    [
      "refers to the network",
      { name: "bad", inputSchema: { type: "object", $ref: "http://evil.example/" } },
      /"bad" is left out: .*never fetched/,
    ],
    [
      "is without end",
      { name: "bad", inputSchema: { type: "object", anyOf: Array.from({ length: 10_001 }, () => ({})) } },
      /"bad" is left out: .*subschemas/,
    ],
    ["belongs to what is no tool", 7, /an entry is left out: .*is not an object/],
  ])("a schema that %s costs the server that tool, with a report [fault G1]", async (_what, bad, report) => {
    const { group, errors } = await grouped({ s: lists(bad, good) });
    expect([...group.tools.keys()]).toEqual(["s__good"]);
    expect(errors).toEqual([expect.stringMatching(report) as string]);
  });

  it.each<[string, JsonObject]>([
    ["a dialect", { type: "object", $schema: "http://json-schema.org/draft-04/schema#" }],
    ["a pattern", { type: "object", properties: { a: { type: "string", pattern: "(a)\\1" } } }],
    ["a long pattern", { type: "object", properties: { a: { type: "string", pattern: "a".repeat(2_000) } } }],
  ])("%s that Tenon does not run is no lie [fault G1]", async (_what, inputSchema) => {
    const { group, errors } = await grouped({ s: lists({ name: "t", inputSchema }) });
    expect([...group.tools.keys()]).toEqual(["s__t"]);
    expect(errors).toEqual([]);
  });

  it("a malformed list is reported, and the other lists are there [fault G1]", async () => {
    const server = scripted({ "tools/list": result({ tools: 5 }), "prompts/list": result({ prompts: [{ name: "p" }] }) }, "s", {
      tools: {},
      prompts: {},
    });
    const { group, errors } = await grouped({ s: server });
    expect([...group.prompts.keys()]).toEqual(["s__p"]);
    expect(errors).toEqual([expect.stringContaining("s: Could not fetch tools: Malformed result") as string]);
  });

  it.each<[GroupOptions, JsonObject, string]>([
    [{ limits: { maxTools: 2 } }, toolsNamed("a", "b", "c"), 'Limit "limits.maxTools" of 2 exceeded'],
    [
      { limits: { maxDefinitionSize: 200 } },
      { tools: [{ ...good, description: "x".repeat(300) }] },
      'Limit "limits.maxDefinitionSize" of 200 exceeded',
    ],
  ])("a server over a limit is refused as a whole: %j [fault G1]", async (options, tools, message) => {
    const { group } = observe(options);
    await group.connectToServer(serverWith("ok", "t"));
    const error = await failureOf(group.connectToServer(scripted({ "tools/list": result(tools) })));
    expect(error.message).toContain(message);
    expect([...group.tools.keys()]).toEqual(["ok__t"]);
  });

  it("a server that grows over a limit keeps what it had [fault G1]", async () => {
    const post = new Outpost("s", "a", "b");
    const { group, errors } = await grouped({ s: post.target }, { limits: { maxTools: 2 } });
    post.add("c");
    await expect.poll(() => errors).toEqual(['s: Limit "limits.maxTools" of 2 exceeded']);
    expect([...group.tools.keys()]).toEqual(["s__a", "s__b"]);
  });

  it("more servers than the group may have are refused, and none of them is started [fault G1]", async () => {
    const { group } = await grouped({ one: serverWith("one", "t") }, { limits: { maxServers: 2 } });
    const post = new Outpost("post", "t");
    const error = await failureOf(group.add({ two: post.target, three: post.target }));
    expect(error).toMatchObject({
      message: 'Limit "limits.maxServers" of 2 exceeded',
      data: { limit: "limits.maxServers", max: 2 },
    });
    expect(post.attempts).toBe(0);
    expect([...group.servers.keys()]).toEqual(["one"]);
  });

  it.each([{ limits: { maxTools: 0 } }, { readyTimeout: -1 }, { connectTimeout: Number.NaN }])(
    "%j is an error of the server that sends it",
    (options) => {
      expect(() => observe(options)).toThrow(RangeError);
    },
  );

  it("two servers whose names come to the same, and a server that takes the name of another [fault G2]", async () => {
    const { group } = observe();
    const error = await failureOf(group.add({ "my files": serverWith("a", "t"), my_files: serverWith("b", "t") }));
    expect(error.message).toMatch(/^A server called "my_files" cannot join, the name is taken: "my files" comes to the same/);
    expect(group.servers.size).toBe(0);
    await group.add({ memory: serverWith("honest", "read") });
    const impostor = new McpServer({ name: "memory", version: "9" });
    impostor.tool("write", {}, () => "");
    expect(await failureOf(group.connectToServer(impostor))).toMatchObject({
      code: -32602,
      message: 'A server called "memory" cannot join, the name is taken. Give one of them another name (option "name")',
      data: { servers: ["memory", "memory"] },
    });
    expect([...group.tools.keys()]).toEqual(["memory__read"]);
    const { group: hooked } = observe({ nameHook: identity });
    await hooked.connectToServer(serverWith("same", "a"));
    await hooked.connectToServer(serverWith("same", "b"));
    expect([...hooked.servers.keys()]).toEqual(["same", "same-2"]);
  });
});
