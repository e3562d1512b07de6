import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toMalformedMessage } from "./malformed-text.ts";
import { ErrorCode, McpError } from "./mcp-error.ts";
import { isRequestId } from "./message.ts";

/** Any text, lone surrogates included, ASCII half of the time. */
const anyText = fc.array(fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0xffff }))).map((units) => String.fromCharCode(...units));

const invalid = new McpError(ErrorCode.InvalidRequest, "Invalid message");
const notJson = new McpError(ErrorCode.ParseError, "Parse error");

describe("malformedText", () => {
  it("reads the same id and direction as a parser would, and nothing from below the outermost object [F2]", () => {
    const member = fc.constantFrom("id", "method", "result", "error", "params", "ID", 'i"d', "jsonrpc");
    const inner = fc.jsonValue().map((value) => ({ id: 9, method: "m", result: value, "}": '{"id":8,' }));
    const value = fc.oneof(fc.constantFrom<unknown>(1, -5, "x", '"\\', ",", null, 1.5, true, ""), fc.jsonValue(), inner, anyText);
    const members = fc.uniqueArray(fc.tuple(member, value), { selector: ([key]) => key, maxLength: 6 });
    fc.assert(
      fc.property(members, fc.constantFrom(undefined, 1, "\t"), (list, indent) => {
        const text = JSON.stringify(Object.fromEntries(list), null, indent);
        const model = JSON.parse(text) as Record<string, unknown>;
        expect(toMalformedMessage(invalid, `\n ${text}`)).toMatchObject({
          error: invalid,
          id: isRequestId(model["id"]) ? model["id"] : null,
          isResponse: !("method" in model) && ("result" in model || "error" in model),
        });
      }),
      { numRuns: 3000 },
    );
  });

  it("finds an id in text that is not JSON only if it looks like a response [F1]", () => {
    expect(toMalformedMessage(notJson, '{"id":1,"method":"m"')).toMatchObject({ id: null, isResponse: false });
    expect(toMalformedMessage(notJson, '{"id":1,"result":{"a"')).toMatchObject({ id: 1, isResponse: true });
  });

  it.each([
    '{"result":{},"id":1',
    '{"result":{},"id":"1',
    '{"result":{},"id":',
    '{"result":{},"id"',
    '{"result":{},"id":1x}',
    '{"result":{},"id":[1]}',
  ])("does not take a part of an id as the id: %s [F3]", (text) => {
    expect(toMalformedMessage(invalid, text)).toMatchObject({ id: null, isResponse: true });
  });

  it.each(["", "[]", '["id":1]', '[{"id":1,"result":{}}]', "null", '"id":1', "\u0000"])(
    "reads nothing from %j, which is no object",
    (text) => {
      expect(toMalformedMessage(invalid, text)).toMatchObject({ id: null, isResponse: false });
    },
  );

  it("looks at the beginning only, however long the text [rule R6]", () => {
    const long = `"${"x".repeat(70_000)}"`;
    expect(toMalformedMessage(invalid, `{"id":1,"result":{"a":${long}}}`)).toMatchObject({ id: 1, isResponse: true });
    expect(toMalformedMessage(invalid, `{"result":{"a":${long}},"id":1}`)).toMatchObject({ id: null, isResponse: true });
  });

  it("never throws, and never makes up an id [F1 F3]", () => {
    const text = fc
      .array(fc.constantFrom(...'{}[]":,\\ 1x', '"id":', '"id":1,', '"result"'), { maxLength: 30 })
      .map((parts) => `{${parts.join("")}`);
    fc.assert(
      fc.property(text, (input) => {
        const { id } = toMalformedMessage(invalid, input);
        expect(id === null || (isRequestId(id) && input.includes(JSON.stringify(id)))).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});
