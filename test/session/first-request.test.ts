/** What reads resources, fills prompts and tells of changes is loaded with the first request of a process: what happens meanwhile. */
import { expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject, McpServer } from "tenon";
import { ScriptedTransport } from "../support/scripted-transport.ts";
import { turn } from "../support/virtual-clock.ts";

/** A connection of a process that has never been asked for anything but the handshake, and what its operator is told. */
async function connected(): Promise<{
  server: McpServer;
  transport: ScriptedTransport;
  told: unknown[];
  send: (id: number, method: string, params?: JsonObject) => void;
}> {
  vi.resetModules();
  const { JsonRpcDispatcher, McpServer: Server } = await import("tenon");
  const told: unknown[] = [];
  const server = new Server({ name: "s", version: "1" }, { onError: (error, report) => void told.push({ error, report }) });
  server.resource("a://fixed", {}, () => "fixed");
  server.resourceTemplate("a://{id}", {}, ({ id }) => id);
  server.prompt("p", {}, () => "hello");
  const transport = new ScriptedTransport();
  const dispatcher = new JsonRpcDispatcher(transport);
  onTestFinished(() => dispatcher.close());
  server.accept(dispatcher).catch(() => undefined);
  const send = (id: number, method: string, params: JsonObject = {}): void => transport.push({ jsonrpc: "2.0", id, method, params });
  const clientInfo = { name: "c", version: "1" };
  send(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  transport.push({ jsonrpc: "2.0", method: "notifications/initialized" });
  await turn();
  transport.take();
  return { server, transport, told, send };
}

const contents = (text: string): object => ({ result: { contents: [{ text }] } });

it("K2.2 K3.1 all that come meanwhile are answered, and done in their order: subscribing before unsubscribing", async () => {
  const { server, transport, send } = await connected();
  send(1, "resources/subscribe", { uri: "a://fixed" });
  send(2, "resources/read", { uri: "a://one" });
  send(3, "resources/unsubscribe", { uri: "a://fixed" });
  send(4, "prompts/get", { name: "p" });
  send(5, "resources/subscribe", { uri: "a://two" });
  await expect.poll(() => transport.sent).toHaveLength(5);
  const answers = transport.take().toSorted((a, b) => Number(a["id"]) - Number(b["id"]));
  const done = { result: {} };
  expect(answers).toMatchObject([{ id: 1, ...done }, { id: 2, ...contents("one") }, { id: 3, ...done }, { id: 4 }, { id: 5, ...done }]);
  // It is there now: an answer needs no more than its turn.
  send(6, "resources/read", { uri: "a://fixed" });
  server.resourceUpdated("a://fixed");
  server.resourceUpdated("a://two");
  await turn();
  expect(transport.take()).toMatchObject([
    { id: 6, ...contents("fixed") },
    { method: "notifications/resources/updated", params: { uri: "a://two" } },
  ]);
});

it("G1 G3 what is cancelled meanwhile is not answered, and others are", async () => {
  const { transport, send } = await connected();
  send(1, "resources/read", { uri: "a://1" });
  send(2, "resources/read", { uri: "a://2" });
  transport.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await expect.poll(() => transport.sent).not.toEqual([]);
  await turn();
  expect(transport.take()).toMatchObject([{ id: 2, ...contents("2") }]);
});

it("I8 D12 nothing is said of it, and to nobody, where the server closes meanwhile", async () => {
  const { server, transport, told, send } = await connected();
  send(1, "resources/read", { uri: "a://1" });
  server.tool("new", {}, () => "");
  await server.close();
  await vi.dynamicImportSettled();
  await turn();
  expect([transport.sent.filter((message) => "method" in message), told]).toEqual([[], []]);
});

it("I1 U3 a hundred changes before it is there are one of each kind", async () => {
  const { server, transport } = await connected();
  for (let index = 0; index < 100; index++) server.resource(`b://${index}`, {}, () => "");
  server.prompt("q", {}, () => "");
  await expect.poll(() => transport.sent).toHaveLength(2);
  expect(transport.take()).toMatchObject([
    { method: "notifications/resources/list_changed" },
    { method: "notifications/prompts/list_changed" },
  ]);
});
