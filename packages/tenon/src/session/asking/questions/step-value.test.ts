import { describe, expect, test } from "vitest";
import { McpUsageError } from "../../../jsonrpc/mcp-error.ts";
import { toStepValue } from "./step-value.ts";

/** What a step may return: what comes back from JSON as it was. */
describe("the value of a step", () => {
  test.each<[string, unknown]>([
    ["null", null],
    ["a text", "x"],
    ["an empty text", ""],
    ["zero", 0],
    ["a number", 1.5],
    ["a boolean", false],
    ["a list", [1, [null, "x"], { a: [] }]],
    ["an object", { a: { b: null }, c: [] }],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 })],
  ])("is kept as it is: %s", (_what, value) => {
    const { text, value: copy } = toStepValue("s", value);
    expect(text).toBe(JSON.stringify(value));
    expect(copy).toEqual(value);
    if (typeof value === "object" && value !== null) expect(copy).not.toBe(value);
  });

  test("may be nothing, or lack members that are undefined; minus zero is zero", () => {
    expect(toStepValue("s", undefined)).toEqual({ text: undefined, value: undefined });
    expect(toStepValue("s", { a: 1, gone: undefined })).toEqual({ text: '{"a":1}', value: { a: 1 } });
    expect(toStepValue("s", -0)).toEqual({ text: "0", value: 0 });
  });

  test.each<[string, unknown, string]>([
    ["no number", Number.NaN, ""],
    ["infinity", { a: Infinity }, " at .a"],
    ["a function", () => 1, ""],
    ["a symbol", Symbol("s"), ""],
    ["nothing in a list", { a: [1, undefined] }, " at .a[1]"],
    ["a date", new Date(0), ""],
    ["a date in a list", [{ day: new Date(0) }], " at [0].day"],
    ["a map", { a: new Map([[1, 2]]) }, " at .a"],
    ["bytes", new Uint8Array(2), ""],
    ["an object that makes another text of itself", { a: { toJSON: () => "x" } }, " at .a"],
    ["an object that makes null of itself", { a: { toJSON: () => null } }, " at .a"],
    ["an object that makes a list of itself", { a: { toJSON: () => [] } }, " at .a"],
    ["a list that makes an object of itself", { a: Object.assign([], { toJSON: () => ({}) }) }, " at .a"],
  ])("is refused by the name of the step and of the member if JSON would change it: %s", (_what, value, where) => {
    expect(() => toStepValue("charge", value)).toThrow(
      new McpUsageError(`The value of step "charge" does not survive JSON${where}`),
    );
  });

  test.each<[string, unknown]>([
    ["a big integer", 1n],
    [
      "a circle",
      (() => {
        const circle: { own?: unknown } = {};
        circle.own = circle;
        return circle;
      })(),
    ],
  ])("is refused by the name of the step if it has no JSON form: %s", (_what, value) => {
    expect(() => toStepValue("charge", value)).toThrow(new McpUsageError('The value of step "charge" has no JSON form'));
    expect(() => toStepValue("charge", value)).toThrow(
      expect.objectContaining({ cause: expect.any(TypeError) as TypeError }) as Error,
    );
  });
});
