/**
 * What only a dispatcher over a transport has to stand: malformed input, back-pressure, half-closed connections, faults below.
 */
import { describe, expect, it } from "vitest";
import { ScriptedTransport } from "../../test/support/scripted-transport.ts";
import { turn, VirtualClock } from "../../test/support/virtual-clock.ts";
import { ConnectionClosedError, McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { Incoming, Outgoing } from "../jsonrpc/incoming.ts";
import { ReceiveQueue } from "../transport/receive-queue.ts";
import type { Transport } from "../transport/transport.ts";
import type { InboundRequest, OnRequest, RawResult } from "./dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "./json-rpc-dispatcher.ts";

const CLOSED = { code: -32000, message: "Connection closed" };
const pong: OnRequest = (request) => request.encode({});
const request = (id: unknown, method = "ping"): object => ({ jsonrpc: "2.0", id, method });

function start(
  options: JsonRpcDispatcherOptions = {},
  onRequest: OnRequest = pong,
): { transport: ScriptedTransport; dispatcher: JsonRpcDispatcher; clock: VirtualClock; errors: Error[]; ended: Promise<void> } {
  const transport = new ScriptedTransport();
  const clock = new VirtualClock();
  const errors: Error[] = [];
  const dispatcher = new JsonRpcDispatcher(transport, { clock, onError: (error) => void errors.push(error), ...options });
  const ended = dispatcher.run(onRequest, () => undefined);
  return { transport, dispatcher, clock, errors, ended };
}

describe("a malformed message", () => {
  it("gets the right error, is reported, and the connection stays open [F1 F2 F3 F4 BS-40 XT-09 A1.2]", async () => {
    const { transport, errors } = start();
    const cases: [string, unknown, number][] = [
      ["{", null, -32700],
      ["nonsense", null, -32700],
      ['{"jsonrpc":"1.0","id":4,"method":"m"}', 4, -32600],
      ['{"id":"a","method":"m"}', "a", -32600],
      ['{"jsonrpc":"2.0","id":5,"method":"m","params":[1]}', 5, -32600],
      ['{"jsonrpc":"2.0","id":6,"method":"m","params":"x"}', 6, -32600],
      ['{"jsonrpc":"2.0","id":7,"method":7}', 7, -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"m"}', null, -32600],
      ['{"jsonrpc":"2.0","id":1.5,"method":"m"}', null, -32600],
      ['{"jsonrpc":"2.0","id":true,"method":"m"}', null, -32600],
      ['{"jsonrpc":"2.0","id":9,"id":9,"method":"m"}', 9, -32600],
      ["[]", null, -32600],
      ["7", null, -32600],
    ];
    for (const [text] of cases) transport.push(text);
    transport.push(request(99));
    await turn();
    expect(transport.take()).toEqual([
      ...cases.map(([, id, code]) => ({ jsonrpc: "2.0", id, error: expect.objectContaining({ code }) as object })),
      { jsonrpc: "2.0", id: 99, result: {} },
    ]);
    expect(errors).toHaveLength(cases.length);
  });

  it("gets an error ten times a second without an id, and always with one; all are reported [F1]", async () => {
    const { transport, clock, errors } = start();
    const flood = (): void => {
      for (let i = 0; i < 100; i++) transport.push("nonsense");
    };
    flood();
    transport.push('{"jsonrpc":"1.0","id":4,"method":"m"}');
    transport.push(request(5));
    await turn();
    const ids = (): unknown[] => transport.take().map(({ id }) => id);
    expect(ids()).toEqual([...Array.from({ length: 10 }, () => null), 4, 5]);
    await clock.advance(250);
    flood();
    await turn();
    expect(ids()).toEqual([null, null]);
    await clock.advance(10_000);
    flood();
    await turn();
    expect(ids()).toHaveLength(10);
    expect(errors).toHaveLength(301);
  });

  it("is only reported by a client, so that two clients never respond to each other [F2]", async () => {
    const { transport, errors } = start({ respondToMalformed: false });
    transport.push("{");
    transport.push({ jsonrpc: "2.0", id: 1, method: 1 });
    await turn();
    expect(transport.sent).toEqual([]);
    expect(errors).toHaveLength(2);
  });

  it("too often in a row ends the connection; a message in between starts the count again [R9 F1]", async () => {
    const { transport, dispatcher, errors, ended } = start({ limits: { maxMalformed: 3 } });
    const call = dispatcher.request("m").catch((reason: unknown) => reason);
    for (const text of ["{", "{", '{"jsonrpc":"2.0","method":"n"}', "{", "{"]) transport.push(text);
    await turn();
    transport.push(request(1));
    await turn();
    expect(transport.take().at(-1)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    for (let i = 0; i < 3; i++) transport.push("{");
    await ended;
    expect(await call).toMatchObject(CLOSED);
    expect(errors).toHaveLength(7);
  });

  it("the error that ends the connection names the limit; an invalid response says what is wrong with it [R9 F2]", async () => {
    const { transport, dispatcher, errors, ended } = start({ limits: { maxMalformed: 3 } });
    const call = dispatcher.request("m").catch((reason: unknown) => reason);
    await turn();
    const [{ id }] = transport.take() as [{ id: number }];
    transport.push({ jsonrpc: "2.0", id, result: 7 });
    await turn();
    expect(String(await call)).toMatch(/invalid response: Invalid message: "result" must be an object/);
    for (let i = 0; i < 3; i++) transport.push("{");
    await ended;
    expect(errors.map(String).join("\n")).not.toBe("");
    const late = await dispatcher.request("m").catch((reason: unknown) => reason);
    expect(late).toMatchObject({ ...CLOSED, cause: { data: { limit: "limits.maxMalformed", max: 3 } } });
    expect(String((late as Error).cause)).toMatch(/3 messages in a row were not JSON-RPC \(limit "limits.maxMalformed"\)/);
  });

  it("the responses to a batch belong to its first request", async () => {
    const { transport, dispatcher } = start();
    dispatcher.acceptsBatches = true;
    transport.push([{ jsonrpc: "2.0", method: "n" }, { jsonrpc: "2.0", id: 90, result: {} }, request(5), request(6)]);
    await turn();
    expect(transport.related).toEqual([5]);
    expect(transport.sent).toEqual([
      [
        { jsonrpc: "2.0", id: 5, result: {} },
        { jsonrpc: "2.0", id: 6, result: {} },
      ],
    ]);
  });

  it("counts inside batches too [R9]", async () => {
    const { transport, dispatcher, ended } = start({ limits: { maxMalformed: 3 } });
    dispatcher.acceptsBatches = true;
    transport.push("[1,2,3]");
    await ended;
    expect(transport.sent).toEqual([]);
  });

  it("a request made from onError does not deadlock [XT-12]", async () => {
    let call: Promise<unknown> | undefined;
    const { transport, dispatcher } = start({ onError: () => void (call = dispatcher.request("ping")) });
    transport.push("{");
    await turn();
    const [ping, parseError] = transport.take();
    expect([parseError!["error"], ping!["method"]]).toEqual([expect.objectContaining({ code: -32700 }), "ping"]);
    transport.push({ jsonrpc: "2.0", id: ping!["id"], result: { pong: true } });
    await expect(call).resolves.toEqual({ pong: true });
  });
});

/** Two ends without any buffer: a write is done when the other side has read it, as between two coroutines. */
function rendezvous(): [Transport, Transport] {
  class End implements Transport {
    readonly kind = "rendezvous";
    peer!: End;
    readonly #queue = new ReceiveQueue();
    readonly #unread: (() => void)[] = [];

    send(message: Outgoing): Promise<void> {
      return new Promise((resolve) => {
        this.peer.#unread.push(resolve);
        this.peer.#queue.push(message, 1);
      });
    }

    async receive(): Promise<Incoming> {
      const next = await this.#queue.receive();
      this.#unread.shift()?.();
      return next;
    }

    close(): Promise<void> {
      for (const end of [this.peer, this]) end.#queue.end(new ConnectionClosedError());
      return Promise.resolve();
    }
  }
  const [a, b] = [new End(), new End()];
  a.peer = b;
  b.peer = a;
  return [a, b];
}

it("a transport has one dispatcher", () => {
  const { transport } = start();
  expect(() => new JsonRpcDispatcher(transport)).toThrow(new McpUsageError("This transport already has a dispatcher"));
});

describe("back-pressure", () => {
  it("peers that respond to each other over an unbuffered transport do not block each other [SM-05 SM-10 BS-52]", async () => {
    const [a, b] = rendezvous().map((transport) => new JsonRpcDispatcher(transport));
    void a!.run(pong, () => undefined);
    void b!.run(pong, () => undefined);
    const calls = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? a! : b!).request("ping", {}, { timeout: 1000 }));
    expect(await Promise.all(calls)).toHaveLength(100);
    await a!.close();
  });

  it("reading stops while 256 messages wait to be written, and continues when the first is accepted [BS-52]", async () => {
    let served = 0;
    const { transport, dispatcher, ended } = start({}, (inbound) => {
      served++;
      return inbound.encode({});
    });
    const writes: (() => void)[] = [];
    transport.write = () => new Promise((resolve) => writes.push(resolve));
    for (let id = 0; id < 400; id++) transport.push(request(id));
    await turn();
    expect(served).toBe(256);
    writes.shift()!();
    await turn();
    expect(served).toBe(257);
    // A transport that never accepts the rest does not keep the connection open.
    await dispatcher.close();
    await ended;
  });

  it("reading continues only when fewer than 256 messages wait, however many this side has sent", async () => {
    let served = 0;
    const { transport, dispatcher } = start({}, (inbound) => {
      served++;
      return inbound.encode({});
    });
    const writes: (() => void)[] = [];
    transport.write = () => new Promise((resolve) => writes.push(resolve));
    void dispatcher.notify("n");
    for (let id = 0; id < 400; id++) transport.push(request(id));
    await turn();
    void dispatcher.notify("n");
    writes.shift()!();
    await turn();
    expect(served).toBe(255);
    writes.shift()!();
    await turn();
    expect(served).toBe(256);
    await dispatcher.close();
  });
});

