/** What every dispatcher promises, held against both of them: the direct pair, and JSON-RPC over the memory transport. */
import { describe, expect, it } from "vitest";
import { createPair, PAIR_KINDS, type DispatcherPair } from "../../test/support/dispatcher-pair.ts";
import { turn } from "../../test/support/virtual-clock.ts";
import { McpError, McpUsageError, NoBackChannelError, RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InboundRequest, OnNotification, OnRequest, Progress, RawResult } from "./dispatcher.ts";
import type { JsonRpcDispatcherOptions } from "./json-rpc-dispatcher.ts";

const CLOSED = { code: -32000, message: "Connection closed" };

const ignoreNotification: OnNotification = () => undefined;
const echo: OnRequest = (request) => request.encode({ echo: request.params ?? null });

/** A promise that the test settles. */
function deferred<T>(): { promise: Promise<T>; resolve(value: T): void; reject(reason: unknown): void } {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** The reason a promise rejects with; fails where it does not. */
function failure(promise: Promise<unknown>): Promise<McpError> {
  return promise.then(
    (value) => expect.fail(`resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason as McpError,
  );
}

describe.each(PAIR_KINDS)("%s dispatcher", (kind) => {
  /** A running pair; the server answers with `onRequest`, the client echoes unless told otherwise. */
  function connect(
    onRequest: OnRequest,
    options: { server?: JsonRpcDispatcherOptions; client?: JsonRpcDispatcherOptions; onClientRequest?: OnRequest; onNotification?: OnNotification } = {},
  ): DispatcherPair & { ended: Promise<void>[] } {
    const pair = createPair(kind, options.client, options.server);
    const ended = [
      pair.server.run(onRequest, options.onNotification ?? ignoreNotification),
      pair.client.run(options.onClientRequest ?? echo, options.onNotification ?? ignoreNotification),
    ];
    return { ...pair, ended };
  }

  /** A server whose handlers wait for the test, and what they were given. */
  function connectWaiting(options: Parameters<typeof connect>[1] = {}): ReturnType<typeof connect> & {
    requests: InboundRequest[];
    answers: ReturnType<typeof deferred<RawResult>>[];
  } {
    const requests: InboundRequest[] = [];
    const answers: ReturnType<typeof deferred<RawResult>>[] = [];
    const pair = connect((request) => {
      requests.push(request);
      const answer = deferred<RawResult>();
      answers.push(answer);
      return answer.promise;
    }, options);
    return { ...pair, requests, answers };
  }

  describe("calls", () => {
    it("DI-01 BS-10 BS-20 answers with what the handler returned, at once or later", async () => {
      const { client } = connect((request) => (request.method === "now" ? echo(request) : Promise.resolve(echo(request))));
      await expect(client.request("now", { a: null })).resolves.toEqual({ echo: { a: null } });
      await expect(client.request("later", { a: 1 })).resolves.toEqual({ echo: { a: 1 } });
    });

    it("DI-12 hands over no params where there are none", async () => {
      const { client } = connect(echo);
      await expect(client.request("m")).resolves.toEqual({ echo: null });
    });

    it("BS-19 an error arrives with code, message and data", async () => {
      const { client } = connect(() => {
        throw new McpError(-32055, "No", { why: ["because", null] });
      });
      expect(await failure(client.request("m"))).toMatchObject({ code: -32055, message: "No", data: { why: ["because", null] } });
    });

    it("BS-43 D10 F12 anything else that is thrown is an internal error, told to this side's operator only", async () => {
      const bomb = new Proxy({}, { get: explode, has: explode, getPrototypeOf: explode });
      const thrown = [new Error("secret"), "secret", undefined, null, 7, bomb];
      const { client, serverErrors } = connect((request) => {
        const value = thrown[request.params!["index"] as number];
        if (request.method === "later") return Promise.reject(value as Error);
        throw value;
      });
      for (const method of ["now", "later"]) {
        for (let index = 0; index < thrown.length; index++) {
          const error = await failure(client.request(method, { index }));
          expect(error).toMatchObject({ code: -32603, message: "Internal error" });
          expect(error.data).toBeUndefined();
        }
      }
      expect(serverErrors[0]).toBe(thrown[0]);
      // What cannot even be looked at cannot be reported either.
      expect(serverErrors).toHaveLength(2 * (thrown.length - 1));
    });

    it("F12 a result that cannot be serialised is answered with an internal error, whether encoded by the handler or not", async () => {
      const cycle: JsonObject = {};
      cycle["self"] = cycle;
      const throwing = Object.defineProperty({}, "x", { enumerable: true, get: explode });
      const bad = [cycle, { n: 1n }, throwing, undefined, "text", [], { toJSON: () => undefined }];
      for (const encode of [true, false]) {
        for (const value of bad) {
          const result = value as JsonObject;
          const { client, serverErrors } = connect((request) => (encode ? request.encode(result) : result));
          expect(await failure(client.request("m", {}))).toMatchObject({ code: -32603, message: "Internal error" });
          expect(serverErrors).toHaveLength(1);
        }
      }
    });

    it("F12 an error whose data cannot be serialised is answered all the same", async () => {
      const { client } = connect(() => {
        throw new McpError(-32000, "x", { n: 1n });
      });
      expect(await failure(client.request("m"))).toMatchObject({ code: -32603 });
    });

    it("F13 shares nothing: what either side changes afterwards stays on its side", async () => {
      const result = { list: [1], when: new Date(0) };
      const params = { list: [1] };
      let seen: JsonObject | undefined;
      const { client } = connect((request) => {
        seen = request.params;
        queueMicrotask(() => result.list.push(2));
        return result as JsonObject;
      });
      const answer = client.request("m", params);
      params.list.push(2);
      expect(await answer).toEqual({ list: [1], when: "1970-01-01T00:00:00.000Z" });
      expect(seen).toEqual({ list: [1] });
    });

    it("BS-22 params that cannot be serialised fail the call and leave nothing behind", async () => {
      const { client, clock } = connect(echo);
      await expect(client.request("m", { n: 1n })).rejects.toThrow(TypeError);
      await expect(client.request("m", {})).resolves.toBeDefined();
      expect(clock.pending).toBe(0);
    });

    it("BS-52 XT-07 a slow handler holds nothing up", async () => {
      const slow = deferred<RawResult>();
      const { client } = connect((request) => (request.method === "slow" ? slow.promise : echo(request)));
      const first = client.request("slow");
      await expect(client.request("fast", {})).resolves.toEqual({ echo: {} });
      slow.resolve({ done: true });
      await expect(first).resolves.toEqual({ done: true });
    });

    it("D16 XT-11 handlers that call back call back, ten deep, and nothing deadlocks", async () => {
      const nest =
        (): OnRequest =>
        async (request): Promise<RawResult> => {
          const depth = request.params!["depth"] as number;
          if (depth === 10) return { depths: [depth] };
          const inner = await request.request("m", { depth: depth + 1 });
          return { depths: [depth, ...(inner["depths"] as number[])] };
        };
      const { client } = connect(nest(), { onClientRequest: nest() });
      await expect(client.request("m", { depth: 0 })).resolves.toEqual({ depths: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
    });

    it("T8 refuses more than maxInFlight requests with a busy error and serves again when a slot is free", async () => {
      const { client, answers } = connectWaiting({ server: { maxInFlight: 3 } });
      const calls = [client.request("a"), client.request("b"), client.request("c")];
      expect(await failure(client.request("d"))).toMatchObject({ code: -32603, data: { limit: "maxInFlight", max: 3, retryAfterMs: 1000 } });
      answers[0]!.resolve({});
      await calls[0];
      const again = client.request("e");
      await turn();
      for (const answer of answers) answer.resolve({});
      await expect(again).resolves.toEqual({});
      await Promise.all(calls);
    });

    it("T8 cancelling and calling again does not get more handlers running than maxInFlight", async () => {
      const { client, requests } = connectWaiting({ server: { maxInFlight: 4 } });
      for (let i = 0; i < 50; i++) {
        const abort = new AbortController();
        const call = failure(client.request("m", {}, { signal: abort.signal, requestId: "same" }));
        await turn();
        abort.abort("enough");
        await call;
      }
      expect(requests).toHaveLength(4);
    });

    it("T8 of 20 000 calls that are never answered, 256 run", async () => {
      const { client, server, requests } = connectWaiting();
      const codes = new Map<number, number>();
      for (let i = 0; i < 20_000; i++) void failure(client.request("m")).then(({ code }) => codes.set(code, (codes.get(code) ?? 0) + 1));
      await turn();
      expect(requests).toHaveLength(256);
      await server.close();
      await turn();
      expect([...codes]).toEqual([
        [-32603, 19_744],
        [-32000, 256],
      ]);
    });
  });

  describe("notifications", () => {
    it("BS-30 BS-31 BS-47 arrive in order, without an answer", async () => {
      const seen: unknown[] = [];
      const { client } = connect(echo, { onNotification: (method, params) => void seen.push([method, params]) });
      await client.notify("notifications/a", { n: 1 });
      await client.notify("notifications/b");
      await turn();
      expect(seen).toEqual([
        ["notifications/a", { n: 1 }],
        ["notifications/b", undefined],
      ]);
    });

    it("DI-09 D12 a callback that throws or rejects is reported and changes nothing for the sender", async () => {
      const { client, serverErrors } = connect(echo, {
        onNotification: (method) => {
          if (method === "throw") throw new Error("thrown");
          return Promise.reject(new Error("rejected"));
        },
      });
      await client.notify("throw");
      await client.notify("reject");
      await expect(client.request("m", {})).resolves.toBeDefined();
      expect(serverErrors.map(({ message }) => message)).toEqual(["thrown", "rejected"]);
    });

    it("DI-06 may be sent before run, and what arrives before run waits, in order", async () => {
      const pair = createPair(kind);
      const seen: string[] = [];
      await pair.client.notify("a");
      await pair.client.notify("b");
      const calling = pair.client.run(echo, (method) => {
        if (method === "go") void pair.client.notify("c");
      });
      await turn();
      void pair.server.run(echo, (method) => {
        seen.push(method);
        if (method === "a") void pair.server.notify("go");
      });
      await turn();
      expect(seen).toEqual(["a", "b", "c"]);
      await pair.client.close();
      await calling;
    });

    it("BS-45 notifications/cancelled never reaches the callback", async () => {
      const seen: string[] = [];
      const { client } = connect(echo, { onNotification: (method) => void seen.push(method) });
      await client.notify("notifications/cancelled", { requestId: 99 });
      await client.notify("notifications/cancelled", { requestId: { a: 1 } });
      await client.notify("notifications/cancelled");
      await client.notify("notifications/other");
      await turn();
      expect(seen).toEqual(["notifications/other"]);
    });
  });

  describe("progress", () => {
    const token = (request: InboundRequest): unknown => (request.params?.["_meta"] as JsonObject | undefined)?.["progressToken"];
    const report = (request: InboundRequest, progress: unknown, rest: JsonObject = {}): void =>
      void request.notify("notifications/progress", { progressToken: token(request), progress, ...rest });

    it("BS-13 BS-14 BS-46 G6 asks for progress where wanted, and hands each step to the call and to the callback of notifications", async () => {
      const metas: unknown[] = [];
      const teed: unknown[] = [];
      const { client } = connect(
        (request) => {
          metas.push(request.params?.["_meta"]);
          report(request, 1, { total: 2, message: "half" });
          report(request, 1.5);
          return {};
        },
        { onNotification: (_, params) => void teed.push(params?.["progress"]) },
      );
      const steps: Progress[] = [];
      await client.request("m", { _meta: { mine: true } }, { onProgress: (step) => void steps.push(step) });
      await client.request("m", undefined, { onProgress: (step) => void steps.push(step) });
      await client.request("m", { a: 1 });
      expect(metas).toEqual([{ mine: true, progressToken: expect.anything() }, { progressToken: expect.anything() }, undefined]);
      const two = [{ progress: 1, total: 2, message: "half" }, { progress: 1.5 }];
      expect(steps).toEqual([...two, ...two]);
      expect(teed).toEqual([1, 1.5, 1, 1.5, 1, 1.5]);
    });

    it("G6 D8 drops steps that do not go forward, are malformed, belong to nobody, or come after the answer", async () => {
      const { client, server, requests, answers } = connectWaiting();
      const steps: number[] = [];
      const call = client.request("m", {}, { onProgress: ({ progress }) => void steps.push(progress) });
      await turn();
      const request = requests[0]!;
      for (const progress of [1, 1, 0.5, "2", null, undefined, 2]) report(request, progress);
      for (const params of [undefined, {}, { progressToken: [1], progress: 5 }, { progressToken: "nobody", progress: 5 }]) {
        await server.notify("notifications/progress", params);
      }
      answers[0]!.resolve({});
      await call;
      report(request, 3);
      await server.notify("notifications/progress", { progressToken: token(request), progress: 4 });
      await turn();
      expect(steps).toEqual([1, 2]);
    });

    it("XT-06 D12 a callback that throws or rejects is reported; the next step and the answer still arrive", async () => {
      const steps: number[] = [];
      const { client, clientErrors, requests, answers } = connectWaiting();
      const call = client.request("m", {}, {
        onProgress: ({ progress }) => {
          steps.push(progress);
          if (progress === 1) throw new Error("one");
          if (progress === 2) return Promise.reject(new Error("two"));
        },
      });
      await turn();
      for (const progress of [1, 2, 3]) report(requests[0]!, progress);
      await turn();
      answers[0]!.resolve({ ok: true });
      await expect(call).resolves.toEqual({ ok: true });
      expect(steps).toEqual([1, 2, 3]);
      expect(clientErrors.map(({ message }) => message)).toEqual(["one", "two"]);
    });

    it("XT-07 CF-14 a slow callback gets its steps in order, delays nobody, and gets none after the call has settled", async () => {
      const steps: number[] = [];
      const gate = deferred<void>();
      const { client, requests, answers } = connectWaiting();
      const call = client.request("m", {}, {
        onProgress: async ({ progress }) => {
          steps.push(progress);
          if (progress === 1) await gate.promise;
          if (progress === 3) await new Promise(() => undefined);
        },
      });
      await turn();
      for (const progress of [1, 2, 3, 4]) report(requests[0]!, progress);
      const other = client.request("other");
      await turn();
      answers[1]!.resolve({});
      await expect(other).resolves.toEqual({});
      expect(steps).toEqual([1]);
      gate.resolve();
      await turn();
      expect(steps).toEqual([1, 2, 3]);
      answers[0]!.resolve({});
      await call;
      await turn();
      expect(steps).toEqual([1, 2, 3]);
    });
  });

  describe("time limits", () => {
    it("CF-03 CF-05 BS-17 BS-18 XT-03 the connection's limit ends a call, the peer's handler, and nothing else", async () => {
      const { client, clock, requests, answers } = connectWaiting({ client: { timeout: 5000 } });
      const call = failure(client.request("tools/call"));
      await clock.advance(4999);
      expect(requests[0]!.signal.aborted).toBe(false);
      await clock.advance(1);
      const error = await call;
      expect(error).toBeInstanceOf(RequestTimeoutError);
      expect(error).toMatchObject({ code: -32001, data: { method: "tools/call", timeoutMs: 5000 } });
      expect(error.message).toMatch(/"tools\/call" timed out after 5000 ms/);
      expect(requests[0]!.signal.aborted).toBe(true);
      expect(requests[0]!.cancelled).toBe(true);
      answers[0]!.resolve({ late: true });
      const next = client.request("next");
      await turn();
      answers[1]!.resolve({});
      await expect(next).resolves.toEqual({});
      expect(clock.pending).toBe(0);
    });

    it("CF-04 D17 zero gives up at once, Infinity never, and what is no duration is refused before anything is sent", async () => {
      const { client, clock, requests } = connectWaiting({ server: { handlerTimeout: Infinity } });
      const zero = failure(client.request("zero", {}, { timeout: 0 }));
      await clock.advance(0);
      expect(await zero).toMatchObject({ code: -32001, data: { timeoutMs: 0 } });
      let settled = false;
      void failure(client.request("never", {}, { timeout: Infinity })).then(() => (settled = true));
      await clock.advance(2 ** 40);
      expect(settled).toBe(false);
      for (const timeout of [-1, NaN, "5" as unknown as number, null as unknown as number]) {
        await expect(client.request("m", {}, { timeout })).rejects.toThrow(RangeError);
        await expect(client.request("m", {}, { maxTotalTimeout: timeout })).rejects.toThrow(RangeError);
      }
      expect(requests.map(({ method }) => method)).toEqual(["zero", "never"]);
      await client.close();
      await turn();
      expect(settled).toBe(true);
    });

    it("D8 G5 progress extends a call, but not beyond the total", async () => {
      const { client, clock, requests } = connectWaiting();
      const call = failure(client.request("m", {}, { timeout: 100, maxTotalTimeout: 250, onProgress: () => undefined }));
      await turn();
      for (let progress = 1; progress <= 4; progress++) {
        await clock.advance(60);
        await requests[0]!.notify("notifications/progress", { progressToken: (requests[0]!.params!["_meta"] as JsonObject)["progressToken"], progress });
      }
      await clock.advance(9);
      expect(requests[0]!.cancelled).toBe(false);
      await clock.advance(1);
      expect(await call).toMatchObject({ code: -32001, data: { timeoutMs: 250 }, message: expect.stringContaining("maxTotalTimeout") });
    });

    it("D17 a total that was asked for bounds a call without a limit of its own, and one with a longer limit", async () => {
      const { client, clock } = connectWaiting();
      for (const timeout of [Infinity, 500]) {
        const call = failure(client.request("m", {}, { timeout, maxTotalTimeout: 200 }));
        await clock.advance(200);
        expect(await call).toMatchObject({ code: -32001, data: { timeoutMs: 200 } });
      }
    });

    it("G5 progress extends nothing where that is not wanted", async () => {
      const { client, clock, requests } = connectWaiting();
      const call = failure(client.request("m", {}, { timeout: 100, resetTimeoutOnProgress: false, onProgress: () => undefined }));
      await clock.advance(90);
      await requests[0]!.notify("notifications/progress", { progressToken: (requests[0]!.params!["_meta"] as JsonObject)["progressToken"], progress: 1 });
      await clock.advance(10);
      expect(await call).toMatchObject({ code: -32001, data: { timeoutMs: 100 } });
    });

    it("D9 a handler that does not end is aborted, then given up: its caller gets an error and its slot is free", async () => {
      const { client, clock, requests, answers } = connectWaiting({
        server: { handlerTimeout: 1000, handlerGrace: 500, maxInFlight: 1 },
        client: { timeout: Infinity },
      });
      const call = failure(client.request("hang"));
      await clock.advance(1000);
      expect(requests[0]!.signal.reason).toMatchObject({ code: -32001 });
      expect(await failure(client.request("busy"))).toMatchObject({ code: -32603, data: { limit: "maxInFlight" } });
      await clock.advance(500);
      expect(await call).toMatchObject({ code: -32603, data: { method: "hang", timeoutMs: 1000 } });
      const next = client.request("next");
      await turn();
      answers[0]!.resolve({ late: true });
      answers[1]!.resolve({ next: true });
      await expect(next).resolves.toEqual({ next: true });
      expect(clock.pending).toBe(0);
    });

    it("D9 a handler that ends when it is told to may still answer", async () => {
      const { client, clock } = connect(
        (request) => new Promise((resolve) => request.signal.addEventListener("abort", () => resolve({ partial: true }))),
        { server: { handlerTimeout: 1000 }, client: { timeout: Infinity } },
      );
      const call = client.request("m");
      await clock.advance(1000);
      await expect(call).resolves.toEqual({ partial: true });
    });

    it("D9 a request that stays open by design has no limit until it is cancelled, and then only the grace", async () => {
      const { client, clock, requests } = connectWaiting({ server: { maxInFlight: 1, handlerGrace: 500 } });
      const abort = new AbortController();
      const call = failure(client.request("listen", {}, { timeout: Infinity, signal: abort.signal }));
      await turn();
      requests[0]!.keepOpen();
      await clock.advance(10 ** 9);
      expect(requests[0]!.signal.aborted).toBe(false);
      abort.abort(new Error("done listening"));
      await call;
      await turn();
      expect(requests[0]!.signal.aborted).toBe(true);
      requests[0]!.keepOpen();
      expect(await failure(client.request("busy"))).toMatchObject({ data: { limit: "maxInFlight" } });
      await clock.advance(500);
      void failure(client.request("served"));
      await turn();
      expect(requests.map(({ method }) => method)).toEqual(["listen", "served"]);
      await client.close();
    });

    it("D15 counts on a clock that only goes forward, and waits longer than a timer can", async () => {
      const { client, clock } = connectWaiting({ server: { handlerTimeout: Infinity } });
      const month = 2 ** 31 + 1000;
      let settled = false;
      const call = failure(client.request("m", {}, { timeout: month, maxTotalTimeout: month })).finally(() => (settled = true));
      await clock.advance(month - 1);
      expect(settled).toBe(false);
      await clock.advance(1);
      expect(await call).toMatchObject({ code: -32001 });
    });

    it("D15 an answer that was there before the deadline counts after a stall of the process", async () => {
      const { client, clock, answers } = connectWaiting();
      const call = client.request("m", {}, { timeout: 100 });
      await turn();
      clock.setTimer(150, () => answers[0]!.resolve({ ok: true }));
      clock.stall(3_600_000);
      await clock.advance(0);
      await expect(call).resolves.toEqual({ ok: true });
      expect(clock.pending).toBe(0);
    });
  });

  describe("cancelling", () => {
    it("XT-05 D6 an abort before the call sends nothing", async () => {
      const { client, requests } = connectWaiting();
      const reason = new Error("no");
      await expect(client.request("m", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      await turn();
      expect(requests).toEqual([]);
    });

    it("CF-02 XT-08 D6 the caller gets its own reason, the handler its signal once, and no answer crosses", async () => {
      const { client, clientErrors, requests, answers } = connectWaiting();
      const abort = new AbortController();
      const reason = new TypeError("changed my mind");
      const call = client.request("m", {}, { signal: abort.signal });
      await turn();
      let fired = 0;
      requests[0]!.signal.addEventListener("abort", () => fired++);
      abort.abort(reason);
      await expect(call).rejects.toBe(reason);
      await turn();
      expect(fired).toBe(1);
      expect(requests[0]!.cancelled).toBe(true);
      expect((requests[0]!.signal.reason as Error).message).toContain("changed my mind");
      answers[0]!.resolve({ late: true });
      const next = client.request("next");
      await turn();
      answers[1]!.resolve({ next: true });
      await expect(next).resolves.toEqual({ next: true });
      expect(clientErrors).toEqual([]);
    });

    it("D6 a cancel that a handler itself brings about, before it first waits, cancels it", async () => {
      const abort = new AbortController();
      let request: InboundRequest | undefined;
      const { client, clock } = connect(
        async (inbound): Promise<RawResult> => {
          request = inbound;
          abort.abort("enough");
          await new Promise(() => undefined);
          return {};
        },
        { server: { handlerGrace: 100 } },
      );
      await expect(client.request("m", {}, { signal: abort.signal })).rejects.toBe("enough");
      await turn();
      expect(request!.cancelled).toBe(true);
      expect(request!.signal.aborted).toBe(true);
      await clock.advance(100);
      expect(clock.pending).toBe(0);
    });

    it("D6 reasons of any kind abandon a call", async () => {
      const { client, requests } = connectWaiting();
      const proxy: object = Object.create(null) as object;
      for (const reason of [proxy, Symbol("s"), null, 5, ""]) {
        const abort = new AbortController();
        const call = client.request("m", {}, { signal: abort.signal });
        await turn();
        abort.abort(reason);
        await expect(call).rejects.toBe(reason);
        await turn();
        expect(requests.at(-1)!.cancelled).toBe(true);
      }
    });

    it("D7 cancel, answer and deadline in one tick, in every order: one outcome, and nothing unhandled", async () => {
      const orders = [
        ["cancel", "answer", "time"],
        ["cancel", "time", "answer"],
        ["answer", "cancel", "time"],
        ["answer", "time", "cancel"],
        ["time", "cancel", "answer"],
        ["time", "answer", "cancel"],
      ];
      for (const order of orders) {
        const { client, clock, answers, clientErrors } = connectWaiting();
        const abort = new AbortController();
        const outcomes: unknown[] = [];
        client.request("m", {}, { signal: abort.signal, timeout: 100 }).then(
          (result) => outcomes.push(result),
          (reason: unknown) => outcomes.push(reason),
        );
        await turn();
        for (const step of order) {
          if (step === "cancel") abort.abort("cancelled");
          else if (step === "answer") answers[0]!.resolve({ answered: true });
          else await clock.advance(100);
        }
        await clock.advance(10_000);
        expect(outcomes).toHaveLength(1);
        expect(outcomes[0]).toEqual(order[0] === "cancel" ? "cancelled" : order[0] === "answer" && order[1] === "time" ? { answered: true } : expect.anything());
        expect(clientErrors).toEqual([]);
        expect(clock.pending).toBe(0);
      }
    });

    it("CF-05 XT-04 a call that must not be cancelled is abandoned in silence", async () => {
      const { client, clock, requests } = connectWaiting();
      const abort = new AbortController();
      const aborted = failure(client.request("initialize", {}, { signal: abort.signal, cancelOnAbandon: false }));
      const late = failure(client.request("initialize", {}, { timeout: 10, cancelOnAbandon: false }));
      await turn();
      abort.abort(new Error("enough"));
      await clock.advance(10);
      expect((await aborted).message).toBe("enough");
      expect(await late).toMatchObject({ code: -32001 });
      expect(requests.map(({ cancelled }) => cancelled)).toEqual([false, false]);
    });

    it("ID-05 an id is free again once cancelled, and the old handler's end does not touch the new request", async () => {
      const { client, requests, answers } = connectWaiting();
      const abort = new AbortController();
      const first = failure(client.request("first", {}, { signal: abort.signal, requestId: "same" }));
      await turn();
      abort.abort(new Error("enough"));
      await first;
      const second = client.request("second", {}, { requestId: "same" });
      await turn();
      answers[0]!.resolve({ of: "first" });
      await turn();
      expect(requests.map(({ requestId, cancelled }) => [requestId, cancelled])).toEqual([
        ["same", true],
        ["same", false],
      ]);
      answers[1]!.resolve({ of: "second" });
      await expect(second).resolves.toEqual({ of: "second" });
    });

    it("DI-03 the request's own channel closes with it: calls fail, notifications are dropped", async () => {
      const notified: string[] = [];
      const { client, requests, answers } = connectWaiting({ onNotification: (method) => void notified.push(method) });
      const call = client.request("m");
      await turn();
      await expect(requests[0]!.request("ping", {})).resolves.toEqual({ echo: {} });
      answers[0]!.resolve({});
      await call;
      expect(await failure(requests[0]!.request("ping"))).toBeInstanceOf(NoBackChannelError);
      await requests[0]!.notify("late");
      await turn();
      expect(notified).toEqual([]);
    });

    it("A1.10 a request that is ignored is never answered, and still ends with the connection", async () => {
      const { client, clock, requests } = connectWaiting();
      const call = failure(client.request("m", {}, { timeout: 100 }));
      await turn();
      requests[0]!.ignore();
      await client.close();
      expect(await call).toMatchObject(CLOSED);
      await turn();
      expect(requests[0]!.signal.aborted).toBe(true);
      expect(clock.pending).toBe(0);
    });
  });

  describe("ids", () => {
    it("ID-01 ID-04 CF-01 XT-21 minted ids count from 1; given ones are sent as they are, 0 included", async () => {
      const ids: unknown[] = [];
      const { client } = connect((request) => {
        ids.push(request.requestId);
        return {};
      });
      for (const requestId of [undefined, 0, undefined, "a", -5, "007"]) {
        await client.request("m", {}, requestId === undefined ? {} : { requestId });
      }
      expect(ids).toEqual([1, 0, 2, "a", -5, "007"]);
    });

    it("ID-03 ID-04 D5 refuses a given id that is no id or is taken, in either spelling; minted ids go round it", async () => {
      const { client, requests, answers } = connectWaiting();
      for (const requestId of [NaN, 1.5, 2 ** 60, "", "x".repeat(257), true as unknown as number, null as unknown as string]) {
        await expect(client.request("m", {}, { requestId })).rejects.toThrow(RangeError);
      }
      const calls = [client.request("m", {}, { requestId: "1" }), client.request("m")];
      for (const requestId of [1, "1", "01"]) await expect(client.request("m", {}, { requestId })).rejects.toThrow("in flight already");
      await turn();
      expect(requests.map(({ requestId }) => requestId)).toEqual(["1", 2]);
      for (const answer of answers) answer.resolve({});
      await Promise.all(calls);
    });

    it("BS-11 D3 an id that a caller has used is never minted", async () => {
      const { client } = connect((request) => ({ id: request.requestId }));
      const ids: unknown[] = [];
      for (const requestId of [3, undefined, "9", undefined, 2 ** 53 - 1, undefined]) {
        ids.push((await client.request("m", {}, requestId === undefined ? {} : { requestId }))["id"]);
      }
      expect(ids).toEqual([3, 4, "9", 10, 2 ** 53 - 1, 11]);
    });
  });

  describe("the end", () => {
    it("BS-23 BS-50 DI-11 XT-02 every pending call fails, later ones too, and notifications are dropped", async () => {
      const { client, server, clock, ended, clientErrors, serverErrors } = connectWaiting();
      const calls = [1, 2, 3].map(() => failure(client.request("m")));
      await turn();
      await server.close();
      for (const error of await Promise.all(calls)) expect(error).toMatchObject(CLOSED);
      expect(await failure(client.request("m"))).toMatchObject(CLOSED);
      expect(await failure(server.request("m"))).toMatchObject(CLOSED);
      await client.notify("dropped");
      await server.notify("dropped");
      await Promise.all(ended);
      expect([clock.pending, clientErrors, serverErrors]).toEqual([0, [], []]);
    });

    it("XT-20 D13 closing twice, from either side, with calls and handlers under way", async () => {
      const { client, server, requests, answers, clock, ended, clientErrors, serverErrors } = connectWaiting();
      const call = failure(client.request("m"));
      await turn();
      const { signal } = requests[0]!;
      await Promise.all([client.close(), client.close("again"), server.close()]);
      expect(await call).toMatchObject(CLOSED);
      await Promise.all(ended);
      expect(signal.aborted).toBe(true);
      answers[0]!.resolve({ late: true });
      await turn();
      expect([clock.pending, clientErrors, serverErrors]).toEqual([0, [], []]);
    });

    it("D13 a handler that closes its connection is cancelled, and nothing stays behind", async () => {
      for (const wait of [false, true]) {
        let request: InboundRequest | undefined;
        const pair = connect((inbound) => {
          request = inbound;
          void pair.server.close();
          return wait ? new Promise(() => undefined) : {};
        });
        expect(await failure(pair.client.request("m"))).toMatchObject(CLOSED);
        await Promise.all(pair.ended);
        expect(request!.signal.aborted).toBe(true);
        expect([pair.clock.pending, pair.serverErrors]).toEqual([0, []]);
      }
    });

    it("D13 a call made while the connection ends fails like any other", async () => {
      const { client, server, requests } = connectWaiting();
      const late: Promise<McpError>[] = [];
      void failure(client.request("m")).then(() => late.push(failure(client.request("again"))));
      await turn();
      requests[0]!.signal.addEventListener("abort", () => late.push(failure(server.request("x")), failure(requests[0]!.request("y"))));
      await server.close();
      await turn();
      expect(late).toHaveLength(3);
      for (const error of await Promise.all(late)) expect([-32000, -32600]).toContain(error.code);
    });

    it("D12 an onError that throws changes nothing", async () => {
      const onError = (): void => {
        throw new Error("listener");
      };
      const { client } = connect(
        () => {
          throw new Error("handler");
        },
        { server: { onError }, client: { onError } },
      );
      expect(await failure(client.request("m"))).toMatchObject({ code: -32603 });
    });

    it("D13 the reason one side closes with does not reach the other", async () => {
      const { client, server } = connectWaiting({ onClientRequest: () => new Promise(() => undefined) });
      const calls = [failure(client.request("m")), failure(server.request("m"))];
      const reason = new Error("secret");
      await server.close(reason);
      const [far, near] = await Promise.all(calls);
      expect(far!.cause).toBeUndefined();
      expect(near!.cause).toBe(reason);
    });
  });

  describe("starting", () => {
    it("BS-07 DI-06 a call before run is a mistake of the caller's, and so is a second run", async () => {
      const { client, server } = createPair(kind);
      await expect(client.request("m")).rejects.toBeInstanceOf(McpUsageError);
      void client.run(echo, ignoreNotification);
      expect(() => client.run(echo, ignoreNotification)).toThrow(McpUsageError);
      await client.close();
      await server.run(echo, ignoreNotification);
      expect(await failure(server.request("m"))).toMatchObject(CLOSED);
    });

    it("D17 limits that are none are refused", () => {
      for (const bad of [-1, NaN, "1" as unknown as number]) {
        for (const name of ["timeout", "maxTotalTimeout", "handlerTimeout", "handlerGrace"]) {
          expect(() => createPair(kind, { [name]: bad })).toThrow(RangeError);
        }
      }
      for (const name of ["maxInFlight", "maxMalformed"]) expect(() => createPair(kind, { [name]: 0 })).toThrow(RangeError);
    });
  });
});

function explode(): never {
  throw new Error("boom");
}
