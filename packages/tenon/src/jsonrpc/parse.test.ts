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
    ["a request [TY-01 A1.2]", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add" } }],
    ["a request without params [TY-01 CV-04]", { jsonrpc: "2.0", id: "a", method: "ping" }],
    ["a notification [TY-02 A1.8]", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["a result [TY-03]", { jsonrpc: "2.0", id: 0, result: {} }],
    ["an error [TY-04 TY-05]", { jsonrpc: "2.0", id: -7, error: { code: -32601, message: "Method not found", data: [null] } }],
    ["an error without an id [TY-04 A1.6]", { jsonrpc: "2.0", id: null, error: { code: 1.0, message: "" } }],
    ["unknown members are kept [A1.12]", { jsonrpc: "2.0", id: 1, result: { a: null }, extra: { b: 1 } }],
    [
      "case variants are unknown members [F4]",
      { jsonrpc: "2.0", id: 1, method: "m", Method: 7, Params: 1, "method\0": 2, "param\u017f": 3 },
    ],
  ])("%s passes as it is", (_, message) => {
    expect(parseMessage(JSON.stringify(message))).toEqual(message);
    expect(parseMessage(`\t ${JSON.stringify(message, null, 1)}\r`)).toEqual(message);
  });

  it("an error response without an id is one with null [A1.6]", () => {
    expect(parseMessage(request('"error":{"code":1,"message":"x"}'))).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: 1, message: "x" },
    });
  });

  it.each([
    ["wrong jsonrpc [F2 A1.1]", '{"jsonrpc":"1.0","id":7,"method":"m"}'],
    ["number as jsonrpc [F2 A1.1]", '{"jsonrpc":2.0,"id":7,"method":"m"}'],
    ["no jsonrpc [F2]", '{"id":7,"method":"m"}'],
    ["params is an array [F2 TY-01]", request('"id":7,"method":"m","params":[1]')],
    ["params is a string [F2]", request('"id":7,"method":"m","params":"x"')],
    ["method is not a string [F2]", request('"id":7,"method":1')],
    ["method is null [F2]", request('"id":7,"method":null')],
    ["only a case variant of method [F4]", request('"id":7,"Method":"m"')],
    ["neither method nor result nor error [F2]", request('"id":7')],
    ["method and result [F2]", request('"id":7,"method":"m","result":{}')],
    ["method and error [F2]", request('"id":7,"method":"m","error":{"code":1,"message":""}')],
    ["a duplicate key far below [F4]", request('"id":7,"method":"m","params":{"a":[{"b":1,"b":1}]}')],
    ["a duplicate method [F4]", request('"id":7,"method":"tools/list","method":"tools/call"')],
  ])("%s: -32600 with the id of the request, so that it can be sent as a response", (_, text) => {
    expect(malformed(text)).toMatchObject({ id: 7, isResponse: false, error: { code: -32600 } });
  });

  it.each([
    ["both result and error [F2 A1.7 TY-06]", '"result":{},"error":{"code":1,"message":""}'],
    ["result is an array [TY-03]", '"result":[1]'],
    ["result and error are null [TY-06]", '"result":null,"error":null'],
    ["result is null [TY-03]", '"result":null'],
    ["error without code [A1.7 TY-05]", '"error":{"message":""}'],
    ["error with a fractional code [A1.7 TY-05]", '"error":{"code":1.5,"message":""}'],
    ["error without message [A1.7 TY-05]", '"error":{"code":1}'],
    ["error is a string [A1.7]", '"error":"x"'],
    ["error is null [A1.7]", '"error":null'],
    ["duplicate in a result [F4]", '"result":{"a":1,"a":2}'],
  ])("%s: -32600 that names the call and gets no response", (_, members) => {
    expect(malformed(request(`"id":"r",${members}`))).toMatchObject({ id: "r", isResponse: true, error: { code: -32600 } });
  });

  it.each([
    ["params is null [TY-01 CV-04]", '"id":7,"method":"m","params":null', { id: 7, method: "m", params: {} }],
    ["params is an empty list [TY-01]", '"id":7,"method":"m","params":[]', { id: 7, method: "m", params: {} }],
    ["result is an empty list [TY-03]", '"id":7,"result":[]', { id: 7, result: {} }],
    ["error is null beside a result [TY-06]", '"id":7,"result":{"a":null},"error":null', { id: 7, result: { a: null } }],
    [
      "result is null beside an error [TY-06]",
      '"id":7,"result":null,"error":{"code":1,"message":""}',
      { id: 7, error: { code: 1, message: "" } },
    ],
    ["method is null in a response [TY-03]", '"id":7,"method":null,"params":null,"result":{}', { id: 7, result: {} }],
    [
      "a request has the members of a response as null [TY-01]",
      '"id":7,"method":"m","result":null,"error":null',
      { id: 7, method: "m", params: {} },
    ],
    [
      "the id of a notification is null [TY-02]",
      '"id":null,"method":"notifications/x"',
      { method: "notifications/x", params: {} },
    ],
  ])("%s: it is read as if the member were absent", (_, members, message) => {
    expect(parseMessage(request(members))).toEqual({ jsonrpc: "2.0", ...message });
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
  ])("id %s is refused with -32600 and not echoed [F3 A1.2 TY-01]", (id) => {
    expect(malformed(request(`"id":${id},"method":"m"`))).toMatchObject({ id: null, isResponse: false, error: { code: -32600 } });
    expect(malformed(request(`"id":${id},"result":{}`))).toMatchObject({ id: null, isResponse: true, error: { code: -32600 } });
  });

  it("an error with a wrong id says what an id may be", () => {
    expect(malformed(request('"id":1.5,"error":{"code":1,"message":"m"}')).error.message).toContain(
      '"id" must be null, a safe integer or a short, well-formed string',
    );
  });

  it.each(["9007199254740991", "-9007199254740991", `"${"x".repeat(256)}"`, '"\\ud83d\\ude00"', "0", '""'])(
    "id %s is accepted [F3 F8]",
    (id) => {
      expect(parseMessage(request(`"id":${id},"method":"m"`))).toEqual({ jsonrpc: "2.0", id: JSON.parse(id), method: "m" });
    },
  );

  it.each(["null", "1", '"x"', "true"])("the scalar %s is no message [F2]", (text) => {
    expect(malformed(text)).toMatchObject({ id: null, isResponse: false, error: { code: -32600 } });
  });

  it("text that is not JSON: -32700 without an id, and without a quote [F1]", () => {
    const { error, id } = malformed('{"jsonrpc":"2.0","id":1,"method":"secret"');
    expect([error.code, id]).toEqual([-32700, null]);
    expect(JSON.stringify(error.toErrorData()) + error.message).not.toContain("secret");
  });

  it("a response cut off in the middle names the call it breaks [F2]", () => {
    expect(malformed('{"jsonrpc":"2.0","id":1,"result":{"a"')).toMatchObject({
      id: 1,
      isResponse: true,
      error: { code: -32700 },
    });
  });
});

