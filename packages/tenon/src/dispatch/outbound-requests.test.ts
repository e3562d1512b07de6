/** Outbound requests on the wire: what is written, and which call a response settles. The test plays the peer. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IDLE } from "../../test/support/dispatcher-pair.ts";
import { ScriptedTransport } from "../../test/support/scripted-transport.ts";
import { turn, VirtualClock } from "../../test/support/virtual-clock.ts";
import { McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import { coerceRequestId, type JsonObject, type RequestId } from "../jsonrpc/message.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "./json-rpc-dispatcher.ts";

function start(options: JsonRpcDispatcherOptions = {}): {
  transport: ScriptedTransport;
  dispatcher: JsonRpcDispatcher;
  clock: VirtualClock;
  errors: Error[];
} {
  const transport = new ScriptedTransport();
  const clock = new VirtualClock();
  const errors: Error[] = [];
  const dispatcher = new JsonRpcDispatcher(transport, { clock, onError: (error) => void errors.push(error), ...options });
  void dispatcher.run(
    () => ({}),
    () => undefined,
  );
  return { transport, dispatcher, clock, errors };
}

/** How a call ended, once it has. */
function watch(call: Promise<JsonObject>): { outcome?: JsonObject | McpError } {
  const seen: { outcome?: JsonObject | McpError } = {};
  call.then(
    (result) => (seen.outcome = result),
    (reason: unknown) => (seen.outcome = reason as McpError),
  );
  return seen;
}

const answer = (id: unknown, result: JsonObject = {}): object => ({ jsonrpc: "2.0", id, result });

describe("what is written", () => {
  it("a request, with params only if there are some [A1.1 A1.2 DI-12]", () => {
    const { transport, dispatcher } = start();
    void dispatcher.request("tools/list");
    void dispatcher.request("tools/call", { name: "x", arguments: { a: null } });
    expect(transport.sent).toEqual([
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "x", arguments: { a: null } } },
    ]);
  });

  it("the progress token is the id and joins what `_meta` holds [BS-13 CF-21]", () => {
    const { transport, dispatcher } = start();
    const params = { _meta: { traceparent: "00-…" }, a: 1 };
    void dispatcher.request("m", params, { onProgress: () => undefined });
    void dispatcher.request("m", undefined, { onProgress: () => undefined, requestId: 0 });
    expect(transport.sent.map((message) => message["params"])).toEqual([
      { _meta: { traceparent: "00-…", progressToken: 1 }, a: 1 },
      { _meta: { progressToken: 0 } },
    ]);
    expect(params).toEqual({ _meta: { traceparent: "00-…" }, a: 1 });
  });

  it("a response that arrives while the request is being written counts [BS-12]", async () => {
    const { transport, dispatcher } = start();
    transport.write = () => {
      transport.push(answer(1, { early: true }));
      return new Promise(() => undefined);
    };
    await expect(dispatcher.request("m")).resolves.toEqual({ early: true });
  });

  it("a write that fails, now or later, fails the call with the transport's error [BS-22]", async () => {
    const { transport, dispatcher, clock } = start();
    transport.write = () => {
      throw new Error("now");
    };
    await expect(dispatcher.request("m")).rejects.toThrow("now");
    transport.write = () => Promise.reject(new Error("later"));
    await expect(dispatcher.request("m")).rejects.toThrow("later");
    await clock.advance(IDLE);
    expect(clock.pending).toBe(0);
  });

  it("time counts from when the request was written [DI-10 BS-17]", async () => {
    const { transport, dispatcher, clock } = start();
    let written!: () => void;
    transport.write = () => new Promise((resolve) => (written = resolve));
    const call = watch(dispatcher.request("m", {}, { timeout: 100 }));
    await clock.advance(90);
    written();
    await clock.advance(99);
    expect(call.outcome).toBeUndefined();
    await clock.advance(1);
    expect(call.outcome).toMatchObject({ code: -32001 });
  });

  it("a call that cannot even be written is not waited for any longer than one that was", async () => {
    const { transport, dispatcher, clock } = start();
    transport.write = () => new Promise(() => {});
    const call = watch(dispatcher.request("m", {}, { timeout: 100 }));
    await clock.advance(99);
    expect(call.outcome).toBeUndefined();
    await clock.advance(1);
    expect(call.outcome).toMatchObject({ code: -32001 });
  });

  it("a call that times out is cancelled once, and its late response is ignored [XT-03]", async () => {
    const { transport, dispatcher, clock, errors } = start();
    const call = watch(dispatcher.request("m", {}, { timeout: 100 }));
    transport.take();
    await clock.advance(1000);
    expect(call.outcome).toMatchObject({ code: -32001 });
    expect(transport.take()).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 1, reason: expect.stringContaining("timed out after 100 ms") },
      },
    ]);
    transport.push(answer(1));
    await clock.advance(1000);
    expect([transport.sent, errors]).toEqual([[], []]);
  });

  it("a call cancelled while being written sends its cancel once written, none if it never was [DI-10 CF-05 D6]", async () => {
    const { transport, dispatcher, errors } = start();
    const writes: { resolve(): void; reject(reason: Error): void }[] = [];
    transport.write = () => new Promise((resolve, reject) => void writes.push({ resolve, reject }));
    const aborts = [new AbortController(), new AbortController(), new AbortController()];
    const calls = aborts.map(({ signal }, i) => watch(dispatcher.request("m", {}, { signal, cancelOnAbandon: i !== 2 })));
    for (const abort of aborts) abort.abort("enough");
    await turn();
    expect(calls.map(({ outcome }) => outcome)).toEqual(["enough", "enough", "enough"]);
    transport.take();
    writes[0]!.resolve();
    writes[1]!.reject(new Error("gone"));
    writes[2]!.resolve();
    await turn();
    expect(transport.take()).toEqual([
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "enough" } },
    ]);
    expect(errors).toEqual([]);
  });

  it("what a handler asks, and its cancel, belong to the request, id 0 included [DI-08 CF-20 XT-21]", async () => {
    const transport = new ScriptedTransport();
    const dispatcher = new JsonRpcDispatcher(transport);
    const abort = new AbortController();
    void dispatcher.run(
      async (request) => {
        await request.notify("notifications/message", {});
        return request.encode(await request.request("roots/list", {}, { signal: abort.signal }));
      },
      () => undefined,
    );
    transport.push({ jsonrpc: "2.0", id: 0, method: "tools/call" });
    await turn();
    abort.abort(new McpError(-32050, "no roots"));
    await turn();
    expect(transport.sent.map((message) => message["method"] ?? message["error"])).toEqual([
      "notifications/message",
      "roots/list",
      "notifications/cancelled",
      { code: -32050, message: "no roots" },
    ]);
    expect(transport.related).toEqual([0, 0, 0, 0]);
    await dispatcher.close();
  });
});

