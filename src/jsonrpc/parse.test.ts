import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { MalformedMessage } from "./incoming.ts";
import { LimitExceededError } from "./mcp-error.ts";
import { parseJsonRpcMessage, parseMessage } from "./parse.ts";

function malformed(text: string, limits?: Parameters<typeof parseMessage>[1]): MalformedMessage {
  const parsed = parseMessage(text, limits);
  if (!(parsed instanceof MalformedMessage)) throw new Error(`accepted: ${text.slice(0, 200)}`);
  return parsed;
}

const request = (members: string): string => `{"jsonrpc":"2.0",${members}}`;

describe("messages", () => {
  it.each([
    ["TY-01 A1.2", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add" } }],
    ["TY-01 CV-04", { jsonrpc: "2.0", id: "a", method: "ping" }],
    ["TY-02 A1.8", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["TY-03", { jsonrpc: "2.0", id: 0, result: {} }],
    ["TY-04 TY-05", { jsonrpc: "2.0", id: -7, error: { code: -32601, message: "Method not found", data: [null] } }],
    ["TY-04 A1.6", { jsonrpc: "2.0", id: null, error: { code: 1.0, message: "" } }],
    ["A1.12 unknown members are kept", { jsonrpc: "2.0", id: 1, result: { a: null }, extra: { b: 1 } }],
    ["F4 case variants are unknown members", { jsonrpc: "2.0", id: 1, method: "m", Method: 7, Params: 1, "method\0": 2, "param\u017f": 3 }],
  ])("%s passes as it is", (_, message) => {
    expect(parseMessage(JSON.stringify(message))).toEqual(message);
    expect(parseMessage(`\t ${JSON.stringify(message, null, 1)}\r`)).toEqual(message);
  });

  it("A1.6 an error response without an id is one with null", () => {
    expect(parseMessage(request('"error":{"code":1,"message":"x"}'))).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: 1, message: "x" },
    });
  });

  it.each([
    ["F2 A1.1 wrong jsonrpc", '{"jsonrpc":"1.0","id":7,"method":"m"}'],
    ["F2 A1.1 number as jsonrpc", '{"jsonrpc":2.0,"id":7,"method":"m"}'],
    ["F2 no jsonrpc", '{"id":7,"method":"m"}'],
    ["F2 TY-01 params is an array", request('"id":7,"method":"m","params":[]')],
    ["F2 TY-01 CV-04 params is null", request('"id":7,"method":"m","params":null')],
    ["F2 params is a string", request('"id":7,"method":"m","params":"x"')],
    ["F2 method is not a string", request('"id":7,"method":1')],
    ["F2 method is null", request('"id":7,"method":null')],
    ["F4 only a case variant of method", request('"id":7,"Method":"m"')],
    ["F2 neither method nor result nor error", request('"id":7')],
    ["F2 method and result", request('"id":7,"method":"m","result":{}')],
    ["F2 method and error", request('"id":7,"method":"m","error":{"code":1,"message":""}')],
    ["F4 a duplicate key far below", request('"id":7,"method":"m","params":{"a":[{"b":1,"b":1}]}')],
    ["F4 a duplicate method", request('"id":7,"method":"tools/list","method":"tools/call"')],
  ])("%s: -32600 that echoes the id and may be answered", (_, text) => {
    expect(malformed(text)).toMatchObject({ id: 7, isResponse: false, error: { code: -32600 } });
  });

  it.each([
    ["F2 A1.7 TY-06 both result and error", '"result":{},"error":{"code":1,"message":""}'],
    ["TY-03 result is an array", '"result":[]'],
    ["TY-03 result is null", '"result":null'],
    ["A1.7 TY-05 error without code", '"error":{"message":""}'],
    ["A1.7 TY-05 error with a fractional code", '"error":{"code":1.5,"message":""}'],
    ["A1.7 TY-05 error without message", '"error":{"code":1}'],
    ["A1.7 error is a string", '"error":"x"'],
    ["A1.7 error is null", '"error":null'],
    ["F4 duplicate in a result", '"result":{"a":1,"a":2}'],
  ])("%s: -32600 that names the call and is never answered", (_, members) => {
    expect(malformed(request(`"id":"r",${members}`))).toMatchObject({ id: "r", isResponse: true, error: { code: -32600 } });
  });

  it.each([
    "null",
    "1.5",
    "1e400",
    "9007199254740992",
    "{}",
    "[]",
    "true",
    `"${"x".repeat(257)}"`,
    `"${"x".repeat(1_000_000)}"`,
    '"\\ud800"',
    '"\\udc00x"',
  ])("F3 A1.2 TY-01 id %s is refused with -32600 and not echoed", (id) => {
    expect(malformed(request(`"id":${id},"method":"m"`))).toMatchObject({ id: null, isResponse: false, error: { code: -32600 } });
    expect(malformed(request(`"id":${id},"result":{}`))).toMatchObject({ id: null, isResponse: true, error: { code: -32600 } });
  });

  it.each(["9007199254740991", "-9007199254740991", `"${"x".repeat(256)}"`, '"\\ud83d\\ude00"', "0", '""'])(
    "F3 F8 id %s is accepted",
    (id) => {
      expect(parseMessage(request(`"id":${id},"method":"m"`))).toEqual({ jsonrpc: "2.0", id: JSON.parse(id), method: "m" });
    },
  );

  it.each(["null", "1", '"x"', "true"])("F2 the scalar %s is no message", (text) => {
    expect(malformed(text)).toMatchObject({ id: null, isResponse: false, error: { code: -32600 } });
  });

  it("F1 what is not JSON: -32700 without an id, and no word of the input", () => {
    const { error, id } = malformed('{"jsonrpc":"2.0","id":1,"method":"secret"');
    expect([error.code, id]).toEqual([-32700, null]);
    expect(JSON.stringify(error.toErrorData()) + error.message).not.toContain("secret");
  });

  it("F2 a response cut off in the middle names the call it breaks", () => {
    expect(malformed('{"jsonrpc":"2.0","id":1,"result":{"a"')).toMatchObject({ id: 1, isResponse: true, error: { code: -32700 } });
  });
});

