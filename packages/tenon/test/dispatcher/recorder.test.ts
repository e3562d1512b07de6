import { expect, it } from "vitest";
import { JsonRpcDispatcher } from "../../src/dispatch/json-rpc-dispatcher.ts";
import { createMemoryPair } from "../../src/transport/memory.ts";
import { Recorder } from "tenon/testing";
import { ScriptedTransport } from "../support/scripted-transport.ts";
import { turn } from "../support/virtual-clock.ts";

it("a recorder writes down what crosses in both directions, in order, and changes nothing [A1.1]", async () => {
  const [near, far] = createMemoryPair();
  const recorder = new Recorder(near);
  const client = new JsonRpcDispatcher(recorder);
  const server = new JsonRpcDispatcher(far);
  void client.run(
    (request) => request.encode({ roots: [] }),
    () => undefined,
  );
  void server.run(
    async (request) => request.encode(await request.request("roots/list")),
    () => undefined,
  );
  await client.notify("notifications/initialized");
  await expect(client.request("tools/call", { name: "x" })).resolves.toEqual({ roots: [] });
  await client.close();
  expect(recorder.kind).toBe("memory");
  expect(recorder.text).toBe(
    [
      '{"from":"client","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}',
      '{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}}',
      '{"from":"server","message":{"jsonrpc":"2.0","id":1,"method":"roots/list"}}',
      '{"from":"client","message":{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}}',
      '{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}}',
      "",
    ].join("\n"),
  );
});

it("a recorder records batches, and malformed messages as their errors [F1 A1.9]", async () => {
  const transport = new ScriptedTransport();
  const recorder = new Recorder(transport, { here: "server", there: "client" });
  const server = new JsonRpcDispatcher(recorder);
  server.acceptsBatches = true;
  void server.run(
    (request) => request.encode({}),
    () => undefined,
  );
  transport.push("{");
  transport.push([{ jsonrpc: "2.0", id: 1, method: "ping" }]);
  transport.push([7]);
  await turn();
  expect(recorder.lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { from: "client", malformed: expect.objectContaining({ code: -32700 }) as object },
    { from: "server", message: { jsonrpc: "2.0", id: null, error: expect.objectContaining({ code: -32700 }) as object } },
    { from: "client", message: [{ jsonrpc: "2.0", id: 1, method: "ping" }] },
    { from: "server", message: [{ jsonrpc: "2.0", id: 1, result: {} }] },
    { from: "client", malformed: expect.objectContaining({ code: -32600 }) as object },
    { from: "server", message: [{ jsonrpc: "2.0", id: null, error: expect.objectContaining({ code: -32600 }) as object }] },
  ]);
  await server.close();
});
