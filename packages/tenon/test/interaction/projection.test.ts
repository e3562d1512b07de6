/** One handler, five wires: where each thing that it sends goes, and in which form. */
import { describe, expect, it } from "vitest";
import { type McpServer, SUPPORTED_PROTOCOL_VERSIONS, type JsonObject } from "tenon";
import { EventReader } from "../http/event-reader.ts";
import { mirrored, serve, statelessBody } from "../http/support.ts";
import { RawClient, STATELESS_META } from "../support/raw-client.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { systemClock, type Clock } from "../../src/base/clock.ts";
import { testServer } from "../support/test-server.ts";

const TAG = "io.modelcontextprotocol/subscriptionId";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

/** A server whose tool sends everything that a handler can send. */
function talkative(clock: Clock): McpServer {
  const server = testServer({ clock });
  server.resource("a://1", {}, () => "1");
  server.tool("talk", {}, async (_input, ctx) => {
    await ctx.log.info("quiet");
    await ctx.log.error("loud");
    await ctx.progress(1, 2, "half");
    server.resourceUpdated("a://1");
    return "done";
  });
  return server;
}

const call = (id: number, meta: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "talk", _meta: meta },
});
/** A message without its envelope. */
const said = ({ method, params, id }: JsonObject): unknown => (method === undefined ? id : [method, params]);

describe.each(SUPPORTED_PROTOCOL_VERSIONS)("What a handler says, %s", (revision) => {
  const stateless = revision === "2026-07-28";

  async function conversation(level?: "error", clock = new VirtualClock()): Promise<RawClient> {
    const client = new RawClient(talkative(clock));
    if (!stateless) await client.initialize(revision);
    if (!stateless && level !== undefined) await client.request("logging/setLevel", { level }, "level");
    return client;
  }

  it("log messages: of the level of the session, or of the request and then on its stream alone [K6.1 K6.2]", async () => {
    const client = await conversation("error");
    const logs = async (meta: JsonObject): Promise<unknown> =>
      (await client.send(call(1, meta))).map(said).filter((one) => Array.isArray(one) && one[0] === "notifications/message");
    const loud = ["notifications/message", { level: "error", data: "loud" }];
    const quiet = ["notifications/message", { level: "info", data: "quiet" }];
    if (stateless) {
      expect(await logs({ ...STATELESS_META })).toEqual([]);
      expect(await logs({ ...STATELESS_META, [LOG_LEVEL]: "error" })).toEqual([loud]);
      expect(await logs({ ...STATELESS_META, [LOG_LEVEL]: "debug" })).toEqual([quiet, loud]);
    } else {
      expect(await logs({})).toEqual([loud]);
    }
  });

  it("progress: with the request's token, before its result, as the revision wants [requirement G6 requirement G7]", async () => {
    const client = await conversation();
    const meta = stateless ? STATELESS_META : {};
    const told = (await client.send(call(7, { ...meta, progressToken: 0 }))).map(said);
    const message = revision === "2024-11-05" ? {} : { message: "half" };
    const progress = ["notifications/progress", { progressToken: 0, progress: 1, total: 2, ...message }];
    expect(told.filter((one) => Array.isArray(one) && one[0] === "notifications/progress")).toEqual([progress]);
    expect(told.findIndex((one) => Array.isArray(one) && one[0] === "notifications/progress")).toBeLessThan(told.indexOf(7));
    const without = (await client.send(call(8, { ...meta }))).map(said);
    expect(without.filter((one) => Array.isArray(one) && one[0] === "notifications/progress")).toEqual([]);
  });

  it("updates of resources: to subscribed sessions, or on listen streams, tagged; nowhere else [I1 I2 I3 I5 A3.10]", async () => {
    const clock = new VirtualClock();
    const client = await conversation(undefined, clock);
    const updates = async (id: number): Promise<unknown> => {
      // What follows within the interval would be one with it.
      await clock.advance(100);
      const told = await client.send(call(id, stateless ? STATELESS_META : {}));
      // What the first call needs is loaded with it.
      await expect.poll(async () => (told.push(...(await client.send())), told.map((one) => one["id"]))).toContain(id);
      return told.map(said).filter((one) => Array.isArray(one) && one[0] === "notifications/resources/updated");
    };
    expect(await updates(1)).toEqual([]);
    if (stateless) {
      const listen = { notifications: { resourceSubscriptions: ["a://1"] }, _meta: STATELESS_META };
      await client.send({ jsonrpc: "2.0", id: "sub", method: "subscriptions/listen", params: listen });
      expect(await updates(2)).toEqual([["notifications/resources/updated", { uri: "a://1", _meta: { [TAG]: "sub" } }]]);
    } else {
      await client.request("resources/subscribe", { uri: "a://1" }, "sub");
      expect(await updates(2)).toEqual([["notifications/resources/updated", { uri: "a://1" }]]);
      await client.request("resources/unsubscribe", { uri: "a://1" }, "unsub");
      expect(await updates(3)).toEqual([]);
    }
  });
});

describe("What a handler sends over HTTP", () => {
  it("2026-07-28: log and progress on their request's stream, updates on the listen one [K6.2 requirement G7 I5]", async () => {
    const http = await serve(talkative(systemClock));
    const open = (method: string, params: JsonObject, id: string): Promise<EventReader> =>
      EventReader.open(http.port, { headers: mirrored(method, params), body: { ...statelessBody(method, params), id } });
    const methods = (events: readonly { data: string }[]): unknown[] =>
      events.map(({ data }) => (JSON.parse(data) as JsonObject)["method"] ?? "answer");
    const listening = await open("subscriptions/listen", { notifications: { resourceSubscriptions: ["a://1"] } }, "listen");
    expect(methods([await listening.next()])).toEqual(["notifications/subscriptions/acknowledged"]);
    const loud = await open("tools/call", { name: "talk", _meta: { [LOG_LEVEL]: "error" } }, "loud");
    const counted = await open("tools/call", { name: "talk", _meta: { progressToken: "p" } }, "counted");
    expect(methods(await loud.rest())).toEqual(["notifications/message", "answer"]);
    expect(methods(await counted.rest())).toEqual(["notifications/progress", "answer"]);
    expect(methods([await listening.next()])).toEqual(["notifications/resources/updated"]);
  });

  it.each(["2025-03-26", "2025-06-18", "2025-11-25"])(
    "%s: log and progress on the response of their request, updates on the stream of GET [E1.6 E2.2 I1]",
    async (revision) => {
      const http = await serve(talkative(systemClock));
      const session = await http.open(revision);
      const standing = await EventReader.open(http.port, { headers: session.headers });
      await session.send({ jsonrpc: "2.0", id: "sub", method: "resources/subscribe", params: { uri: "a://1" } });
      const { messages } = await session.send(call(2, { progressToken: "p" }));
      expect(messages.map(({ method }) => method ?? "answer")).toEqual([
        "notifications/message",
        "notifications/message",
        "notifications/progress",
        "answer",
      ]);
      const events: JsonObject[] = [];
      while (events.length === 0) {
        const { data } = await standing.next();
        if (data !== "") events.push(JSON.parse(data) as JsonObject);
      }
      expect(events.map(said)).toEqual([["notifications/resources/updated", { uri: "a://1" }]]);
    },
  );
});