describe("batches", () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const batch = (n: number): string => `[${Array.from({ length: n }, () => ping).join()}]`;

  it("F10 A1.9 each element is checked by itself", () => {
    expect(parseMessage(`[${ping},{"jsonrpc":"2.0","method":"n"}]`)).toEqual([JSON.parse(ping), { jsonrpc: "2.0", method: "n" }]);
    const mixed = parseMessage(`[${ping},3,[${ping}],{"jsonrpc":"2.0","id":4}]`);
    expect(mixed).toMatchObject([
      { id: 1 },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: 4, error: { code: -32600 } },
    ]);
  });

  it("F10 an empty batch is one malformed message", () => {
    expect(malformed("[]")).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it("F10 F8 100 messages are accepted, 101 are not", () => {
    expect(parseMessage(batch(1))).toHaveLength(1);
    expect(parseMessage(batch(100))).toHaveLength(100);
    const { error } = malformed(batch(101));
    expect(error).toBeInstanceOf(LimitExceededError);
    expect(error).toMatchObject({ code: -32600, data: { limit: "batch", max: 100, actual: 101 } });
    expect(parseMessage(batch(101), { batch: 101 })).toHaveLength(101);
  });
});

describe("limits", () => {
  const response = (id: string, rest: string): string => `{"jsonrpc":"2.0","id":${id},"result":{"a":${rest}}}`;

  it.each([
    ["depth", response("5", "[".repeat(100) + "]".repeat(100))],
    ["nodes", response("5", `[${"0,".repeat(100_000)}0]`)],
    ["numberLength", response("5", "1".repeat(65))],
    ["keysPerObject", response("5", JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [i, 0]))))],
    ["size", response("5", `"${"x".repeat(11_000_000)}"`)],
  ])("R6 F6 F2 a response over %s names the call it breaks and the limit", (limit, text) => {
    const { error, id, isResponse } = malformed(text);
    expect(error).toBeInstanceOf(LimitExceededError);
    expect(error).toMatchObject({ code: -32600, limit });
    expect([id, isResponse]).toEqual([5, true]);
  });

  it("R6 each limit can be changed by itself", () => {
    const deep = response("5", "[".repeat(100) + "]".repeat(100));
    expect(parseMessage(deep, { depth: 102 })).toEqual(JSON.parse(deep));
    expect(malformed(deep, { depth: 101 }).error.data).toEqual({ limit: "depth", max: 101 });
  });
});

describe("anything at all", () => {
  it("F1 20,000 random byte strings never throw", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc.array(fc.constantFrom(...'{}[]":,\\ 0-1eE.tfnu\n'), { maxLength: 60 }).map((chars) => new TextEncoder().encode(chars.join(""))),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const text = new TextDecoder().decode(input);
        const parsed = parseMessage(text);
        if (parsed instanceof MalformedMessage) expect([-32700, -32600]).toContain(parsed.error.code);
        else if (Array.isArray(parsed)) expect(parsed).toHaveLength((JSON.parse(text) as unknown[]).length);
        else expect(parsed).toEqual(JSON.parse(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it("TY-06 R7 a mutilated message is refused or still exactly one of the four", () => {
    const member = fc.constantFrom("jsonrpc", "id", "method", "params", "result", "error", "Method", "__proto__");
    const value = fc.oneof(fc.constantFrom<unknown>("2.0", "ping", 1, null, {}, { code: 1, message: "m" }), fc.jsonValue());
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(member, value), { selector: ([key]) => key, maxLength: 6 }), (members) => {
        const text = `{${members.map(([key, v]) => `"${key}":${JSON.stringify(v)}`).join()}}`;
        const has = new Map<string, unknown>(members.map(([key, v]) => [key, JSON.parse(JSON.stringify(v)) as unknown]));
        const parsed = parseMessage(text);
        if (parsed instanceof MalformedMessage) {
          expect(parsed.isResponse).toBe(!has.has("method") && (has.has("result") || has.has("error")));
          return;
        }
        expect(has.get("jsonrpc")).toBe("2.0");
        expect(["method", "result", "error"].filter((key) => has.has(key))).toHaveLength(1);
        expect(parsed).toEqual({ ...(has.has("error") && { id: null }), ...(JSON.parse(text) as object) });
      }),
      { numRuns: 5000 },
    );
  });
});

describe("TY-06 one line, one message", () => {
  test.each([
    ["a request", { jsonrpc: "2.0", id: 0, method: "ping" }],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["a response", { jsonrpc: "2.0", id: "a", result: {} }],
    ["an error", { jsonrpc: "2.0", id: null, error: { code: -32700, message: "no" } }],
  ])("%s is read as it is", (_, message) => {
    expect(parseJsonRpcMessage(JSON.stringify(message))).toEqual(message);
  });

  test.each([
    ["text that is not JSON", "{", -32700],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ["both result and error", '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}', -32600],
    ["neither of them", '{"jsonrpc":"2.0","id":1}', -32600],
    ["a batch", '[{"jsonrpc":"2.0","method":"a"}]', -32600],
  ])("%s is refused", (_, line, code) => {
    expect(() => parseJsonRpcMessage(line)).toThrow(expect.objectContaining({ code }));
  });
});
