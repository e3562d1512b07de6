import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MalformedMessage } from "./incoming.ts";
import { isPlainMessage } from "./message.ts";
import { checkMessage } from "./check-message.ts";
import * as parsing from "./parse.ts";
import { createReadMessage, readMessage, type ReadMessage } from "./read-message.ts";

/** A reader whose explanations are never loaded. */
const unexplained: ReadMessage = createReadMessage(() => Promise.reject(new Error("Cannot find module")));

const value = fc.oneof(fc.constantFrom<unknown>("2.0", 1, 1.5, null, "x", "\ud800", {}, [], { code: 1, message: "" }), fc.jsonValue());
const members = fc.constantFrom("jsonrpc", "id", "method", "params", "result", "error", "Method", "_meta");
const object = fc
  .tuple(fc.boolean(), fc.dictionary(members, value, { noNullPrototype: true }))
  .map(([versioned, some]) => (versioned ? { ...some, jsonrpc: "2.0" } : some));

describe("readMessage", () => {
  it("A1.1 A1.2 F2 reads what parseMessage reads, and says the same of what is no message", async () => {
    const text = fc.oneof(
      object.map((some) => JSON.stringify(some)),
      fc.array(object, { maxLength: 3 }).map((some) => JSON.stringify(some)),
      fc.string(),
      object.map((some) => JSON.stringify(some).slice(0, -1)),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(undefined, { size: 20 }), async (line, limits) => {
        expect(await readMessage(line, limits)).toEqual(parsing.parseMessage(line, limits));
      }),
      { numRuns: 2000 },
    );
  });

  it("takes at once, and loads nothing for, what is plainly a message; nothing else is one", () => {
    fc.assert(
      fc.property(object, (some) => {
        if (!isPlainMessage(some)) return;
        expect(checkMessage(structuredClone(some))).toEqual(some);
        expect(unexplained(JSON.stringify(some))).toEqual(JSON.parse(JSON.stringify(some)));
      }),
      { numRuns: 2000 },
    );
    for (const message of [
      '{"jsonrpc":"2.0","id":1,"method":"m"}',
      '{"jsonrpc":"2.0","method":"n"}',
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    ])
      expect(unexplained(message)).toEqual(JSON.parse(message));
  });

  it("F1 is a promise for the first that is no message, and at once from then on", async () => {
    let loads = 0;
    const read = createReadMessage(() => {
      loads++;
      return Promise.resolve(parsing);
    });
    const first = [read("{"), read("[]")];
    expect(first.map((incoming) => incoming instanceof Promise)).toEqual([true, true]);
    expect([await first[0], await first[1]]).toMatchObject([{ error: { code: -32700 } }, { error: { code: -32600 } }]);
    expect(read("{")).toBeInstanceOf(MalformedMessage);
    expect(loads).toBe(1);
  });

  it("where nothing can be loaded it is an internal error with its cause, and the next one tries again", async () => {
    const missing = new Error("Cannot find module");
    const outcomes = [Promise.reject(missing), Promise.resolve(parsing)];
    const read = createReadMessage(() => outcomes.shift()!);
    const failed = await read('{"id":1}');
    expect(failed).toMatchObject({ id: null, isResponse: false, error: { code: -32603, message: "Internal error", cause: missing } });
    expect(await read('{"id":1}')).toMatchObject({ id: 1, error: { code: -32600 } });
  });
});
