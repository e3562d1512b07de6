import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  coerceRequestId,
  isJsonObject,
  isNotification,
  isRequest,
  isRequestId,
  isResponse,
  JsonText,
  MAX_ID_LENGTH,
  type JSONRPCMessage,
} from "./message.ts";

describe("the four messages", () => {
  it.each<[string, JSONRPCMessage, string]>([
    ["a request [TY-01]", { jsonrpc: "2.0", id: 0, method: "ping" }, "request"],
    ["a notification [TY-02 A1.8]", { jsonrpc: "2.0", method: "notifications/initialized" }, "notification"],
    ["a result [TY-03]", { jsonrpc: "2.0", id: "", result: {} }, "response"],
    ["an error [TY-04]", { jsonrpc: "2.0", id: null, error: { code: 1, message: "" } }, "response"],
  ])("%s %j is exactly one kind: %s", (_, message, kind) => {
    expect({ request: isRequest(message), notification: isNotification(message), response: isResponse(message) }).toEqual({
      request: kind === "request",
      notification: kind === "notification",
      response: kind === "response",
    });
  });

  it("a JSON object is neither null nor an array [TY-01]", () => {
    expect([{}, null, [], "x", 1, undefined].map(isJsonObject)).toEqual([true, false, false, false, false, false]);
  });
});

describe("request ids", () => {
  it("are safe integers and short, well-formed strings [F3 F8 A1.2]", () => {
    const good = [0, -1, Number.MAX_SAFE_INTEGER, "a", "x".repeat(MAX_ID_LENGTH), "\u{1F600}", "\0", ""];
    const bad = [
      null,
      undefined,
      1.5,
      NaN,
      Infinity,
      2 ** 53,
      "x".repeat(MAX_ID_LENGTH + 1),
      "\ud800",
      "a\udc00",
      "\udc00\ud800",
      {},
      [],
      true,
      1n,
    ];
    expect(good.filter((id) => !isRequestId(id))).toEqual([]);
    expect(bad.filter(isRequestId)).toEqual([]);
  });

  it("a string that spells an integer becomes the integer, any other id stays unchanged", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (id) => {
        expect(coerceRequestId(`${id}`)).toBe(id);
        expect(coerceRequestId(`${id}.0`)).toBe(id);
      }),
    );
    for (const id of ["", "a", "1.5", "1.00", "1.", ".0", "1e3", " 1", "+1", "0x1", "9007199254740993", "1".repeat(17), 5])
      expect(coerceRequestId(id)).toBe(id);
  });
});

describe("JsonText", () => {
  it("is what it spells wherever it is serialised as part of something else", () => {
    expect(JSON.stringify({ a: [new JsonText('{ "b" : 1 }')] })).toBe('{"a":[{"b":1}]}');
  });
});
