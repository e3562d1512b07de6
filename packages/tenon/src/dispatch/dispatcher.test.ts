/** Calls, notifications and ids: held against both dispatchers. */
import { describe, expect, it } from "vitest";
import {
  connect,
  connectWaiting,
  createPair,
  echo,
  failure,
  ignoreNotification,
  CLOSED,
  IDLE,
  PAIR_KINDS,
} from "../../test/support/dispatcher-pair.ts";
import { turn } from "../../test/support/virtual-clock.ts";
import { McpError, McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { OnRequest, RawResult } from "./dispatcher.ts";
import { deferred } from "../../test/support/gate.ts";

it("a response that comes inside the write of its request counts [BS-12]", async () => {
  let isHandled = false;
  const { client } = connect("direct", (request) => {
    isHandled = true;
    return echo(request);
  });
  const call = client.request("m", { a: 1 });
  expect(isHandled).toBe(true); // the write was the call of the handler
  await expect(call).resolves.toEqual({ echo: { a: 1 } });
});

describe.each(PAIR_KINDS)("%s dispatcher", (kind) => {
  describe("calls", () => {
    it("responds with what the handler returned, at once or later [DI-01 BS-10 BS-20]", async () => {
      const { client } = connect(kind, (request) => (request.method === "now" ? echo(request) : Promise.resolve(echo(request))));
      await expect(client.request("now", { a: null })).resolves.toEqual({ echo: { a: null } });
      await expect(client.request("later", { a: 1 })).resolves.toEqual({ echo: { a: 1 } });
    });

    it("passes on no params if the message has none [DI-12]", async () => {
      const { client } = connect(kind, echo);
      await expect(client.request("m")).resolves.toEqual({ echo: null });
    });

    it("a handler knows its transport, sends by its request's channel, ignores unknown options [DI-02 DI-04 DI-05]", async () => {
      const notified: unknown[] = [];
      const { client } = connect(
        kind,
        async (request) => {
          await request.notify("n", { at: request.method });
          return request.encode({ kind: request.transport.kind, asked: await request.request("ask", { id: request.requestId }) });
        },
        { onNotification: (_, params) => void notified.push(params) },
      );
      const result = await client.request("m", {}, { resumptionToken: "unknown" } as object);
      expect(result).toEqual({ kind: kind === "direct" ? "direct" : "memory", asked: { echo: { id: 1 } } });
      expect(notified).toEqual([{ at: "m" }]);
    });

    it("an error arrives with code, message and data [BS-19]", async () => {
      const { client } = connect(kind, () => {
        throw new McpError(-32055, "No", { why: ["because", null] });
      });
      expect(await failure(client.request("m"))).toMatchObject({ code: -32055, message: "No", data: { why: ["because", null] } });
    });

    it("anything else that is thrown is an internal error, told to this side's operator only [BS-43 D10 F12]", async () => {
      const bomb = new Proxy({}, { get: explode, has: explode, getPrototypeOf: explode });
      const thrown = [new Error("secret"), "secret", undefined, null, 7, bomb];
      const { client, serverErrors } = connect(kind, (request) => {
        const value = thrown[request.params!["index"] as number];
        if (request.method === "later") return Promise.reject(value);
        throw value; // eslint-disable-line typescript/only-throw-error -- the point of the test
      });
      for (const method of ["now", "later"]) {
        for (let index = 0; index < thrown.length; index++) {
          const error = await failure(client.request(method, { index }));
          expect(error).toMatchObject({ code: -32603, message: "Internal error" });
          expect(error.data).toBeUndefined();
        }
      }
      expect(serverErrors[0]).toBe(thrown[0]);
      // A value that cannot be read cannot be reported either.
      expect(serverErrors).toHaveLength(2 * (thrown.length - 1));
    });

    it("a result that cannot be serialised becomes an internal error, whether the handler encoded it or not [F12]", async () => {
      const cycle: JsonObject = {};
      cycle["self"] = cycle;
      const throwing = Object.defineProperty({}, "x", { enumerable: true, get: explode });
      const bad = [cycle, { n: 1n }, throwing, undefined, "text", [], { toJSON: () => undefined }];
      for (const encode of [true, false]) {
        for (const value of bad) {
          const result = value as JsonObject;
          const { client, serverErrors } = connect(kind, (request) => (encode ? request.encode(result) : result));
          expect(await failure(client.request("m", {}))).toMatchObject({ code: -32603, message: "Internal error" });
          expect(serverErrors).toHaveLength(1);
        }
      }
    });

    it("an error whose data cannot be serialised is still sent [F12]", async () => {
      const { client } = connect(kind, () => {
        throw new McpError(-32000, "x", { n: 1n });
      });
      expect(await failure(client.request("m"))).toMatchObject({ code: -32603 });
    });

    it("shares nothing: what either side changes afterwards stays on its side [F13]", async () => {
      const result = { list: [1], when: new Date(0) };
      const params = { list: [1] };
      let seen: JsonObject | undefined;
      const { client } = connect(kind, (request) => {
        seen = request.params;
        queueMicrotask(() => result.list.push(2));
        return result;
      });
      const answer = client.request("m", params);
      params.list.push(2);
      expect(await answer).toEqual({ list: [1], when: "1970-01-01T00:00:00.000Z" });
      expect(seen).toEqual({ list: [1] });
    });

    it("params that cannot be serialised fail the call and leave nothing behind [BS-22]", async () => {
      const { client, clock } = connect(kind, echo);
      await expect(client.request("m", { n: 1n })).rejects.toThrow(TypeError);
      await expect(client.request("m", {})).resolves.toBeDefined();
      await clock.advance(IDLE);
      expect(clock.pending).toBe(0);
    });

    it("a slow handler holds nothing up [BS-52 XT-07]", async () => {
      const slow = deferred<RawResult>();
      const { client } = connect(kind, (request) => (request.method === "slow" ? slow.promise : echo(request)));
      const first = client.request("slow");
      await expect(client.request("fast", {})).resolves.toEqual({ echo: {} });
      slow.resolve({ done: true });
      await expect(first).resolves.toEqual({ done: true });
    });

    it("handlers that call back call back, ten deep, and nothing deadlocks [D16 XT-11]", async () => {
      const nest =
        (): OnRequest =>
        async (request): Promise<RawResult> => {
          const depth = request.params!["depth"] as number;
          if (depth === 10) return { depths: [depth] };
          const inner = await request.request("m", { depth: depth + 1 });
          return { depths: [depth, ...(inner["depths"] as number[])] };
        };
      const { client } = connect(kind, nest(), { onClientRequest: nest() });
      await expect(client.request("m", { depth: 0 })).resolves.toEqual({ depths: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
    });

    it("refuses more than maxInFlight requests with a busy error and serves again when a slot is free [T8]", async () => {
      const { client, answers } = connectWaiting(kind, { server: { limits: { maxInFlight: 3 } } });
      const calls = [client.request("a"), client.request("b"), client.request("c")];
      expect(await failure(client.request("d"))).toMatchObject({
        code: -32603,
        data: { limit: "limits.maxInFlight", max: 3, retryAfterMs: 1000 },
      });
      answers[0]!.resolve({});
      await calls[0];
      const again = client.request("e");
      await turn();
      for (const answer of answers) answer.resolve({});
      await expect(again).resolves.toEqual({});
      await Promise.all(calls);
    });

    it("cancelling and calling again does not get more handlers running than maxInFlight [T8]", async () => {
      const { client, requests } = connectWaiting(kind, { server: { limits: { maxInFlight: 4 } } });
      for (let i = 0; i < 50; i++) {
        const abort = new AbortController();
        const call = failure(client.request("m", {}, { signal: abort.signal, requestId: "same" }));
        await turn();
        abort.abort("enough");
        await call;
      }
      expect(requests).toHaveLength(4);
    });

    it("of 20 000 calls without a response, 256 run [T8]", async () => {
      const { client, server, requests } = connectWaiting(kind);
      const codes = new Map<number, number>();
      for (let i = 0; i < 20_000; i++)
        void failure(client.request("m")).then(({ code }) => codes.set(code, (codes.get(code) ?? 0) + 1));
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
    it("arrive in order, and get no response [BS-30 BS-31 BS-47]", async () => {
      const seen: unknown[] = [];
      const { client } = connect(kind, echo, { onNotification: (method, params) => void seen.push([method, params]) });
      await client.notify("notifications/a", { n: 1 });
      await client.notify("notifications/b");
      await turn();
      expect(seen).toEqual([
        ["notifications/a", { n: 1 }],
        ["notifications/b", undefined],
      ]);
    });

    it("a callback that throws or rejects is reported and changes nothing for the sender [DI-09 D12]", async () => {
      const { client, serverErrors } = connect(kind, echo, {
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

    it("may be sent before run, and what arrives before run waits, in order [DI-06]", async () => {
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

    it("notifications/cancelled never reaches the callback [BS-45]", async () => {
      const seen: string[] = [];
      const { client } = connect(kind, echo, { onNotification: (method) => void seen.push(method) });
      await client.notify("notifications/cancelled", { requestId: 99 });
      await client.notify("notifications/cancelled", { requestId: { a: 1 } });
      await client.notify("notifications/cancelled");
      await client.notify("notifications/other");
      await turn();
      expect(seen).toEqual(["notifications/other"]);
    });
  });

  describe("ids", () => {
    it("minted ids count from 1; given ones are sent as they are, 0 included [ID-01 ID-04 CF-01 XT-21]", async () => {
      const ids: unknown[] = [];
      const { client } = connect(kind, (request) => {
        ids.push(request.requestId);
        return {};
      });
      for (const requestId of [undefined, 0, undefined, "a", -5, "007"]) {
        await client.request("m", {}, requestId === undefined ? {} : { requestId });
      }
      expect(ids).toEqual([1, 0, 2, "a", -5, "007"]);
    });

    it("refuses a given id that is invalid or in use, in both spellings; new ids skip it [ID-01 ID-03 ID-04 D5]", async () => {
      const { client, requests, answers } = connectWaiting(kind);
      for (const requestId of [NaN, 1.5, 2 ** 60, "x".repeat(257), true as unknown as number, null as unknown as string]) {
        const refused = new RangeError("A request id must be a safe integer or a short, well-formed string");
        await expect(client.request("m", {}, { requestId })).rejects.toThrow(refused);
      }
      const calls = [client.request("m", {}, { requestId: "1" }), client.request("m")];
      for (const requestId of [1, "1", "01"])
        await expect(client.request("m", {}, { requestId })).rejects.toThrow("in flight already");
      await turn();
      expect(requests.map(({ requestId }) => requestId)).toEqual(["1", 2]);
      for (const answer of answers) answer.resolve({});
      await Promise.all(calls);
    });

    it("an id that a caller has used is never minted [BS-11 D3 A1.3 A1.4]", async () => {
      const { client } = connect(kind, (request) => ({ id: request.requestId }));
      const ids: unknown[] = [];
      for (const requestId of [3, undefined, "9", undefined, 2 ** 53 - 1, undefined]) {
        ids.push((await client.request("m", {}, requestId === undefined ? {} : { requestId }))["id"]);
      }
      expect(ids).toEqual([3, 4, "9", 10, 2 ** 53 - 1, 11]);
    });
  });

  describe("starting", () => {
    it("a call before run is a mistake of the caller's, and so is a second run [BS-07 DI-06]", async () => {
      const { client, server } = createPair(kind);
      const early = new McpUsageError('Request "m" was made before the connection was started');
      await expect(client.request("m")).rejects.toThrow(early);
      void client.run(echo, ignoreNotification);
      expect(() => client.run(echo, ignoreNotification)).toThrow(McpUsageError);
      await client.close();
      await server.run(echo, ignoreNotification);
      expect(await failure(server.request("m"))).toMatchObject(CLOSED);
    });

    it("limits that are negative or not a number are refused [D17]", () => {
      for (const bad of [-1, NaN, "1" as unknown as number]) {
        for (const name of ["timeout", "maxTotalTimeout"]) expect(() => createPair(kind, { [name]: bad })).toThrow(`"${name}"`);
        for (const name of ["handlerTimeout", "handlerGrace"])
          expect(() => createPair(kind, { limits: { [name]: bad } })).toThrow(`"limits.${name}"`);
      }
      for (const name of ["maxInFlight", "maxMalformed"])
        expect(() => createPair(kind, { limits: { [name]: 0 } })).toThrow(RangeError);
    });
  });
});

function explode(): never {
  throw new Error("boom");
}
