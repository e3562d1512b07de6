import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeHeaderValue, isHeaderId } from "./headers.ts";

/** Decodes a header as a server does (MCP 2026-07-28, Transports, Encoding of parameter values). */
function decode(value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value);
  return encoded ? Buffer.from(encoded[1]!, "base64").toString() : value;
}

describe("values of mirrored headers [F2.7]", () => {
  test.each(["us-west1", "", "a b", "!~", "=?base64?", "?=", "=?BASE64?eA==?="])("%j stands as it is", (value) => {
    expect(encodeHeaderValue(value)).toBe(value);
  });

  test.each([
    ["Zürich", "=?base64?WsO8cmljaA==?="],
    [" a", "=?base64?IGE=?="],
    ["a ", "=?base64?YSA=?="],
    [" ", "=?base64?IA==?="],
    ["a\tb", "=?base64?YQli?="],
    ["a\r\nX: y", "=?base64?YQ0KWDogeQ==?="],
    ["\x7F", "=?base64?fw==?="],
    ["=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
  ])("%j is encoded", (value, encoded) => {
    expect(encodeHeaderValue(value)).toBe(encoded);
  });

  test("any text comes back, and every value is a legal one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const value = encodeHeaderValue(text);
        expect(decode(value)).toBe(text);
        expect(new Headers({ x: value }).get("x")).toBe(value);
      }),
    );
  });
});

test("ids of sessions and events are visible ASCII of at most 1 KiB [E4.1 C11]", () => {
  for (const id of ["a", "!~", "x".repeat(1024)]) expect(isHeaderId(id)).toBe(true);
  for (const id of ["", "a b", "\t", "x".repeat(1025), "é", "a\n", "\x7F"]) expect(isHeaderId(id)).toBe(false);
});
