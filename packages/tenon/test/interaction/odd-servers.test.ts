/** Connections that do not come about, or whose server misbehaves. */
import { describe, expect, it } from "vitest";
import {
  acceptorOf,
  connect,
  createMemoryPair,
  JsonRpcDispatcher,
  McpError,
  McpUsageError,
  ProtocolViolationError,
  type JsonObject,
} from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { failure, methodsOf, result, scriptedServer, type Reply } from "../support/scripted-server.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";
import { connected, discovered, initialized, PROBE } from "./odd-servers.ts";

describe("Giving up", () => {
  const reason = new Error("not today");
  const steps: [string, { [method: string]: Reply }, readonly string[]][] = [
    ["the probe", {}, PROBE],
    ["the handshake", { "server/discover": failure(-32601) }, ["server/discover", "initialize"]],
  ];
  it.each(steps)(
    "during %s: rejects with the reason, writes nothing more, closes [XT-20 XT-04 CS-07]",
    async (_step, replies, sent) => {
      const clock = new VirtualClock();
      const server = scriptedServer(replies);
      const abort = new AbortController();
      const connecting = connect(server, { clock, signal: abort.signal });
      await turn();
      abort.abort(reason);
      await expect(connecting).rejects.toBe(reason);
      expect(methodsOf(server)).toEqual(sent);
      expect(() => server.send({ jsonrpc: "2.0", method: "x" })).toThrow("closed");
      expect(clock.pending).toBe(0);
    },
  );

  it("before it began: nothing is written [XT-05]", async () => {
    const server = scriptedServer({ "server/discover": discovered() });
    await expect(connect(server, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.sent).toEqual([]);
  });

  it("a change of its roots is announced if the revision has the notification, and not otherwise [L3.2]", async () => {
    for (const [revision, replies, told] of [
      ["2025-11-25", { initialize: initialized("2025-11-25") }, ["notifications/roots/list_changed"]],
      ["2026-07-28", { "server/discover": discovered() }, []],
    ] as const) {
      const server = scriptedServer(replies);
      const client = await connected(server, { revision, roots: [{ uri: "file:///a" }] });
      const before = server.sent.length;
      await client.sendRootsListChanged();
      expect(methodsOf(server).slice(before)).toEqual(told);
    }
  });

  it("a connection has one owner: the second is refused, and the first continues [H18 CL-09]", async () => {
    const server = testServer();
    server.tool("t", {}, () => "x");
    const other = testServer({ name: "other" });
    const [near, far] = createMemoryPair();
    const dispatcher = new JsonRpcDispatcher(far);
    void acceptorOf(server).accept(dispatcher);
    await expect(acceptorOf(other).accept(dispatcher)).rejects.toBeInstanceOf(McpUsageError);
    const client = await connected(near);
    await expect(connect(near, { timeout: 100, probeTimeout: 100 })).rejects.toBeInstanceOf(McpUsageError);
    expect((await client.callTool("t")).text).toBe("x");
  });

  it("what is no target is refused, and a client that is connected stays so [CF-22]", async () => {
    const server = scriptedServer({ "server/discover": discovered() });
    const client = await connected(server);
    await expect(connect(undefined as never)).rejects.toBeInstanceOf(TypeError);
    await expect(connect({} as never)).rejects.toBeInstanceOf(TypeError);
    await expect(connect(7 as never)).rejects.toBeInstanceOf(TypeError);
    expect(client.protocolVersion).toBe("2026-07-28");
  });
});

describe("A stateless server that misbehaves", () => {
  it("its requests get no response but are reported [A1.10 C.4]", async () => {
    const errors: Error[] = [];
    const server = scriptedServer({ "server/discover": discovered() });
    await connected(server, { onError: (error) => void errors.push(error), onSample: () => ({ code: 1, message: "never" }) });
    server.take();
    for (const method of ["ping", "sampling/createMessage", "roots/list", "no/such"])
      server.push({ jsonrpc: "2.0", id: method, method });
    await turn();
    expect(server.sent).toEqual([]);
    expect(errors).toHaveLength(4);
    expect(errors[1]!.message).toContain("sampling/createMessage");
  });

  it("a result without a kind is complete, one of an unknown kind is refused [A2.2 A2.3]", async () => {
    const kinds: unknown[] = [undefined, "complete", "task", "surprise", 7, null];
    const server = scriptedServer({
      "server/discover": discovered(),
      "tools/call": (request, own) => {
        const resultType = kinds[Number((request["params"] as JsonObject)["name"])];
        result({ content: [], ...(resultType !== undefined && { resultType }) })(request, own);
      },
    });
    const client = await connected(server, { validateOutput: false });
    for (const name of ["0", "1", "5"]) expect((await client.callTool(name)).content).toEqual([]);
    for (const name of ["2", "3", "4"]) {
      const error = await failureOf(client.callTool(name));
      expect(error).toBeInstanceOf(ProtocolViolationError);
      expect(error.message).toContain("resultType");
    }
  });

  it("local errors have their own classes: an error of a server with the same code is not one of them [A5.8]", async () => {
    const server = scriptedServer({
      initialize: initialized("2025-11-25"),
      "tools/call": failure(-32001),
      "prompts/get": failure(-32000),
    });
    const client = await connected(server, { revision: "2025-11-25" });
    const [timeout, closed] = [await failureOf(client.callTool("t")), await failureOf(client.getPrompt("p"))];
    expect([timeout.code, closed.code]).toEqual([-32001, -32000]);
    expect([timeout.name, closed.name]).toEqual(["McpError", "McpError"]);
    const own = await failureOf(client.readResource("a:b", { timeout: 0 }));
    expect([own.code, own.name]).toEqual([-32001, "RequestTimeoutError"]);
  });

  it("results of the wrong shape fail their call, naming method and member [CS-24]", async () => {
    const server = scriptedServer({
      "server/discover": discovered(),
      "tools/list": result({ resultType: "complete", tools: [{ name: 7 }] }),
    });
    const error = await failureOf((await connected(server, { strict: true })).listTools());
    expect(error).toBeInstanceOf(ProtocolViolationError);
    expect(error).toBeInstanceOf(McpError);
    expect(error.message).toMatch(/"tools\/list".*tools\[0\]/);
  });
});
