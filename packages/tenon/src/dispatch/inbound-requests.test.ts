/** Inbound requests on the wire: which responses are sent, and that none is sent twice. The test plays the peer. */
import { describe, expect, it } from "vitest";
import { ScriptedTransport } from "../../test/support/scripted-transport.ts";
import { turn, VirtualClock } from "../../test/support/virtual-clock.ts";
import { McpError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InboundRequest, RawResult } from "./dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "./json-rpc-dispatcher.ts";

interface Served {
  readonly transport: ScriptedTransport;
  readonly dispatcher: JsonRpcDispatcher;
  readonly clock: VirtualClock;
  readonly errors: Error[];
  readonly requests: InboundRequest[];
  /** Ends the handler of the n-th request. */
  readonly finish: ((result: RawResult | Promise<RawResult>) => void)[];
}

/** A dispatcher that responds to `echo` with the request's params, fails `fail`, and leaves everything else to the test. */
function serve(options: JsonRpcDispatcherOptions = {}): Served {
  const transport = new ScriptedTransport();
  const clock = new VirtualClock();
  const errors: Error[] = [];
  const requests: InboundRequest[] = [];
  const finish: Served["finish"] = [];
  const dispatcher = new JsonRpcDispatcher(transport, { clock, onError: (error) => void errors.push(error), ...options });
  void dispatcher.run(
    (request) => {
      if (request.method === "echo") return request.encode({ params: request.params ?? null });
      if (request.method === "nothing") return request.encode({});
      if (request.method === "fail") throw new McpError(-32601, "Method not found", request.method);
      requests.push(request);
      return new Promise<RawResult>((resolve) => finish.push(resolve));
    },
    () => undefined,
  );
  return { transport, dispatcher, clock, errors, requests, finish };
}

const request = (id: unknown, method = "wait", params?: JsonObject): object => ({ jsonrpc: "2.0", id, method, params });
const cancel = (requestId: unknown): object => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
const result = (id: unknown, value: JsonObject): object => ({ jsonrpc: "2.0", id, result: value });
const error = (id: unknown, code: number): object => ({ jsonrpc: "2.0", id, error: expect.objectContaining({ code }) as object });

describe("responses", () => {
  it("carry the id of the request, its type and value [A1.5 BS-32 BS-33 XT-21]", async () => {
    const { transport } = serve();
    for (const id of [0, -1, "0", "a", "01", 2 ** 53 - 1]) transport.push(request(id, "echo", { n: null }));
    transport.push(request(4, "nothing"));
    transport.push(request(5, "fail"));
    await turn();
    expect(transport.related).toEqual([0, -1, "0", "a", "01", 2 ** 53 - 1, 4, 5]);
    expect(transport.take()).toEqual([
      ...[0, -1, "0", "a", "01", 2 ** 53 - 1].map((id) => result(id, { params: { n: null } })),
      { jsonrpc: "2.0", id: 4, result: {} },
      { jsonrpc: "2.0", id: 5, error: { code: -32601, message: "Method not found", data: "fail" } },
    ]);
  });

  it.each([
    [true, true, [undefined, "notifications/cancelled"]],
    [true, false, [undefined]],
    [false, true, [undefined]],
  ])("with cancelListens %s, for a request that stays open: %s, are sent as %j", async (cancelListens, staysOpen, sent) => {
    const { transport, requests, finish } = serve({ cancelListens });
    transport.push(request(1));
    await turn();
    if (staysOpen) requests[0]!.keepOpen();
    finish[0]!({});
    await turn();
    expect(transport.take().map((message) => message["method"])).toEqual(sent);
  });

  it("leave when they are ready, not in the order of the requests [BS-52]", async () => {
    const { transport, finish } = serve();
    for (const id of [1, 2, 3]) transport.push(request(id));
    transport.push(request(4, "echo"));
    await turn();
    finish[2]!({});
    await turn();
    finish[0]!({});
    await turn();
    expect(transport.sent.map((message) => message["id"])).toEqual([4, 3, 1]);
  });

  it("notifications and responses get no response, whatever they contain [A1.8 BS-44 T7]", async () => {
    const { transport } = serve();
    for (const message of [
      { jsonrpc: "2.0", method: "unknown" },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: "x" } },
      cancel(17),
      result(17, {}),
      { jsonrpc: "2.0", id: 1, result: 5 },
      { jsonrpc: "2.0", id: {}, error: {} },
    ]) {
      transport.push(message);
    }
    await turn();
    expect(transport.sent).toEqual([]);
  });

  it("a second request with a pending id is refused, and the first continues [D5 ID-05]", async () => {
    const { transport, requests, finish } = serve();
    transport.push(request(1, "wait", { n: 1 }));
    transport.push(request(1, "wait", { n: 2 }));
    transport.push(request("1", "wait", { n: 3 }));
    await turn();
    expect(transport.take()).toEqual([error(1, -32600)]);
    expect(requests.map(({ requestId, signal }) => [requestId, signal.aborted])).toEqual([
      [1, false],
      ["1", false],
    ]);
    finish[1]!({ of: "string" });
    finish[0]!({ of: "number" });
    await turn();
    expect(transport.take()).toEqual([result("1", { of: "string" }), result(1, { of: "number" })]);
  });

  it("a handler's first outcome is the only one: nothing follows a timeout's error [D11 BS-41]", async () => {
    const { transport, clock, finish, errors } = serve({ limits: { handlerTimeout: 100, handlerGrace: 0 } });
    transport.push(request(1));
    await clock.advance(1000);
    expect(transport.take()).toEqual([error(1, -32603)]);
    finish[0]!(Promise.reject(new Error("late")));
    await turn();
    expect(transport.take()).toEqual([]);
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("handlerGrace"), "late"]);
  });
});

