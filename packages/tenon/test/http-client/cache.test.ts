// Results that are kept while the server says that they are fresh (requirements J1–J8).
import { connect, type Client, type ConnectOptions, type JsonObject } from "tenon";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { failure, methodsOf, result, scriptedServer, type Reply } from "../support/scripted-server.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import type { ScriptedTransport } from "../support/scripted-transport.ts";

const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: {},
  ttlMs: 0,
  cacheScope: "private",
};
const fresh = (more: JsonObject, ttlMs: unknown = 1000): JsonObject => ({
  resultType: "complete",
  cacheScope: "private",
  ttlMs,
  ...more,
});

async function open(
  replies: { readonly [method: string]: Reply },
  options?: ConnectOptions,
): Promise<{ client: Client; server: ScriptedTransport; clock: VirtualClock; asked: (method: string) => number }> {
  const clock = new VirtualClock();
  const server = scriptedServer({ "server/discover": result(DISCOVERED), ...replies });
  const client = await closing(connect(server, { clock, revision: "2026-07-28", ...options }));
  return { client, server, clock, asked: (method) => methodsOf(server).filter((sent) => sent === method).length };
}

describe("freshness [requirement J2]", () => {
  test("a result is given again until its time is over, whatever `_meta` says", async () => {
    const { client, clock, asked } = await open({ "tools/list": result(fresh({ tools: [] })) });
    await client.listTools();
    await clock.advance(999);
    await client.listTools({}, { meta: { trace: 1 } });
    expect(asked("tools/list")).toBe(1);
    await clock.advance(1);
    await client.listTools();
    expect(asked("tools/list")).toBe(2);
  });

  test.each([
    ["of 0", { ttlMs: 0 }],
    ["below 0", { ttlMs: -1000 }],
    ["that is absent", {}],
  ])("a result with a ttlMs %s is not given again [requirement J2]", async (_what, ttl) => {
    const { client, asked } = await open({
      "tools/list": result({ resultType: "complete", cacheScope: "private", tools: [], ...ttl }),
    });
    expect(await client.listTools()).toMatchObject({ tools: [] });
    await client.listTools();
    expect(asked("tools/list")).toBe(2);
  });

  test("more than a day is not believed", async () => {
    const { client, clock, asked } = await open({ "tools/list": result(fresh({ tools: [] }, 2 ** 40)) });
    await client.listTools();
    await clock.advance(24 * 60 * 60_000);
    await client.listTools();
    expect(asked("tools/list")).toBe(2);
  });

  test("only where the protocol has it, and not at all where the user does not want it", async () => {
    const replies = { "prompts/get": result(fresh({ messages: [] })), "prompts/list": result(fresh({ prompts: [] })) };
    const { client, asked } = await open(replies);
    await client.getPrompt("p");
    await client.getPrompt("p");
    expect(asked("prompts/get")).toBe(2);
    const off = await open(replies, { cacheResponses: false });
    await off.client.listPrompts();
    await off.client.listPrompts();
    expect(off.asked("prompts/list")).toBe(2);
  });
});

describe("bounds [rule R5]", () => {
  test("16 Mi characters are kept in total: the oldest results go, the others stay", async () => {
    const { client, asked } = await open({
      "resources/read": result(fresh({ contents: [{ uri: "large:", text: "x".repeat(1_000_000) }] })),
    });
    for (let n = 0; n < 16; n++) await client.readResource(`large:${n}`);
    await client.readResource("large:0");
    expect(asked("resources/read")).toBe(16);
    await client.readResource("large:16");
    await client.readResource("large:1");
    expect(asked("resources/read")).toBe(17);
    await client.readResource("large:0");
    expect(asked("resources/read")).toBe(18);
  });
});

describe("what is the same request [J3]", () => {
  test("method, params, cursor and URI make the key; the order of members does not count", async () => {
    const { client, asked } = await open({
      "resources/read": ({ id, params }, server) =>
        server.push({ jsonrpc: "2.0", id, result: fresh({ contents: [{ uri: (params as JsonObject)["uri"], text: "" }] }) }),
      "tools/list": result(fresh({ tools: [] })),
    });
    expect((await client.readResource("a:1")).contents[0]!.uri).toBe("a:1");
    expect((await client.readResource("a:2")).contents[0]!.uri).toBe("a:2");
    expect((await client.readResource("a:1")).contents[0]!.uri).toBe("a:1");
    expect(asked("resources/read")).toBe(2);
    await client.listTools({ cursor: "" });
    await client.listTools();
    expect(asked("tools/list")).toBe(2);
  });

  test("later rounds of a request are neither stored in the cache nor served from it", async () => {
    const { client, asked } = await open({ "resources/read": result(fresh({ contents: [] })) });
    await client.request("resources/read", { uri: "a:1", requestState: "s" });
    await client.request("resources/read", { uri: "a:1" });
    await client.request("resources/read", { uri: "a:1", requestState: "s" });
    await client.request("resources/read", { uri: "a:1", inputResponses: {} });
    expect(asked("resources/read")).toBe(4);
  });

  test("a question is not kept", async () => {
    const { client, asked } = await open(
      { "resources/read": result({ resultType: "input_required", requestState: "s", ttlMs: 1000 }) },
      { limits: { maxRounds: 0 } },
    );
    await client.request("resources/read", { uri: "a:1" });
    await client.request("resources/read", { uri: "a:1" });
    expect(asked("resources/read")).toBe(2);
  });

  test("what one caller does to a result, no other sees", async () => {
    const { client } = await open({ "tools/list": result(fresh({ tools: [{ name: "t", inputSchema: { type: "object" } }] })) });
    const first = await client.listTools();
    (first.tools as unknown[]).length = 0;
    expect((await client.listTools()).tools).toHaveLength(1);
  });
});

