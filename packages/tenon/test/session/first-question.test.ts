/** The code for asking is loaded with the first question of a process: what happens to a question meanwhile. */
import { acceptorOf } from "tenon";
import { expect, it, onTestFinished, vi } from "vitest";
import type { RequestContext } from "tenon";
import { ScriptedTransport } from "../support/scripted-transport.ts";
import { turn } from "../support/virtual-clock.ts";
import { gate } from "../support/gate.ts";

/** A connection of a process that has never asked, whose one tool has just begun to. `outcome` is what came of its questions. */
async function asking(ask: (context: RequestContext) => readonly Promise<unknown>[]): Promise<{
  transport: ScriptedTransport;
  began: Promise<void>;
  outcome: Promise<PromiseSettledResult<unknown>[]>;
  close: () => Promise<void>;
}> {
  vi.resetModules();
  const { JsonRpcDispatcher, McpServer } = await import("tenon");
  const server = new McpServer({ name: "s", version: "1" }, { onError: () => undefined });
  const { opened: began, open: begin } = gate();
  const outcome = new Promise<PromiseSettledResult<unknown>[]>((resolve) => {
    server.tool("ask", {}, async (_input, context) => {
      const settled = Promise.allSettled(ask(context));
      resolve(settled);
      begin();
      await settled;
      return "done";
    });
  });
  const transport = new ScriptedTransport();
  const dispatcher = new JsonRpcDispatcher(transport);
  onTestFinished(() => dispatcher.close());
  acceptorOf(server)
    .accept(dispatcher)
    .catch(() => undefined);
  const clientInfo = { name: "c", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {}, roots: {} }, clientInfo };
  transport.push({ jsonrpc: "2.0", id: "init", method: "initialize", params });
  transport.push({ jsonrpc: "2.0", method: "notifications/initialized" });
  await turn();
  transport.take();
  transport.push({ jsonrpc: "2.0", id: 0, method: "tools/call", params: { name: "ask" } });
  return { transport, began, outcome, close: () => dispatcher.close() };
}

const askTwo = (context: RequestContext): Promise<unknown>[] => [context.roots(), context.confirm("sure", "Sure?")];
const rejected = { status: "rejected" };

it("several go out once it is there, each once, in their order [SS-60 SS-62 DI-02]", async () => {
  const { transport, outcome } = await asking(askTwo);
  await expect.poll(() => transport.sent).toMatchObject([{ method: "roots/list" }, { method: "elicitation/create" }]);
  const [roots, sure] = transport.sent as { id: number }[];
  transport.push({ jsonrpc: "2.0", id: sure!.id, result: { action: "accept", content: {} } });
  transport.push({ jsonrpc: "2.0", id: roots!.id, result: { roots: [] } });
  expect(await outcome).toEqual([
    { status: "fulfilled", value: [] },
    { status: "fulfilled", value: true },
  ]);
  await expect.poll(() => transport.sent.at(-1)).toMatchObject({ id: 0, result: { content: [{ text: "done" }] } });
});

it("none goes out for a call that was cancelled meanwhile [requirement G1 requirement G3 DI-03]", async () => {
  const { transport, outcome } = await asking(askTwo);
  transport.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } });
  expect(await outcome).toMatchObject([rejected, rejected]);
  await turn();
  expect(transport.sent).toEqual([]);
});

it("none goes out on a connection that has ended meanwhile [SS-65 DI-11]", async () => {
  const { transport, began, outcome, close } = await asking(askTwo);
  await began;
  await close();
  expect(await outcome).toMatchObject([rejected, rejected]);
  expect(transport.sent).toEqual([]);
});