describe("notifications of a handler", () => {
  it("are whole messages, with params and without", async () => {
    const { transport, requests } = serve();
    transport.push(request(1));
    await turn();
    void requests[0]!.notify("n");
    void requests[0]!.notify("n", { a: 1 });
    expect(transport.take()).toStrictEqual([
      { jsonrpc: "2.0", method: "n" },
      { jsonrpc: "2.0", method: "n", params: { a: 1 } },
    ]);
  });
});

describe("cancels", () => {
  it.each([
    ["the user left", "Request cancelled: the user left"],
    [{ why: "odd" }, "Request cancelled"],
    [undefined, "Request cancelled"],
  ])("for the reason %j the handler's signal aborts with words for people", async (reason, message) => {
    const { transport, requests } = serve();
    transport.push(request(1));
    transport.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason } });
    await turn();
    expect(requests[0]!.signal.reason).toMatchObject({ message });
  });

  it("a cancelled request gets no response, neither a result nor an error [CF-02 BS-45 D6 requirement G1]", async () => {
    const { transport, requests, finish } = serve();
    for (const id of [0, 1, 2]) transport.push(request(id));
    for (const id of [0, 1, 2]) transport.push(cancel(id));
    await turn();
    expect(requests.map(({ cancelled, signal }) => cancelled && signal.aborted)).toEqual([true, true, true]);
    finish[0]!({});
    finish[1]!(Promise.reject(new McpError(-32000, "x")));
    finish[2]!(Promise.reject(new Error("x")));
    await turn();
    expect(transport.sent).toEqual([]);
  });

  it("find the request by its own id, else by the integer their string spells [ID-03 XT-01 XT-21 D4]", async () => {
    const { transport, requests } = serve();
    for (const id of [0, 7, "7"]) transport.push(request(id));
    transport.push(cancel("7"));
    await turn();
    expect(requests.map(({ cancelled }) => cancelled)).toEqual([false, false, true]);
    transport.push(cancel("7"));
    transport.push(cancel("0"));
    await turn();
    expect(requests.map(({ cancelled }) => cancelled)).toEqual([true, true, true]);
  });

  it("malformed ones, unknown ids and finished requests are ignored [requirement G1 D6]", async () => {
    const { transport, requests, finish, errors } = serve();
    transport.push(request(1));
    transport.push(request(2));
    await turn();
    const signals = requests.map(({ signal }) => signal);
    finish[0]!({});
    await turn();
    for (const id of [1, 3, "x", null, true, 1.5, {}, [2]]) transport.push(cancel(id));
    transport.push({ jsonrpc: "2.0", method: "notifications/cancelled" });
    await turn();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    expect(errors).toEqual([]);
  });

  it("the signal is the same at each access, and aborted if the cancel came first [D6]", async () => {
    const { transport, requests } = serve();
    transport.push(request(1));
    transport.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "changed my mind" } });
    transport.push(cancel(1));
    await turn();
    const { signal } = requests[0]!;
    expect(signal.aborted).toBe(true);
    expect((signal.reason as Error).message).toBe("Request cancelled: changed my mind");
    expect(requests[0]!.signal).toBe(signal);
  });
});

