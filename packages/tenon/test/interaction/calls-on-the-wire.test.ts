/** One call as its messages: ids, cancellations, malformed messages and batches. */
import { describe, expect, it } from "vitest";
import { RawClient, STATELESS_META } from "../support/raw-client.ts";
import { createServer } from "./slow-server.ts";

describe("Calls on the wire", () => {
  const slow = (id: string | number): object => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "slow", _meta: STATELESS_META },
  });
  const cancelled = (requestId: unknown, reason?: unknown): object => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId, reason },
  });

  it("id 0 is cancelled like any other: no word about it afterwards, progress and log included [XT-21 XT-08 C.5]", async () => {
    const { server, running } = createServer();
    const client = new RawClient(server);
    const withLog = { ...STATELESS_META, "io.modelcontextprotocol/logLevel": "debug", progressToken: 0 };
    const request = { jsonrpc: "2.0", id: 0, method: "tools/call", params: { name: "slow", _meta: withLog } };
    expect(await client.send(request)).toEqual([]);
    await running[0]!.context.progress(1);
    expect(await client.send()).toEqual([
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 0, progress: 1 } },
    ]);
    expect(await client.send(cancelled(0, "enough"))).toEqual([]);
    expect((running[0]!.context.signal.reason as Error).message).toBe("Request cancelled: enough");
    await running[0]!.context.progress(2);
    await running[0]!.context.log.info("still here");
    running[0]!.finish("late");
    expect(await client.send()).toEqual([]);
    expect(await client.send(slow(0))).toEqual([]);
    running[1]!.finish("again");
    expect(await client.send()).toMatchObject([{ id: 0, result: { content: [{ text: "again" }] } }]);
  });

  it("an id in quotes cancels the number, and malformed or unknown cancellations are ignored [XT-01 ID-03]", async () => {
    const { server, running } = createServer();
    const client = new RawClient(server);
    await client.send(slow(1), slow("a"));
    const odd = [
      cancelled(99),
      cancelled(null),
      cancelled({}),
      cancelled(1.5),
      { jsonrpc: "2.0", method: "notifications/cancelled" },
    ];
    expect(await client.send(...odd)).toEqual([]);
    expect(running.map(({ context }) => context.signal.aborted)).toEqual([false, false]);
    await client.send(cancelled("1"), cancelled("a", 7));
    expect(running.map(({ context }) => context.signal.aborted)).toEqual([true, true]);
  });

  it("a second request with an id in flight is refused, the first is not disturbed [rule R3 D5]", async () => {
    const { server, running } = createServer();
    const client = new RawClient(server);
    expect(await client.send(slow(5), slow(5))).toMatchObject([{ id: 5, error: { code: -32600 } }]);
    expect(running).toHaveLength(1);
    running[0]!.finish("mine");
    expect(await client.send()).toMatchObject([{ id: 5, result: { content: [{ text: "mine" }] } }]);
  });

  it("every malformed message gets an error response, and the connection stays open [F1 F2 F3 XT-09]", async () => {
    const { server } = createServer();
    const client = new RawClient(server);
    await client.initialize("2025-11-25");
    const cases: [string | object, object[]][] = [
      ["{", [{ id: null, error: { code: -32700 } }]],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', [{ id: null, error: { code: -32600 } }]],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', [{ id: null, error: { code: -32600 } }]],
      ['{"jsonrpc":"2.0","id":1e400,"method":"ping"}', [{ id: null, error: { code: -32600 } }]],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', [{ id: 1, error: { code: -32600 } }]],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', [{ id: 1, error: { code: -32600 } }]],
      ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', [{ error: { code: -32600 } }]],
      ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', [{ id: null, error: { code: -32600 } }]],
      ["[]", [{ id: null, error: { code: -32600 } }]],
      [{ jsonrpc: "2.0", id: 1, method: "no/such" }, [{ id: 1, error: { code: -32601, data: "no/such" } }]],
      [{ jsonrpc: "2.0", id: 1, method: "tools/call" }, [{ id: 1, error: { code: -32602 } }]],
      [{ jsonrpc: "2.0", id: 9, result: {} }, []],
      [{ jsonrpc: "2.0", method: "notifications/no/such", params: { a: null } }, []],
      [
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "quick" } },
        [{ id: 2, result: { content: [{ text: "quick" }] } }],
      ],
    ];
    for (const [message, expected] of cases) {
      const written = await client.send(message);
      expect([message, written]).toMatchObject([message, expected]);
      expect(written).toHaveLength(expected.length);
    }
  });

  it("batches exist on 2025-03-26 only, and their responses are sent together [A1.9 F10]", async () => {
    const { server } = createServer();
    const ping = (id: number): object => ({ jsonrpc: "2.0", id, method: "ping" });
    const batch = [ping(1), { jsonrpc: "2.0", method: "notifications/initialized" }, ping(2)];
    const client = new RawClient(server);
    await client.initialize("2025-03-26");
    expect(await client.send(batch)).toEqual([
      [
        { jsonrpc: "2.0", id: 1, result: {} },
        { jsonrpc: "2.0", id: 2, result: {} },
      ],
    ]);
    expect(await client.send([{ jsonrpc: "2.0", method: "notifications/initialized" }])).toEqual([]);
    for (const version of ["2024-11-05", "2025-06-18", "2025-11-25"] as const) {
      const other = new RawClient(server);
      await other.initialize(version);
      expect(await other.send(batch)).toMatchObject([{ id: null, error: { code: -32600 } }]);
    }
  });
});
