/** A connection whose extras are loaded with their first use: what arrives and ends meanwhile. The peer is played by the test. */
import { describe, expect, it } from "vitest";
import { deferred, type Deferred } from "../../test/support/dispatcher-pair.ts";
import { ScriptedTransport } from "../../test/support/scripted-transport.ts";
import { turn, VirtualClock } from "../../test/support/virtual-clock.ts";
import { McpError } from "../jsonrpc/mcp-error.ts";
import { AnsweringDispatcher, type JsonRpcDispatcherOptions } from "./answering-dispatcher.ts";
import type { OnRequest } from "./dispatcher.ts";
import type { CreateExtras } from "./exchange.ts";
import { createExtras } from "./exchange-extras.ts";
import { createLateExtras, LateExtras } from "./late-extras.ts";
import { receiveAllOf } from "./receive-all.ts";
import { StrayErrorResponse } from "./stray-error.ts";

interface Started {
  readonly transport: ScriptedTransport;
  readonly dispatcher: AnsweringDispatcher;
  readonly errors: Error[];
  readonly notified: unknown[];
  readonly ended: Promise<void>;
  /** One for each time the extras were to be loaded. */
  readonly loads: Deferred<CreateExtras>[];
}

function start(options: JsonRpcDispatcherOptions = {}, onRequest: OnRequest = (request) => request.encode({})): Started {
  const transport = new ScriptedTransport();
  const errors: Error[] = [];
  const notified: unknown[] = [];
  const loads: Deferred<CreateExtras>[] = [];
  const load = (): Promise<CreateExtras> => {
    loads.push(deferred<CreateExtras>());
    return loads.at(-1)!.promise;
  };
  const create: CreateExtras = (exchange, link) => new LateExtras(exchange, link, load);
  const onError = (error: Error): void => void errors.push(error);
  const dispatcher = new AnsweringDispatcher(
    transport,
    { clock: new VirtualClock(), onError, ...options },
    create,
    receiveAllOf(transport),
  );
  const ended = dispatcher.run(onRequest, (method, params) => void notified.push([method, params]));
  return { transport, dispatcher, errors, notified, ended, loads };
}

const CLOSED = { code: -32000, message: "Connection closed" };
const request = (id: unknown, method = "ping"): object => ({ jsonrpc: "2.0", id, method });
const answer = (id: unknown, result: object = {}): object => ({ jsonrpc: "2.0", id, result });
const reasonOf = (call: Promise<unknown>): Promise<unknown> => call.catch((reason: unknown) => reason);

describe("calls", () => {
  it("are written in order once it is loaded, what is loaded once, and from then on at once", async () => {
    const { transport, dispatcher, loads } = start();
    const calls = [dispatcher.request("a"), dispatcher.request("b", { n: 1 })];
    await turn();
    expect([transport.sent, loads.length]).toEqual([[], 1]);
    loads[0]!.resolve(createExtras);
    await turn();
    calls.push(dispatcher.request("c"));
    expect(transport.take()).toEqual([
      { jsonrpc: "2.0", id: 1, method: "a" },
      { jsonrpc: "2.0", id: 2, method: "b", params: { n: 1 } },
      { jsonrpc: "2.0", id: 3, method: "c" },
    ]);
    for (const id of [1, 2, 3]) transport.push(answer(id, { id }));
    expect(await Promise.all(calls)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(loads).toHaveLength(1);
  });

  it("DI-08 of a handler belong to its request, and nothing else waits for them", async () => {
    const { transport, loads } = start({}, async (inbound) => {
      if (inbound.method === "ping") return inbound.encode({});
      return inbound.encode(await inbound.request("roots/list"));
    });
    transport.push(request("asks", "tools/call"));
    transport.push(request(2));
    await turn();
    expect(transport.take()).toEqual([answer(2)]);
    loads[0]!.resolve(createExtras);
    await turn();
    expect(transport.related).toEqual(["asks"]);
    expect(transport.take()).toEqual([{ jsonrpc: "2.0", id: 1, method: "roots/list" }]);
    transport.push(answer(1, { roots: [] }));
    await turn();
    expect(transport.take()).toEqual([answer("asks", { roots: [] })]);
  });

  it("that are given up meanwhile reject with the reason and are never written", async () => {
    const { transport, dispatcher, loads } = start();
    const abort = new AbortController();
    const call = reasonOf(dispatcher.request("m", {}, { signal: abort.signal }));
    abort.abort("enough");
    loads[0]!.resolve(createExtras);
    expect(await call).toBe("enough");
    expect(transport.sent).toEqual([]);
  });

  it("XT-02 fail where the connection ends meanwhile, from either side", async () => {
    for (const end of ["close", "peer"]) {
      const { transport, dispatcher, loads, ended } = start();
      const call = reasonOf(dispatcher.request("m"));
      if (end === "close") await dispatcher.close();
      else transport.end();
      await ended;
      loads[0]!.resolve(createExtras);
      expect(await call).toMatchObject(CLOSED);
      expect(await reasonOf(dispatcher.request("n"))).toMatchObject(CLOSED);
      expect([transport.sent, loads.length]).toEqual([[], 1]);
    }
  });

  it("fail with an internal error where it cannot be loaded; the operator hears why, and the next one tries again", async () => {
    const { transport, dispatcher, loads, errors } = start();
    const calls = [reasonOf(dispatcher.request("a")), reasonOf(dispatcher.request("b"))];
    const missing = new Error("Cannot find module");
    loads[0]!.reject(missing);
    expect(await Promise.all(calls)).toMatchObject([
      { code: -32603, message: "Internal error" },
      { code: -32603, message: "Internal error" },
    ]);
    expect(errors).toEqual([missing]);
    const again = dispatcher.request("c");
    loads[1]!.resolve(createExtras);
    await turn();
    transport.push(answer(1, { c: true }));
    await expect(again).resolves.toEqual({ c: true });
  });
});

describe("what concerns no call", () => {
  it("CF-06 CF-07 answers to nobody are reported", async () => {
    const { transport, loads, errors } = start();
    transport.push(answer(7));
    transport.push({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } });
    await turn();
    loads[0]!.resolve(createExtras);
    await turn();
    expect(errors).toMatchObject([{ message: "Received response with an unknown request ID: 7" }, { code: -32700 }]);
    expect(errors[1]).toBeInstanceOf(StrayErrorResponse);
    expect(transport.sent).toEqual([]);
  });

  it("G6 BS-45 progress and a cancel for nobody load nothing", async () => {
    const { transport, loads, notified } = start();
    const progress = { progressToken: 1, progress: 1 };
    transport.push({ jsonrpc: "2.0", method: "notifications/progress", params: progress });
    transport.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await turn();
    expect([notified, loads]).toEqual([[["notifications/progress", progress]], []]);
  });
});