describe("batches", () => {
  const legal = (served: Served): Served => {
    served.dispatcher.acceptsBatches = true;
    return served;
  };

  it("are refused as a whole if the revision has none [A1.9 F10]", async () => {
    const { transport, dispatcher, requests } = serve();
    transport.push([request(1), request(2)]);
    await turn();
    expect(transport.take()).toEqual([error(null, -32600)]);
    expect(requests).toEqual([]);
    await dispatcher.close();
  });

  it("get one array of responses once every member has one, without cancelled ones [A1.9 F10 Z19]", async () => {
    const { transport, finish } = legal(serve());
    transport.push([
      request(1),
      request(2),
      request("e", "echo"),
      { jsonrpc: "2.0", method: "n" },
      result(99, {}),
      request(4, "fail"),
    ]);
    await turn();
    finish[1]!({ second: true });
    await turn();
    expect(transport.sent).toEqual([]);
    transport.push(cancel(1));
    await turn();
    finish[0]!({ late: true });
    await turn();
    expect(transport.sent).toEqual([[result("e", { params: null }), error(4, -32601), result(2, { second: true })]]);
  });

  it("without requests get no response; empty ones and those too long are refused [F10]", async () => {
    const { transport } = legal(serve());
    transport.push([{ jsonrpc: "2.0", method: "n" }, result(1, {})]);
    await turn();
    expect(transport.take()).toEqual([]);
    transport.push([]);
    transport.push(Array.from({ length: 101 }, (_, id) => request(id, "echo")));
    transport.push(Array.from({ length: 100 }, (_, id) => request(id, "echo")));
    await turn();
    const [empty, long, full] = transport.take();
    expect([empty, long]).toEqual([error(null, -32600), error(null, -32600)]);
    expect(full).toHaveLength(100);
  });

  it("get errors for malformed members, which are reported, and malformed responses fail their calls [F2 F10]", async () => {
    const { transport, dispatcher, errors } = legal(serve());
    const call = dispatcher.request("m").catch((reason: unknown) => reason);
    transport.take();
    transport.push([
      1,
      [request(1, "echo")],
      request(null),
      request("ok", "echo"),
      { jsonrpc: "2.0", id: 1, result: 7 },
      { jsonrpc: "1.0", id: 8, method: "m" },
    ]);
    await turn();
    expect(transport.take()).toEqual([
      [error(null, -32600), error(null, -32600), error(null, -32600), result("ok", { params: null }), error(8, -32600)],
    ]);
    expect(await call).toMatchObject({ code: -32600 });
    expect(errors).toHaveLength(5);
  });

  it("malformed members are only reported by a side that does not respond to them [F2]", async () => {
    const { transport, errors } = legal(serve({ respondToMalformed: false }));
    transport.push([1, request(1, "echo")]);
    await turn();
    expect(transport.take()).toEqual([[result(1, { params: null })]]);
    expect(errors).toHaveLength(1);
  });

  it("lose no response if one cannot be serialised [F12]", async () => {
    const { transport, finish } = legal(serve());
    transport.push([request(1), request(2, "echo"), request(3)]);
    await turn();
    finish[0]!({ n: 1n });
    finish[1]!(Promise.reject(new McpError(-32000, "x", 1n)));
    await turn();
    expect(transport.take()).toEqual([[result(2, { params: null }), error(1, -32603), error(3, -32603)]]);
  });

  it("that are under way when the connection ends write nothing more [XT-20]", async () => {
    const { transport, dispatcher, finish, errors } = legal(serve());
    transport.push([request(1), request(2, "echo")]);
    await turn();
    await dispatcher.close();
    finish[0]!({});
    await turn();
    expect([transport.sent, errors]).toEqual([[], []]);
  });
});
