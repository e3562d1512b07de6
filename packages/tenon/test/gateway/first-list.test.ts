/** The first list of a gateway is whole, because many hosts read it once. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { McpServer, type Client } from "tenon";
import type { ListMemory } from "tenon/gateway";
import { scriptedHttp, stateless } from "../http-client/scripted-http.ts";
import { clientOf, gatewayOf } from "./support.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";

const SLOW = fileURLToPath(new URL("slow-server.mjs", import.meta.url));
const slow = (ms: number): { command: string; args: string[] } => ({ command: process.execPath, args: [SLOW, String(ms)] });

const namesOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

/** Lists that are kept in this process. */
function memory(): ListMemory & { readonly kept: Map<string, object> } {
  const kept = new Map<string, Record<string, unknown>>();
  return { kept, get: (key) => kept.get(key), set: (key, lists) => void kept.set(key, lists) };
}

/** A server that connects when it is told to. */
function held(server: McpServer): { target: () => Promise<McpServer>; open: () => void } {
  const { opened, open } = gate();
  return { target: async () => opened.then(() => server), open };
}

describe("a list", () => {
  it("has one page, however many tools there are", async () => {
    const server = testServer({ name: "many" });
    for (let n = 0; n < 607; n++) server.tool(`t${n}`, {}, () => "");
    const client = await clientOf(gatewayOf({ servers: { many: server } }));
    const { tools, nextCursor } = await client.listTools();
    expect([tools.length, nextCursor]).toEqual([607, undefined]);
  });

  it("has more pages if it is too large for a message, and no tool is lost", async () => {
    const server = testServer({ name: "large" });
    for (let n = 0; n < 6; n++) server.tool(`t${n}`, { description: "x".repeat(240_000) }, () => "");
    const gateway = gatewayOf({ servers: { large: server }, limits: { maxDefinitionSize: 10_000_000 } });
    const client = await clientOf(gateway);
    const first = await client.listTools();
    expect(first.tools).toHaveLength(4);
    const second = await client.listTools({ cursor: first.nextCursor! });
    expect([second.tools.length, second.nextCursor]).toEqual([2, undefined]);
  });
});

describe("servers that are not there yet", () => {
  it("are served by their last lists, until they are there", async () => {
    const lists = memory();
    const program = slow(0);
    const first = gatewayOf({ servers: { s: program }, lists, readyTimeout: 20_000 });
    expect(await namesOf(await clientOf(first))).toEqual(["s__late"]);
    await expect.poll(() => lists.kept.size).toBe(1);
    await first.close();
    const missing: string[] = [];
    const entry = { ...program, args: [SLOW, "0"], connectTimeout: 60_000 };
    const second = gatewayOf({ servers: { s: entry }, lists, readyTimeout: 0, onMissing: (names) => missing.push(...names) });
    const client = await clientOf(second);
    expect(await namesOf(client)).toEqual(["s__late"]);
    expect((await client.callTool("s__late")).text).toBe("here");
    expect(missing).toEqual([]);
  });

  it("have their places among those that are there", async () => {
    const lists = memory();
    let isSilent = false;
    const tools = [{ name: "late", inputSchema: { type: "object" } }];
    const script = stateless(
      (_request, reply) => reply.result({ tools, resultType: "complete", ttlMs: 0, cacheScope: "private" }),
      { tools: {} },
    );
    const { url } = await scriptedHttp((request, reply) => (isSilent ? undefined : script(request, reply)));
    const first = gatewayOf({ servers: { s: { url } }, lists });
    expect(await namesOf(await clientOf(first))).toEqual(["s__late"]);
    await expect.poll(() => lists.kept.size).toBe(1);
    await first.close();
    isSilent = true;
    const there = testServer();
    there.tool("now", {}, () => "");
    const clock = new VirtualClock();
    const client = await clientOf(
      gatewayOf({ servers: { s: { url }, there: () => there }, lists, clock, readyTimeout: Infinity }),
    );
    let names: string[] = [];
    void namesOf(client).then((listed) => (names = listed));
    await expect.poll(async () => (await clock.advance(500), names)).toEqual(["s__late", "there__now"]);
  });

  it("are withheld in their last lists as in others, by rules and pins", async () => {
    const lists = memory();
    const first = gatewayOf({ servers: { s: slow(0) }, lists, readyTimeout: 20_000 });
    await namesOf(await clientOf(first));
    await expect.poll(() => lists.kept.size).toBe(1);
    await first.close();
    const pins = { approved: {}, unknown: "withhold" } as const;
    for (const rules of [{ pins }, { policy: () => false }]) {
      const gateway = gatewayOf({
        servers: { s: slow(60_000) },
        lists: { ...lists, get: () => [...lists.kept.values()][0] as {} },
        readyTimeout: 0,
        ...rules,
      });
      expect(await namesOf(await clientOf(gateway))).toEqual([]);
      await gateway.close();
    }
  });

  it("are named to the operator once", async () => {
    const late = testServer({ name: "late" });
    const { target, open } = held(late);
    const missing: (readonly string[])[] = [];
    const client = await clientOf(
      gatewayOf({ servers: { late: target }, readyTimeout: 0, onMissing: (names) => missing.push(names) }),
    );
    expect([await namesOf(client), await namesOf(client)]).toEqual([[], []]);
    expect(missing).toEqual([["late"]]);
    open();
  });

  it("do not connect for a client that wants to hear of nothing", async () => {
    let connections = 0;
    const target = (): McpServer => (connections++, testServer());
    const client = await clientOf(gatewayOf({ servers: { s: target } }), { revision: "2026-07-28" });
    await client.request("subscriptions/listen", { notifications: { taskIds: [] } });
    await turn();
    expect(connections).toBe(0);
  });

  it("connect when start() is called, and not again with the first list", async () => {
    let connections = 0;
    const server = testServer();
    server.tool("t", {}, () => "t");
    const target = (): McpServer => {
      connections++;
      return server;
    };
    const gateway = gatewayOf({ servers: { s: target, down: () => Promise.reject(new Error("down")) } });
    await gateway.start();
    expect(connections).toBe(1);
    expect(await namesOf(await clientOf(gateway))).toEqual(["s__t"]);
    expect(connections).toBe(1);
  });
});