describe("batches", () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const batch = (n: number): string => `[${Array.from({ length: n }, () => ping).join()}]`;

  it("each element is checked by itself [F10 A1.9]", () => {
    expect(parseMessage(`[${ping},{"jsonrpc":"2.0","method":"n"}]`)).toEqual([JSON.parse(ping), { jsonrpc: "2.0", method: "n" }]);
    const mixed = parseMessage(`[${ping},3,[${ping}],{"jsonrpc":"2.0","id":4}]`);
    expect(mixed).toMatchObject([
      { id: 1 },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: 4, error: { code: -32600 } },
    ]);
  });

  it("an empty batch is one malformed message [F10]", () => {
    expect(malformed("[]")).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it("100 messages are accepted, 101 are not [F10 F8]", () => {
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
  ])("a response over %s names the call it breaks and the limit [rule R6 F6 F2]", (limit, text) => {
    const { error, id, isResponse } = malformed(text);
    expect(error).toBeInstanceOf(LimitExceededError);
    expect(error).toMatchObject({ code: -32600, limit });
    expect([id, isResponse]).toEqual([5, true]);
  });

  it("each limit can be changed by itself [rule R6]", () => {
    const deep = response("5", "[".repeat(100) + "]".repeat(100));
    expect(parseMessage(deep, { depth: 102 })).toEqual(JSON.parse(deep));
    expect(malformed(deep, { depth: 101 }).error.data).toEqual({ limit: "depth", max: 101 });
  });
});

describe("anything at all", () => {
  it("20,000 random byte strings never throw [F1]", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc
        .array(fc.constantFrom(...'{}[]":,\\ 0-1eE.tfnu\n'), { maxLength: 60 })
        .map((chars) => new TextEncoder().encode(chars.join(""))),
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

  it("a mutilated message is refused or still exactly one of the four [TY-06 rule R7]", () => {
    const member = fc.constantFrom("jsonrpc", "id", "method", "params", "result", "error", "Method", "__proto__");
    const value = fc.oneof(fc.constantFrom<unknown>("2.0", "ping", 1, null, {}, { code: 1, message: "m" }), fc.jsonValue());
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(member, value), { selector: ([key]) => key, maxLength: 6 }), (members) => {
        const text = `{${members.map(([key, v]) => `"${key}":${JSON.stringify(v)}`).join()}}`;
        const has = new Map<string, unknown>(members.map(([key, v]) => [key, JSON.parse(JSON.stringify(v)) as unknown]));
        const parsed = parseMessage(text);
        if (parsed instanceof MalformedMessage) {
          expect(parsed.isResponse).toBe((has.get("method") ?? null) === null && (has.has("result") || has.has("error")));
          return;
        }
        expect(has.get("jsonrpc")).toBe("2.0");
        expect(["method", "result", "error"].filter((key) => (has.get(key) ?? null) !== null)).toHaveLength(1);
        const isError = (has.get("error") ?? null) !== null;
        expect(withoutEmpty(parsed)).toEqual(withoutEmpty({ ...(isError && { id: null }), ...(JSON.parse(text) as object) }));
      }),
      { numRuns: 5000 },
    );
  });
});

/** A message without the members that are read as absent, whether they were mended or not. */
function withoutEmpty(message: object): object {
  const isEmpty = (value: unknown): boolean => value === null || JSON.stringify(value) === "[]" || JSON.stringify(value) === "{}";
  const envelope = ["method", "params", "result", "error"];
  const kept = Object.entries(message).filter(([name, value]) => !envelope.includes(name) || !isEmpty(value));
  return Object.fromEntries(kept.filter(([name, value]) => name !== "id" || value !== null || "error" in message));
}

describe("one line, one message [TY-06]", () => {
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
