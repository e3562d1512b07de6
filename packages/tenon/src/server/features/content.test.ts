import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { McpError } from "../../jsonrpc/mcp-error.ts";
import { toStructured, toToolResult } from "./call-tool.ts";
import { audio, file, image, resourceLink, text, toBase64 } from "./content.ts";
import { InvalidToolInputError, ToolError } from "./tool-error.ts";

describe("building content [K1.9]", () => {
  const bytes = new Uint8Array([0, 255, 128]);

  it("makes the protocol's blocks", () => {
    expect(text("a")).toEqual({ type: "text", text: "a" });
    expect(text("a", { annotations: { priority: 1 }, _meta: { k: 1 } })).toEqual({
      type: "text",
      text: "a",
      annotations: { priority: 1 },
      _meta: { k: 1 },
    });
    expect(image(bytes, "image/png")).toEqual({ type: "image", data: "AP+A", mimeType: "image/png" });
    expect(audio("AP+A", "audio/wav")).toEqual({ type: "audio", data: "AP+A", mimeType: "audio/wav" });
    expect(file("file:///a.txt", "")).toEqual({ type: "resource", resource: { uri: "file:///a.txt", text: "" } });
    expect(file("file:///a.bin", bytes, "application/octet-stream", { _meta: {} })).toEqual({
      type: "resource",
      resource: { uri: "file:///a.bin", mimeType: "application/octet-stream", blob: "AP+A" },
      _meta: {},
    });
    expect(resourceLink({ uri: "file:///a", name: "a", size: 3 })).toEqual({
      type: "resource_link",
      uri: "file:///a",
      name: "a",
      size: 3,
    });
  });

  it("encodes bytes as the platform does, also over many chunks and in views", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (each) => {
        expect(toBase64(each)).toBe(Buffer.from(each).toString("base64"));
      }),
    );
    const large = new Uint8Array(100_001).map((_, i) => i * 7);
    expect(toBase64(large)).toBe(Buffer.from(large).toString("base64"));
    expect(toBase64(large.subarray(5, 30_000))).toBe(Buffer.from(large.subarray(5, 30_000)).toString("base64"));
  });
});

describe("what a tool returns [K1.7 K1.8]", () => {
  const block = text("a");

  it.each<[string, unknown, unknown]>([
    ["a string is text", "a", { content: [block] }],
    ["the empty string is text", "", { content: [text("")] }],
    ["a number is text", 0, { content: [text("0")] }],
    ["a boolean is text", false, { content: [text("false")] }],
    ["a bigint is text", 2n ** 64n, { content: [text("18446744073709551616")] }],
    ["null is text", null, { content: [text("null")] }],
    ["nothing is no content", undefined, { content: [] }],
    ["a block is content", block, { content: [block] }],
    ["blocks are content", [block, image("AA==", "image/png")], { content: [block, image("AA==", "image/png")] }],
    ["an object is structured", { sum: 3 }, { content: [text('{"sum":3}')], structuredContent: { sum: 3 } }],
    ["an array is structured", [1], { content: [text("[1]")], structuredContent: [1] }],
    ["an empty array is structured", [], { content: [text("[]")], structuredContent: [] }],
    [
      "an object that looks a little like a block is structured",
      { type: "text", body: "a" },
      { content: [text('{"type":"text","body":"a"}')], structuredContent: { type: "text", body: "a" } },
    ],
    [
      "an object with content of its own is structured",
      { content: ["a"] },
      { content: [text('{"content":["a"]}')], structuredContent: { content: ["a"] } },
    ],
    [
      "an object with empty content and more is structured",
      { content: [], rows: 0 },
      { content: [text('{"content":[],"rows":0}')], structuredContent: { content: [], rows: 0 } },
    ],
    [
      "blocks among other things are structured",
      [block, 1],
      { content: [text('[{"type":"text","text":"a"},1]')], structuredContent: [block, 1] },
    ],
  ])("%s", (_title, value, expected) => expect(toToolResult(value)).toEqual(expected));

  it.each<[string, unknown]>([
    ["with content", { content: [block] }],
    ["with an error", { content: [block], isError: true }],
    ["with no content", { content: [] }],
    ["with everything", { content: [], structuredContent: 0, _meta: {} }],
    ["of another kind", { resultType: "input_required", requestState: "s" }],
  ])("a whole result %s is passed on as the same object", (_title, value) => {
    expect(toToolResult(value)).toBe(value);
  });

  it.each<[string, unknown]>([
    ["that it failed", { isError: true }],
    ["what is structured", { structuredContent: { a: 1 } }],
    ["an invalid block", { content: [{ type: "text" }] }],
    ["content that is not a list", { content: text("a") }],
    ["content that is not a list, with isError", { content: "a", isError: true }],
  ])("what says only %s, in the members of a result, is one, right or wrong [K1.8]", (_title, value) =>
    expect(toToolResult(value)).toBe(value),
  );

  it.each<[string, object]>([
    ["isError", { isError: true, rows: 2 }],
    ["structuredContent", { structuredContent: {}, rows: 2 }],
    ["a list with a type", { content: [{ type: "paragraph" }] }],
    ["text", { content: "a" }],
  ])("a value of the tool's own that happens to have %s is a value", (_title, value) =>
    expect(toToolResult(value)).toMatchObject({ structuredContent: value }),
  );

  it("a value of the tool's own that happens to have a resultType is a value", () => {
    expect(toToolResult({ resultType: "table", rows: 2 })).toMatchObject({ structuredContent: { resultType: "table", rows: 2 } });
  });

  it.each<[unknown, string]>([
    ["a", '"a"'],
    [0, "0"],
    [null, "null"],
    [[block], '[{"type":"text","text":"a"}]'],
    [{ sum: 3 }, '{"sum":3}'],
  ])("with an output schema, %j is structured", (value, json) =>
    expect(toStructured(value)).toEqual({ content: [text(json)], structuredContent: value }),
  );

  it("nothing has no structured content [CS-54]", () => expect(toToolResult(undefined)).not.toHaveProperty("structuredContent"));

  it.each<[string, unknown]>([
    ["bytes", new Uint8Array(1)],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a cycle", cycle()],
  ])("%s is the tool's bug", (_title, value) => {
    expect(() => toToolResult(value)).toThrow(TypeError);
  });

  function cycle(): object {
    const value: Record<string, unknown> = {};
    value["self"] = value;
    return value;
  }
});

describe("failures the model reads [K1.10]", () => {
  it("carry their text and whatever else they were given", () => {
    expect(new ToolError("No seats").toResult()).toEqual({ content: [text("No seats")], isError: true });
    expect(new ToolError("No seats", { content: [text("try later")], structuredContent: { free: 0 } }).toResult()).toEqual({
      content: [text("No seats"), text("try later")],
      structuredContent: { free: 0 },
      isError: true,
    });
  });

  it("keep their cause to themselves [R11]", () => {
    const error = new ToolError("No seats", { cause: new Error("password=secret") });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(error.toResult())).not.toContain("secret");
  });

  it("invalid arguments are -32602, and say what the revision makes of them", () => {
    const error = new InvalidToolInputError("add", "a: must be number", "result");
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({
      code: -32602,
      message: 'Invalid arguments for tool "add": a: must be number',
      tool: "add",
      reportedAs: "result",
    });
  });
});