describe("whose it is, and who asks [J4 J6]", () => {
  test.each(["private", "public"])("a %s result is kept for the client that asked, and for no other [J4]", async (cacheScope) => {
    const replies = { "tools/list": result(fresh({ tools: [], cacheScope })) };
    const [ada, bob] = [await open(replies), await open(replies)];
    await ada.client.listTools();
    await bob.client.listTools();
    await bob.client.listTools();
    expect([ada.asked("tools/list"), bob.asked("tools/list")]).toEqual([1, 1]);
  });

  test("nothing is requested when the time is over, only at the next call [J6]", async () => {
    const { client, clock, server } = await open({ "tools/list": result(fresh({ tools: [] })) });
    await client.listTools();
    const sent = server.sent.length;
    await clock.advance(60 * 60_000);
    expect(server.sent).toHaveLength(sent);
    expect(clock.pending).toBe(0);
  });
});

describe("changes [requirement J5]", () => {
  const change = (method: string, params: JsonObject = {}): JsonObject => ({ jsonrpc: "2.0", method, params });
  const replies = {
    "tools/list": result(fresh({ tools: [] })),
    "prompts/list": result(fresh({ prompts: [] })),
    "resources/list": result(fresh({ resources: [] })),
    "resources/templates/list": result(fresh({ resourceTemplates: [] })),
    "resources/read": result(fresh({ contents: [] })),
  };

  test("a change ends the freshness of what changed, all pages of it, and of nothing else", async () => {
    const { client, server, asked } = await open(replies);
    const all = async (): Promise<void> => {
      await client.listTools();
      await client.listTools({ cursor: "2" });
      await client.listPrompts();
      await client.listResources();
      await client.listResourceTemplates();
      await client.readResource("a:1");
      await client.readResource("a:2");
    };
    const counts = (): number[] => Object.keys(replies).map(asked);
    await all();
    expect(counts()).toEqual([2, 1, 1, 1, 2]);
    server.push(change("notifications/tools/list_changed"));
    await turn();
    await all();
    expect(counts()).toEqual([4, 1, 1, 1, 2]);
    server.push(change("notifications/prompts/list_changed"));
    await turn();
    await all();
    expect(counts()).toEqual([4, 2, 1, 1, 2]);
    server.push(change("notifications/resources/list_changed"));
    await turn();
    await all();
    expect(counts()).toEqual([4, 2, 2, 2, 2]);
    server.push(change("notifications/resources/updated", { uri: "a:1" }));
    await turn();
    await all();
    expect(counts()).toEqual([4, 2, 2, 2, 3]);
  });

  test("a result that was on its way when the change came is not kept", async () => {
    let answer!: () => void;
    const { client, server, asked } = await open({
      "tools/list": ({ id }, transport) => {
        answer = () => transport.push({ jsonrpc: "2.0", id, result: fresh({ tools: [] }) });
      },
    });
    const before = client.listTools();
    await turn();
    server.push(change("notifications/tools/list_changed"));
    answer();
    await before;
    const after = client.listTools();
    await turn();
    expect(asked("tools/list")).toBe(2);
    answer();
    await after;
  });

  test("a cursor that the server refuses expires all cached pages [J7]", async () => {
    const { client, asked } = await open({
      "tools/list": (request, server) =>
        ((request["params"] as JsonObject)["cursor"] === "old" ? failure(-32602) : result(fresh({ tools: [] })))(request, server),
    });
    await client.listTools();
    await failureOf(client.listTools({ cursor: "old" }));
    await client.listTools();
    expect(asked("tools/list")).toBe(3);
  });
});

test("what is kept is bounded, and the oldest goes first [J8]", async () => {
  const { client, asked } = await open({ "resources/read": result(fresh({ contents: [] })) });
  for (let index = 0; index < 1001; index++) await client.readResource(`a:${index}`);
  await client.readResource("a:1000");
  expect(asked("resources/read")).toBe(1001);
  await client.readResource("a:0");
  expect(asked("resources/read")).toBe(1002);
});

test("stateful revisions have no such thing [J1]", async () => {
  const server = scriptedServer({
    initialize: result({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } }),
    "tools/list": result({ tools: [], ttlMs: 1000 }),
  });
  const client = await closing(connect(server, { revision: "2025-11-25" }));
  await client.listTools();
  await client.listTools();
  expect(methodsOf(server).filter((method) => method === "tools/list")).toHaveLength(2);
});