describe("what is no message, and batches", () => {
  it("F1 are answered in their turn: what comes after waits", async () => {
    const { transport, loads } = start();
    transport.push("{");
    transport.push(request(2));
    await turn();
    expect(transport.sent).toEqual([]);
    loads[0]!.resolve(createExtras);
    await turn();
    expect(transport.take()).toMatchObject([{ id: null, error: { code: -32700 } }, { id: 2 }]);
    transport.push('{"jsonrpc":"1.0","id":3,"method":"m"}');
    transport.push(request(4));
    await turn();
    expect(transport.take()).toMatchObject([{ id: 3, error: { code: -32600 } }, { id: 4 }]);
    expect(loads).toHaveLength(1);
  });

  it("A1.9 G1 a cancel that follows a batch finds its request", async () => {
    const { transport, dispatcher, loads } = start({}, (inbound) => {
      if (inbound.method === "ping") return inbound.encode({});
      return new Promise((_, reject) => inbound.signal.addEventListener("abort", reject));
    });
    dispatcher.acceptsBatches = true;
    transport.push([request(1), request(2, "wait")]);
    transport.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    await turn();
    loads[0]!.resolve(createExtras);
    await turn();
    expect(transport.take()).toEqual([[answer(1)]]);
  });

  it("R9 too many in a row end the connection all the same", async () => {
    const { transport, loads, ended } = start({ maxMalformed: 3 });
    for (let n = 0; n < 3; n++) transport.push("{");
    await turn();
    loads[0]!.resolve(createExtras);
    await ended;
    expect(() => transport.send({ jsonrpc: "2.0", method: "n" })).toThrow("Connection closed");
  });

  it("where nothing can be loaded their sender gets an internal error, an answer is dropped, and reading goes on", async () => {
    const { transport, dispatcher, loads, errors } = start();
    dispatcher.acceptsBatches = true;
    const missing = new Error("Cannot find module");
    for (const message of ['{"jsonrpc":"1.0","id":3,"method":"m"}', '{"jsonrpc":"2.0","id":4,"result":[]}', answer(5), [request(6)]]) {
      transport.push(message);
      await turn();
      loads.at(-1)!.reject(missing);
      await turn();
    }
    transport.push(request(7));
    await turn();
    const failed = { code: -32603, message: "Internal error" };
    expect(transport.take()).toEqual([{ jsonrpc: "2.0", id: 3, error: failed }, { jsonrpc: "2.0", id: null, error: failed }, answer(7)]);
    expect(errors).toEqual([missing, missing, missing, missing]);
  });

  it("close does not wait for it", async () => {
    const { transport, dispatcher, loads, ended, errors } = start();
    transport.push("{");
    await turn();
    await dispatcher.close();
    expect(loads).toHaveLength(1);
    loads[0]!.resolve(createExtras);
    await ended;
    expect([transport.sent, errors]).toEqual([[], []]);
  });
});

describe("as a server on stdio has them", () => {
  it("are the ones everybody else has at once", async () => {
    const transport = new ScriptedTransport();
    const dispatcher = new AnsweringDispatcher(transport, {}, createLateExtras, receiveAllOf(transport));
    const ended = dispatcher.run(
      () => ({}),
      () => undefined,
    );
    const call = reasonOf(dispatcher.request("m"));
    await expect.poll(() => transport.sent).toEqual([{ jsonrpc: "2.0", id: 1, method: "m" }]);
    transport.push({ jsonrpc: "2.0", id: 1, error: { code: 7, message: "no" } });
    expect(await call).toBeInstanceOf(McpError);
    await dispatcher.close();
    await ended;
  });
});
