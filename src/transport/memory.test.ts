import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConnectionClosedError } from "../jsonrpc/mcp-error.ts";
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