describe("what the peer learns of a call that is abandoned", () => {
  it.each<[string, unknown, string]>([
    ["an error", new Error("enough"), "enough"],
    ["a text", "enough", "enough"],
    ["anything else", Symbol("enough"), "The caller gave up"],
  ])("is the message of the reason, if the reason is %s", async (_, reason, told) => {
    const { transport, dispatcher } = start();
    const abort = new AbortController();
    const call = watch(dispatcher.request("m", {}, { signal: abort.signal }));
    transport.take();
    abort.abort(reason);
    await turn();
    expect(call.outcome).toBe(reason);
    const params = { requestId: 1, reason: told };
    expect(transport.sent).toEqual([{ jsonrpc: "2.0", method: "notifications/cancelled", params }]);
  });
});

describe("which call a response settles", () => {
  it("progress that a call did not request does not extend its timeout, and is not reported", async () => {
    const { transport, dispatcher, clock, errors } = start();
    const seen = watch(dispatcher.request("m", {}, { timeout: 100 }));
    await clock.advance(60);
    transport.push({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } });
    await clock.advance(40);
    expect(seen.outcome).toMatchObject({ code: -32001 });
    expect(errors).toEqual([]);
  });

  it("a string that spells the id settles the call and brings its progress [ID-02 ID-03 D4 XT-01]", async () => {
    const { transport, dispatcher, errors } = start();
    const steps: number[] = [];
    const call = dispatcher.request("m", {}, { onProgress: ({ progress }) => void steps.push(progress) });
    transport.push({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "1", progress: 7 } });
    transport.push(answer("1", { ok: true }));
    await expect(call).resolves.toEqual({ ok: true });
    expect([steps, errors]).toEqual([[7], []]);
  });

  it("nothing else that a lax conversion would take for the id does [ID-02 D4]", async () => {
    const { transport, dispatcher, errors } = start();
    const call = watch(dispatcher.request("m"));
    for (const id of [" 1", "1 ", "1.5", "1.", "1e0", "0x1", "+1", "1n", "Ⅰ", "١"]) transport.push(answer(id, { wrong: id }));
    await turn();
    expect(call.outcome).toBeUndefined();
    expect(errors).toHaveLength(10);
    transport.push(answer(1, { right: true }));
    await turn();
    expect(call.outcome).toEqual({ right: true });
  });

  it("coercion accepts decimal integers that are safe, and nothing else [ID-02]", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.maxSafeInteger().map(String), fc.stringMatching(/^[-+ 0-9.ex]{1,20}$/u)), (id) => {
        const coerced = coerceRequestId(id);
        if (typeof coerced === "number") {
          expect(Number.isSafeInteger(coerced)).toBe(true);
          expect(/^-?\d+$/.test(id)).toBe(true);
          expect(BigInt(coerced)).toBe(BigInt(id));
        } else expect(coerced).toBe(id);
      }),
    );
  });

  it("the first response counts; further ones to a known id are dropped silently [BS-63 BS-65 CF-07 D1 D3]", async () => {
    const { transport, dispatcher, errors } = start();
    const calls = [
      watch(dispatcher.request("m")),
      watch(dispatcher.request("m", {}, { requestId: "mine" })),
      watch(dispatcher.request("m", {}, { requestId: -7 })),
    ];
    for (const id of [1, "mine", -7]) {
      for (const n of [1, 2, 3]) transport.push(answer(id, { n }));
    }
    await turn();
    expect(calls.map(({ outcome }) => outcome)).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
    expect(errors).toEqual([]);
  });

  it("a response to an id that was never used is reported [BS-64 CF-07 D2]", async () => {
    const { transport, errors } = start();
    transport.push(answer(1));
    transport.push(answer("x"));
    transport.push({ jsonrpc: "2.0", id: 0, error: { code: 1, message: "m" } });
    await turn();
    expect(errors.map(({ message }) => message)).toEqual(
      [1, '"x"', 0].map((id) => `Received response with an unknown request ID: ${id}`),
    );
  });

  it("an error without an id settles no call, and is reported with its message [CF-06, BS-60, A1.6]", async () => {
    const { transport, dispatcher, errors } = start();
    const call = watch(dispatcher.request("m"));
    transport.push({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error", data: 1 } });
    transport.push({ jsonrpc: "2.0", error: { code: -32600, message: "Invalid" } });
    await turn();
    expect(call.outcome).toBeUndefined();
    const cause = { message: "Received an error without an id" };
    expect(errors).toMatchObject([
      { code: -32700, message: "Parse error", data: 1, cause },
      { code: -32600, message: "Invalid", cause },
    ]);
  });

  it("a result without an id, from a transport that checks nothing, is reported", async () => {
    const transport = new ScriptedTransport();
    const unchecked = [{ jsonrpc: "2.0" as const, id: null as unknown as number, result: {} }];
    transport.receive = () => unchecked.pop() ?? ScriptedTransport.prototype.receive.call(transport);
    const errors: string[] = [];
    const dispatcher = new JsonRpcDispatcher(transport, { onError: ({ message }) => errors.push(message) });
    void dispatcher.run(
      () => ({}),
      () => undefined,
    );
    await turn();
    expect(errors).toEqual(["Received a result without an id"]);
    await dispatcher.close();
  });

  it.each([null, -32603, "?"])(
    "an error with the id %j is the response of a call that accepts it, while that is the only one [CF-06]",
    async (id) => {
      const { transport, dispatcher, errors } = start();
      const unread = { jsonrpc: "2.0", id, error: { code: -32700, message: "Parse error" } };
      const probe = watch(dispatcher.request("probe", {}, { takesErrorWithoutId: true }));
      const other = watch(dispatcher.request("other"));
      transport.push(unread);
      await turn();
      expect([probe.outcome, other.outcome, errors.length]).toEqual([undefined, undefined, 1]);
      transport.push(answer(2));
      transport.push(unread);
      await turn();
      expect(probe.outcome).toMatchObject({ code: -32700, message: "Parse error" });
      expect(errors).toHaveLength(1);
    },
  );

  it("a malformed response fails its call at once [F2 BS-20]", async () => {
    const { transport, dispatcher, errors } = start();
    const bad = [
      { result: {}, error: { code: 1, message: "both" } },
      { result: "text" },
      { result: null },
      { error: { code: "1", message: "m" } },
      { error: { code: 1.5, message: "m" } },
      { error: { code: 1 } },
      { error: [] },
    ];
    const calls = bad.map(() => watch(dispatcher.request("m")));
    transport.take();
    bad.forEach((message, i) => transport.push({ jsonrpc: "2.0", id: i + 1, ...message }));
    transport.push({ jsonrpc: "1.0", id: 1, result: {} });
    await turn();
    for (const { outcome } of calls) expect(outcome).toBeInstanceOf(ProtocolViolationError);
    expect(errors).toHaveLength(bad.length + 1);
    expect(transport.sent).toEqual([]);
  });

  it("settles exactly the calls with a response, each with its own, in any order [D4]", async () => {
    const id = fc.oneof(
      fc.constant(undefined),
      fc.integer({ min: -3, max: 12 }),
      fc.constantFrom<RequestId>("a", "b", "3", "-1", "x 1"),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(id, { selector: (value) => value ?? Symbol("minted"), maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        async (ids, random) => {
          const { transport, dispatcher, errors } = start();
          const calls = ids.map((requestId) => watch(dispatcher.request("m", {}, requestId === undefined ? {} : { requestId })));
          const written = transport.take().map((message) => message["id"] as RequestId);
          const order = written.map((_, i) => [random.next().value, i] as const).sort(([a], [b]) => a - b);
          for (const [chance, i] of order)
            transport.push(answer(chance % 2 === 0 ? String(written[i]) : written[i], { of: written[i] }));
          await turn();
          const results = calls.map(({ outcome }) => outcome);
          expect(results.filter((outcome) => !(outcome instanceof RangeError))).toEqual(written.map((of) => ({ of })));
          expect(new Set(written.map(coerceRequestId)).size).toBe(written.length);
          expect(errors).toEqual([]);
          await dispatcher.close();
        },
      ),
    );
  });
});
