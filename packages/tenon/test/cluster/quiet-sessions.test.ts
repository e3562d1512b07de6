/** Sessions that are used and have nothing to say for longer than `sessions.idle`: no message is lost afterwards, and no call. */
import { expect, onTestFinished, test } from "vitest";
import type { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "tenon/testing";
import { Nodes, SHARED, type RawSession } from "./nodes.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const MINUTE = 60_000;

async function opened(
  idle: number,
  goOn: Promise<void> = Promise.resolve(),
): Promise<{ clock: VirtualClock; session: RawSession }> {
  const clock = new VirtualClock();
  const makeServer = (): McpServer => {
    const server = testServer({ ...SHARED, logging: true });
    server.tool("tell", {}, async (_input, ctx) => {
      await ctx.session.standalone.sendLogMessage({ level: "info", data: "told" });
      return "done";
    });
    server.tool("wait", {}, async (_input, ctx) => {
      await ctx.progress(1);
      await goOn;
      return "done";
    });
    return server;
  };
  const nodes = new Nodes(makeServer, {
    stores: memoryStores({ clock }),
    clock,
    sessions: { idle },
    streams: { after: Infinity },
  });
  return { clock, session: await nodes.open("2025-11-25") };
}

const call = (name: string): JsonObject => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name, _meta: { progressToken: "p" } },
});
const ping = { body: { jsonrpc: "2.0", id: 3, method: "ping" } };

test("messages go on after a quiet time, on the stream that is open and on one that is opened then", async () => {
  const { clock, session } = await opened(30 * MINUTE);
  const tell = async (): Promise<void> => void (await (await session.send(0, { body: call("tell") })).text());
  const quiet = async (): Promise<void> => {
    for (let minute = 0; minute < 70; minute++) {
      await clock.advance(MINUTE);
      expect((await session.send(minute % 3, ping)).status).toBe(200);
    }
  };
  const first = await session.send(1, { method: "GET" });
  await tell();
  await tell();
  await first.next();
  const { id } = (await first.next())!;
  await quiet();
  await tell();
  expect((await first.next())!.id).toBe(id!.replace(".2-", ".3-"));
  await first.drop();
  await quiet();
  await tell();
  const second = await session.send(2, { method: "GET" });
  onTestFinished(() => second.drop());
  expect((await second.next())!.id).toBe(id!.replace(".2-", ".4-"));
});

test("a call whose stream is quiet for longer than a session may be unused has its result", async () => {
  const { opened: ready, open: goOn } = gate();
  const { clock, session } = await opened(2 * MINUTE, ready);
  const stream = await session.send(0, { body: call("wait") });
  await stream.next();
  for (let second = 0; second < 5 * 60; second += 10) await clock.advance(10_000);
  goOn();
  expect((await stream.rest()).map(({ message }) => message)).toMatchObject([{ id: 2, result: { content: [{ text: "done" }] } }]);
});

test("a session that is used again and again within `idle` does not end, however short that is", async () => {
  const idle = 1.5 * MINUTE;
  const { clock, session } = await opened(idle);
  for (const rest of [0.5, 0.98, 0.3, 0.98, 0.6, 0.98]) {
    await clock.advance(rest * idle);
    expect((await session.send(1, ping)).status).toBe(200);
  }
  await clock.advance(1.2 * idle);
  expect((await session.send(1, ping)).status).toBe(404);
});
