import { describe, expect, test } from "vitest";
import { argumentMismatch, decodeHeader } from "./mirrored-headers.ts";

const SCHEMA = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    level: { type: "integer", "x-mcp-header": "Level" },
    dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
    where: { type: "object", properties: { zone: { type: "string", "x-mcp-header": "Zone" } } },
  },
};

const faultOf = (
  args: unknown,
  headers: Record<string, string> = {},
  schema: Record<string, unknown> = SCHEMA,
): string | undefined => argumentMismatch({ header: (name) => headers[name] }, schema, args)?.message;

describe("arguments and their headers [F3.5]", () => {
  test.each([
    ["nothing at all", {}, {}],
    ["no arguments", undefined, {}],
    ["a null, which has no header", { region: null }, {}],
    ["text", { region: "eu" }, { "mcp-param-region": "eu" }],
    ["the empty text", { region: "" }, { "mcp-param-region": "" }],
    ["text in base64", { region: "Zürich" }, { "mcp-param-region": "=?base64?WsO8cmljaA==?=" }],
    ["text that looks like base64 without its marks", { region: "SGVsbG8=" }, { "mcp-param-region": "SGVsbG8=" }],
    ["an integer", { level: 42 }, { "mcp-param-level": "42" }],
    ["an integer written with decimals", { level: -42 }, { "mcp-param-level": "-42.0" }],
    ["a boolean", { dry: false }, { "mcp-param-dry-run": "false" }],
    ["a nested argument", { where: { zone: "b" } }, { "mcp-param-zone": "b" }],
    ["a header of an argument the schema does not have", {}, { "mcp-param-other": "x" }],
  ])("%s", (_what, args, headers) => {
    expect(faultOf(args, headers)).toBeUndefined();
  });

  test.each([
    ["is missing", "the argument has none", { region: "eu" }, {}],
    ["does not match the body", "it matchesHeader something else", { region: "eu" }, { "mcp-param-region": "us" }],
    ["does not match the body", "the argument is not there", {}, { "mcp-param-region": "eu" }],
    ["does not match the body", "the argument is null", { region: null }, { "mcp-param-region": "null" }],
    ["does not match the body", "its base64 lacks padding", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }],
    ["does not match the body", "its base64 is invalid", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVs!!!bG8=?=" }],
    ["does not match the body", "its case differs", { dry: true }, { "mcp-param-dry-run": "True" }],
    ["does not match the body", "it is no decimal number", { level: 42 }, { "mcp-param-level": "0x2a" }],
    ["does not match the body", "it is empty", { level: 0 }, { "mcp-param-level": "" }],
    [
      "does not match the body",
      "a prototype has the argument",
      { where: Object.create({ zone: "b" }) as object },
      { "mcp-param-zone": "b" },
    ],
  ])("a header %s: %s", (fault, _why, args, headers) => {
    expect(faultOf(args, headers)).toContain(fault);
  });

  test("a schema whose annotations are wrong mirrors nothing: clients leave the tool out [F3.2]", () => {
    const schema = {
      type: "object",
      properties: { size: { type: "number", "x-mcp-header": "Size" }, region: SCHEMA.properties.region },
    };
    expect(faultOf({ size: 1, region: "eu" }, {}, schema)).toBeUndefined();
  });
});

test("a header value is text as it is, or base64 of UTF-8 between its marks [F2.7]", () => {
  expect(decodeHeader("plain text")).toBe("plain text");
  expect(decodeHeader("=?base64?SGVsbG8=?=")).toBe("Hello");
  expect(decodeHeader("=?base64??=")).toBe("");
  expect(decodeHeader("=?base64?/w==?=")).toBeUndefined();
  expect(decodeHeader("naïve")).toBeUndefined();
});
