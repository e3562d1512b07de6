/**
 * Characters that an engine or UTF-8 cannot hold: U+0000, and a surrogate without its pair. JSON can hold both, so a client
 * receives them as they were sent, whichever node and engine lies between. A text that a user stores as it is comes back exactly,
 * or is refused by name.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import type { JsonObject } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { McpServer } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import type { Stores } from "tenon/stores/redis";
import * as z from "zod";
import { Nodes, SHARED } from "../cluster/nodes.ts";
import { assertStarted, ENGINES, startEngine, type Engine, type EngineName } from "./engines.ts";

const LONG = 600_000;
const ODD = "Zoë \u0000 \ud800 \udc00\ud83d 😀";
const LARGE = ODD.repeat(10_000);
const PROGRESS = { _meta: { progressToken: "p" } };

function makeServer(stores: Stores): McpServer {
  const requestState = { keys: SHARED.requestState!.keys!, store: stores.states };
  const server = new McpServer(
    { name: "s", version: "1" },
    { ...SHARED, requestState, logging: true, extensions: [tasks({ store: stores.tasks })] },
  );
  const input = z.object({ text: z.string() });
  server.tool("say", { input }, async ({ text }, ctx) => {
    await ctx.progress(1, undefined, text);
    await ctx.session.standalone.sendLogMessage({ level: "info", data: text });
    return text;
  });
  server.tool("job", { input, task: { ttl: LONG } }, async ({ text }, ctx) => {
    const kept = await ctx.step(text.slice(0, 20), () => text);
    const { content } = await ctx.elicit("name", { message: text, schema: z.object({ name: z.string() }) });
    return `${kept}${content?.name}`;
  });
  server.tool("ask", { input }, async ({ text }, ctx) => {
    const kept = await ctx.step("large", () => text);
    const { content } = await ctx.elicit("name", { message: text.slice(0, 20), schema: z.object({ name: z.string() }) });
    return `${kept}${content?.name}`;
  });
  return server;
}

describe.each(["memory", ...ENGINES] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = name === "memory" ? undefined : await startEngine(name)));
  afterAll(() => engine?.stop());

  function stores(context: TestContext): Stores {
    const made =
      name === "memory" ? memoryStores() : assertStarted(engine, name as EngineName, context).stores(`text_${++spaces}`);
    onTestFinished(() => made.close());
    return made;
  }

  test("in an event, in a message and in a result, on a stream that is resumed at another node", async (context) => {
    const shared = stores(context);
    const nodes = new Nodes(() => makeServer(shared), { stores: shared });
    const session = await nodes.open("2025-11-25");
    const get = await session.send(2, { method: "GET" });
    onTestFinished(() => get.drop());
    const body = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "say", arguments: { text: ODD }, ...PROGRESS } };
    const events = await (await session.send(0, { body })).rest();
    const resumed = await (
      await session.send(1, { method: "GET", headers: { "last-event-id": events[0]!.id!.replace(/\d+$/, "0") } })
    ).rest();
    for (const received of [events, resumed])
      expect(received.map(({ message }) => message)).toMatchObject([
        { params: { message: ODD } },
        { result: { content: [{ text: ODD }] } },
      ]);
    expect((await get.next())!.message).toMatchObject({ params: { data: ODD } });
  });

  test("in the input, a step, a question, an answer and the result of a task", async (context) => {
    const shared = stores(context);
    const nodes = new Nodes(() => makeServer(shared), { stores: shared });
    const asked: string[] = [];
    const client = await nodes.connect({
      revision: "2026-07-28",
      extensions: [tasks()],
      onElicit: ({ message }) => (asked.push(message), { action: "accept", content: { name: ODD } }),
    });
    expect((await client.callTool("job", { text: ODD })).text).toBe(`${ODD}${ODD}`);
    expect(asked).toEqual([ODD]);
  });

  test("in a state that is too large for the client, and goes on at another node", async (context) => {
    const shared = stores(context);
    const nodes = new Nodes(() => makeServer(shared), { stores: shared });
    const client = await nodes.connect({
      revision: "2026-07-28",
      onElicit: () => ({ action: "accept", content: { name: ODD } }),
    });
    expect((await client.callTool("ask", { text: LARGE })).text === `${LARGE}${ODD}`).toBe(true);
  });

  test.for(["nul \u0000", "half \ud800", "other half \udc00 x"])(
    "in a text that a user stores: %j is kept exactly or refused by name",
    async (text, context) => {
      const { states, keyed, events, logins, bus } = stores(context);
      const at = { session: "session", stream: "stream" };
      const opening = { writer: "a", ms: LONG };
      await events.open(at, opening);
      const kept: Record<string, () => Promise<unknown>> = {
        state: async () => (await states.put("state", text, LONG), states.get("state")),
        value: async () => (await keyed.swap("key", undefined, { value: text, ms: LONG }), (await keyed.read("key"))!.value),
        login: async () => (await logins.set("login", { text }), (await logins.get("login"))!["text"]),
        event: async () => (
          await events.append(at, { writer: "a", first: 1, data: [text], ms: LONG }),
          (await pageOf(events, at)).events[0]!.data
        ),
        addition: async () => (
          await events.add({ ...at, stream: "shared" }, { key: "k", data: [text], ms: LONG }),
          (await pageOf(events, { ...at, stream: "shared" })).events[0]!.data
        ),
        note: async () => (
          await events.open({ ...at, stream: "note" }, { ...opening, note: text }),
          (await pageOf(events, { ...at, stream: "note" })).note
        ),
        message: async () => {
          const heard = new Promise((resolve) => void bus.subscribe("topic", resolve));
          await bus.subscribe("topic", () => undefined); // both are there
          await bus.publish("topic", text);
          return heard;
        },
      };
      for (const [where, work] of Object.entries(kept)) {
        const outcome = await work().catch((error: unknown) => error);
        if (outcome instanceof TypeError) expect([where, outcome.message]).toEqual([where, expect.stringContaining("U+0000")]);
        else expect([where, outcome]).toEqual([where, text]);
      }
    },
  );
});

async function pageOf(events: Stores["events"], at: JsonObject): Promise<{ events: readonly { data: string }[]; note?: string }> {
  return (await events.read(at as never, 0, 9)) as never;
}
