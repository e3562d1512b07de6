import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type JSONRPCMessage, JsonText } from "./message.ts";
import { HeadedResult, ResultHead } from "./serialise.ts";
import { cloneJson } from "./clone-json.ts";
import { stringifyNotification, stringifyMessage } from "./serialise.ts";

/** Any text, lone surrogates included, ASCII half of the time. */
const anyText = fc.array(fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0xffff }))).map((units) => String.fromCharCode(...units));

const messages: [string, JSONRPCMessage][] = [
  [
    "a request [TY-01]",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a\nb\u2028", arguments: { nothing: null } } },
  ],
  ["a notification without params [TY-02 CV-04]", { jsonrpc: "2.0", method: "n" }],
  ["a response [TY-03]", { jsonrpc: "2.0", id: 'a"\\\ud800', result: { content: [], structuredContent: { a: null, b: -0.5 } } }],
  ["an error without an id [TY-04 CV-03]", { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }],
  ["an error [TY-05]", { jsonrpc: "2.0", id: 2, error: { code: -32601, message: "Method not found", data: null } }],
];

describe("stringifyMessage", () => {
  it.each(messages)("%s is its JSON text, on one line", (_, message) => {
    expect(stringifyMessage(message)).toBe(JSON.stringify(message));
    expect(stringifyMessage(message)).not.toContain("\n");
  });

  it("a batch is the array of its messages [A1.9]", () => {
    const batch = messages.map(([, message]) => message);
    expect(stringifyMessage(batch)).toBe(JSON.stringify(batch));
    expect(stringifyMessage([])).toBe("[]");
  });

  it("undefined is left out and null is kept [CV-03 CV-04]", () => {
    const message = { jsonrpc: "2.0", id: 1, method: "m", params: undefined } as unknown as JSONRPCMessage;
    expect(stringifyMessage(message)).toBe('{"jsonrpc":"2.0","id":1,"method":"m"}');
    expect(stringifyMessage({ jsonrpc: "2.0", id: 1, result: { a: undefined, b: null } })).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"b":null}}',
    );
  });

  it("any response is written as JSON.stringify would", () => {
    const id = fc.oneof(anyText, fc.maxSafeInteger());
    fc.assert(
      fc.property(id, fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }), (requestId, result) => {
        const message: JSONRPCMessage = { jsonrpc: "2.0", id: requestId, result };
        expect(stringifyMessage(message)).toBe(JSON.stringify(message));
      }),
    );
  });

  it("serialised text is written unchanged, without being parsed", () => {
    const text = '{ "tools" : [1.0] }';
    expect(stringifyMessage({ jsonrpc: "2.0", id: 1, result: new JsonText(text) })).toBe(
      `{"jsonrpc":"2.0","id":1,"result":${text}}`,
    );
    expect(stringifyMessage([{ jsonrpc: "2.0", id: "a", result: new JsonText("{}") }])).toBe(
      '[{"jsonrpc":"2.0","id":"a","result":{}}]',
    );
  });

  it("a result with a head is written as one object, and copied as one object", () => {
    const head = new ResultHead({ resultType: "complete", _meta: { "a/b": { name: 'n"' } } });
    const anyRest = fc.dictionary(
      fc.string().filter((name) => !["resultType", "_meta", "toJSON"].includes(name)),
      fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined }),
      { maxKeys: 5 },
    );
    const withLongText = anyRest.map((rest) => ({ ...rest, content: [{ type: "text", text: "a".repeat(20_000) }] }));
    fc.assert(
      fc.property(fc.oneof(anyRest, withLongText), (rest) => {
        const message = { jsonrpc: "2.0" as const, id: 1, result: new HeadedResult(head, rest) };
        const whole = JSON.parse(JSON.stringify({ ...head.members, ...rest })) as unknown;
        expect(JSON.parse(stringifyMessage(message))).toMatchObject({ result: whole });
        expect(JSON.parse(JSON.stringify(message))).toEqual(JSON.parse(stringifyMessage(message)));
        expect(cloneJson<unknown>(message.result)).toEqual(whole);
      }),
    );
  });

  it("what has no JSON text is the caller's error [F12]", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const nothing = { toJSON: () => undefined };
    for (const result of [cycle, { big: 1n }, nothing, undefined]) {
      expect(() => stringifyMessage({ jsonrpc: "2.0", id: 1, result } as unknown as JSONRPCMessage)).toThrow(TypeError);
    }
    expect(() => stringifyMessage({ jsonrpc: "2.0", method: "m", params: cycle })).toThrow(TypeError);
  });

  it("what a getter or toJSON throws comes through as it is [F12]", () => {
    const boom = new Error("boom");
    const result = {
      get bad(): never {
        throw boom;
      },
    };
    expect(() => stringifyMessage({ jsonrpc: "2.0", id: 1, result })).toThrow(boom);
  });
});
const token = fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.constantFrom('"progress":0', undefined, null, NaN, {}));
const count = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 1e21, 5e-324, undefined, "1", null));
const step = fc.record(
  { progressToken: token, progress: count, total: count, message: fc.string({ unit: "binary" }), _meta: fc.constant({ a: [1] }) },
  { requiredKeys: [] },
);

test("progress is written as JSON.stringify writes it, whatever it is and whatever came before", () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      for (const params of [...steps, ...steps]) {
        const text = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params });
        expect(stringifyNotification("notifications/progress", params)).toBe(text);
      }
    }),
  );
});

test("one request after the other, with totals that change, come and go [requirement G6]", () => {
  const one = fc.record(
    { progressToken: fc.constantFrom(1, 2), progress: fc.nat(9), total: fc.constantFrom(3, 4) },
    { requiredKeys: ["progressToken", "progress"] },
  );
  fc.assert(
    fc.property(fc.array(one, { minLength: 2 }), (steps) => {
      for (const params of steps) {
        const text = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params });
        expect(stringifyNotification("notifications/progress", params)).toBe(text);
      }
    }),
  );
});

test("params that write themselves do", () => {
  const params = Object.assign(Object.create({ toJSON: () => ({ own: true }) }), { progressToken: 1, progress: 1 });
  expect(stringifyNotification("notifications/progress", params)).toBe(
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"own":true}}',
  );
});
