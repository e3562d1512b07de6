import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConnectionClosedError, LimitExceededError } from "../jsonrpc/mcp-error.ts";
import { JsonText, type JsonObject, type JSONRPCMessage } from "../jsonrpc/message.ts";
import { createMemoryPair } from "./memory.ts";
import { MalformedMessage, type Outgoing } from "../jsonrpc/incoming.ts";

const note = (params: JsonObject): JSONRPCMessage => ({ jsonrpc: "2.0", method: "n", params });

describe("memory pair", () => {
  it("carries what JSON carries, both ways, in order [ST-20 A1.12]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))), async (all) => {
        const [a, b] = createMemoryPair();
        for (const params of all) {
          void a.send(note(params));
          void b.send(note(params));
        }
        for (const params of all) {
          const wire: unknown = JSON.parse(JSON.stringify(note(params)));
          expect(await b.receive()).toEqual(wire);
          expect(await a.receive()).toEqual(wire);
        }
      }),
    );
  });

  it("shares nothing with the sender, and carries a serialised result unchanged [F13]", async () => {
    const [a, b] = createMemoryPair();
    const params = { list: [1] };
    void a.send(note(params));
    params.list.push(2);
    void a.send({ jsonrpc: "2.0", id: 1, result: new JsonText('{"n": 1.50}') });
    expect(await b.receive()).toEqual(note({ list: [1] }));
    expect(await b.receive()).toEqual({ jsonrpc: "2.0", id: 1, result: { n: 1.5 } });
  });

  it("delivers a malformed message as a value [F2]", async () => {
    const [a, b] = createMemoryPair();
    void a.send({ jsonrpc: "1.0", method: "n" } as unknown as Outgoing);
    expect(await b.receive()).toBeInstanceOf(MalformedMessage);
  });

  it("closing either end ends both, after what was sent before; a waiting reader is rejected [DI-11 BS-48]", async () => {
    for (const closing of [0, 1] as const) {
      const pair = createMemoryPair();
      const [a, b] = pair;
      const waiting = Promise.resolve(a.receive()).catch((error: unknown) => error);
      void a.send(note({ last: true }));
      await pair[closing].close();
      await pair[closing].close();
      expect(await waiting).toBeInstanceOf(ConnectionClosedError);
      expect(await b.receive()).toEqual(note({ last: true }));
      for (const end of pair) {
        await expect(end.receive()).rejects.toBeInstanceOf(ConnectionClosedError);
        expect(() => end.send(note({}))).toThrow(ConnectionClosedError);
      }
    }
  });
});

describe("an end that receives nothing", () => {
  it.each([undefined, 64 * 1024 * 1024])(
    "holds at most limits.maxWaiting characters of requests and notifications: %s [R8]",
    async (max) => {
      const [a, b] = createMemoryPair(max === undefined ? {} : { limits: { maxWaiting: max } });
      const large = { text: "x".repeat(10_000_000) };
      for (let i = 0; i < 6; i++) void a.send(note(large));
      expect(() => a.send(note(large))).toThrow('Limit "limits.maxWaiting" of 67108864 exceeded (70000357)');
      expect(() => a.send({ jsonrpc: "2.0", id: 1, method: "m", params: large })).toThrow(LimitExceededError);
      void a.send({ jsonrpc: "2.0", id: 1, result: large }); // its own request asked for it
      for (let i = 0; i < 7; i++) await b.receive();
      void a.send(note(large));
      expect(await b.receive()).toMatchObject({ method: "n" });
    },
  );

  it("a message that waits alone is always taken", async () => {
    const [a, b] = createMemoryPair({ limits: { maxWaiting: 10 } });
    void a.send(note({ text: "longer than ten characters" }));
    expect(() => a.send(note({}))).toThrow(LimitExceededError);
    expect(await b.receive()).toMatchObject({ method: "n" });
  });

  it("a limit below 1 or not a number, and an option that does not exist, are refused", () => {
    expect(() => createMemoryPair({ limits: { maxWaiting: 0 } })).toThrow('Option "limits.maxWaiting" must be at least 1, not 0');
    expect(() => createMemoryPair({ limits: { maxWaiting: Number.NaN } })).toThrow(RangeError);
    expect(() => createMemoryPair({ maxWaiting: 1 } as object)).toThrow('Unknown option "maxWaiting" of createMemoryPair()');
  });
});