describe("the end", () => {
  it("the peer's end fails calls within a tick and ends the run [BS-48 XT-02]", async () => {
    const { transport, dispatcher, ended, clock } = start();
    const calls = [1, 2, 3].map(() => dispatcher.request("m").catch((reason: unknown) => reason));
    transport.end();
    for (const reason of await Promise.all(calls)) expect(reason).toMatchObject(CLOSED);
    await ended;
    await expect(dispatcher.request("m")).rejects.toMatchObject(CLOSED);
    await dispatcher.notify("n");
    expect(clock.pending).toBe(0);
  });

  it("a transport that fails with an error of its own is a closed connection, the error its cause [BS-49]", async () => {
    const transport = new ScriptedTransport();
    const broken = new Error("EPIPE");
    transport.receive = () => Promise.reject(broken);
    const dispatcher = new JsonRpcDispatcher(transport);
    const ended = dispatcher.run(pong, () => undefined);
    const reason: unknown = await dispatcher.request("m").catch((error: unknown) => error);
    expect(reason).toMatchObject({ ...CLOSED, cause: broken });
    await ended;
  });

  it("a transport whose close fails is reported; close and run still settle [XT-20 D12]", async () => {
    for (const fail of [(): never => expectedFailure(), (): Promise<never> => Promise.reject(new Error("close"))]) {
      const { transport, dispatcher, ended, errors } = start();
      transport.closing = fail;
      await dispatcher.close();
      await ended;
      expect(errors.map(({ message }) => message)).toContain("close");
    }
  });

  it("running handlers may respond in the drain time after the peer's end; at half time their signals abort [D14]", async () => {
    const requests: InboundRequest[] = [];
    const answers: ((result: RawResult) => void)[] = [];
    const { transport, dispatcher, clock, ended } = start({ drain: 1000 }, (inbound) => {
      requests.push(inbound);
      return new Promise((resolve) => answers.push(resolve));
    });
    const written: Outgoing[] = [];
    // Half-closed: what was written is still sent.
    transport.send = (message) => void written.push(message);
    const call = dispatcher.request("m").catch((reason: unknown) => reason);
    for (const id of [1, 2, 3]) transport.push(request(id, "work"));
    await turn();
    transport.end();
    expect(await call).toMatchObject(CLOSED);
    // A new call would get no response any more.
    await expect(requests[0]!.request("roots/list")).rejects.toMatchObject(CLOSED);
    answers[0]!({ first: true });
    await clock.advance(499);
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
    await clock.advance(1);
    expect(requests.slice(1).map(({ signal, cancelled }) => [signal.aborted, cancelled])).toEqual([
      [true, false],
      [true, false],
    ]);
    answers[1]!({ second: true });
    await clock.advance(500);
    await ended;
    answers[2]!({ late: true });
    await turn();
    expect(written.slice(1).map((message) => JSON.parse(JSON.stringify(message)) as unknown)).toEqual([
      { jsonrpc: "2.0", id: 1, result: { first: true } },
      { jsonrpc: "2.0", id: 2, result: { second: true } },
    ]);
    expect(clock.pending).toBe(0);
  });

  it("a server that closes refuses new requests; running ones may still send requests and get responses [D14]", async () => {
    const answers: ((result: RawResult) => void)[] = [];
    const requests: InboundRequest[] = [];
    const { transport, dispatcher, clock, ended } = start({ drain: 1000 }, (inbound) => {
      requests.push(inbound);
      return new Promise((resolve) => answers.push(resolve));
    });
    for (const id of [1, 2]) transport.push(request(id, "work"));
    await turn();
    const drained = dispatcher.drain();
    transport.push(request(3, "late"));
    const asked = requests[0]!.request("elicitation/create");
    await turn();
    const [question, refused] = transport.take();
    expect(refused).toEqual({ jsonrpc: "2.0", id: 3, error: { code: -32603, message: "The server is shutting down" } });
    transport.push({ jsonrpc: "2.0", id: question!["id"], result: { action: "accept" } });
    await expect(asked).resolves.toEqual({ action: "accept" });
    answers[0]!({ done: true });
    await turn();
    expect(transport.take()).toEqual([{ jsonrpc: "2.0", id: 1, result: { done: true } }]);
    await clock.advance(500);
    expect(requests[1]!.signal.aborted).toBe(true);
    await clock.advance(500);
    await Promise.all([drained, ended, dispatcher.drain()]);
    expect([requests.length, clock.pending]).toEqual([2, 0]);
  });

  it("the peer's end in the middle of a drain does not shorten it [D14]", async () => {
    const answers: ((result: RawResult) => void)[] = [];
    const { transport, dispatcher, ended } = start({ drain: 60_000 }, () => new Promise((resolve) => answers.push(resolve)));
    transport.push(request(1));
    await turn();
    const drained = dispatcher.drain();
    transport.end();
    await turn();
    answers[0]!({});
    await expect(Promise.all([drained, ended])).resolves.toEqual([undefined, undefined]);
  });

  it("draining ends with the last handler, or with close [D14]", async () => {
    for (const close of [false, true]) {
      const answers: ((result: RawResult) => void)[] = [];
      const { transport, dispatcher, clock, ended } = start(
        { drain: 1000 },
        () => new Promise((resolve) => answers.push(resolve)),
      );
      transport.push(request(1));
      await turn();
      transport.end();
      await turn();
      if (close) await dispatcher.close();
      else answers[0]!({});
      await ended;
      expect(clock.pending).toBe(0);
    }
  });
});

function expectedFailure(): never {
  throw new Error("close");
}
