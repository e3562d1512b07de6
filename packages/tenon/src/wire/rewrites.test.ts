import { describe, expect, test } from "vitest";
import { McpError } from "../jsonrpc/mcp-error.ts";
import { codecFor } from "./revisions.ts";

const first = codecFor("2024-11-05");
const second = codecFor("2025-03-26");
const third = codecFor("2025-06-18");
const fourth = codecFor("2025-11-25");
const text = { type: "text", text: "hello" };
const link = { type: "resource_link", uri: "file:///a", name: "a" };
const audio = { type: "audio", data: "", mimeType: "audio/wav" };

describe("blocks a revision does not have", () => {
  test("become text, never silence [K1.9]", () => {
    const result = { content: [text, link, audio] };
    const linkText = { type: "text", text: "file:///a" };
    expect(first.encodeResult("tools/call", result)).toEqual({
      content: [text, linkText, { type: "text", text: "[audio: audio/wav]" }],
    });
    expect(second.encodeResult("tools/call", result)).toEqual({ content: [text, linkText, audio] });
    expect(third.encodeResult("tools/call", result)).toBe(result);
    expect(first.encodeResult("prompts/get", { messages: [{ role: "user", content: link }] })).toEqual({
      messages: [{ role: "user", content: linkText }],
    });
  });

  test("the argument is not changed [A1.12]", () => {
    const result = Object.freeze({ content: Object.freeze([Object.freeze({ ...link, _meta: {} })]) });
    expect(second.encodeResult("tools/call", result)).toEqual({ content: [{ type: "text", text: "file:///a" }] });
  });

  test("a sampling message with several blocks becomes several messages [L2.3]", () => {
    const use = { type: "tool_use", id: "1", name: "add", input: { a: 1 } };
    const result = { type: "tool_result", toolUseId: "1", content: [text, link] };
    const params = {
      maxTokens: 1,
      tools: [],
      messages: [
        { role: "assistant", content: [text, use] },
        { role: "user", content: result },
      ],
    };
    expect(third.encodeParams("sampling/createMessage", params)).toEqual({
      maxTokens: 1,
      messages: [
        { role: "assistant", content: text },
        { role: "assistant", content: { type: "text", text: '[tool_use: add {"a":1}]' } },
        { role: "user", content: { type: "text", text: "hello\nfile:///a" } },
      ],
    });
    expect(fourth.encodeParams("sampling/createMessage", params)).toBe(params);
  });

  test("a sampling result has one block [TY-71]", () => {
    const result = { role: "assistant", model: "m", content: [text] };
    expect(third.encodeResult("sampling/createMessage", result)).toEqual({ ...result, content: text });
    expect(third.encodeResult("sampling/createMessage", { ...result, content: [text, text] })).toEqual({
      ...result,
      content: { type: "text", text: "hello\nhello" },
    });
    expect(fourth.encodeResult("sampling/createMessage", result)).toBe(result);
  });
});

describe("tools", () => {
  const tool = {
    name: "a",
    title: "A",
    icons: [],
    inputSchema: { type: "object", properties: { any: true, none: false, text: { type: "string" } }, $defs: {}, required: [] },
    outputSchema: { type: "array" },
    annotations: { readOnlyHint: true },
    execution: { taskSupport: "optional" },
    _meta: {},
  };
  const inputSchema = { ...tool.inputSchema, properties: { any: {}, none: { not: {} }, text: { type: "string" } } };

  test.each([
    [first, { name: "a", inputSchema }],
    [second, { name: "a", inputSchema, annotations: tool.annotations }],
    [third, { name: "a", title: "A", inputSchema, annotations: tool.annotations, _meta: {} }],
    [
      fourth,
      { name: "a", title: "A", icons: [], inputSchema, annotations: tool.annotations, execution: tool.execution, _meta: {} },
    ],
  ])("each revision sees its own members [K1.4 K1.6]", (codec, expected) => {
    expect(codec.encodeResult("tools/list", { tools: [tool] })).toEqual({ tools: [expected] });
  });

  test("the newest revision passes schemas on as they are [A8.4 K1.6]", () => {
    const [listed] = codecFor("2026-07-28").encodeResult("tools/list", { tools: [tool] })["tools"] as [Record<string, unknown>];
    expect(listed["inputSchema"]).toBe(tool.inputSchema);
    expect(listed["outputSchema"]).toBe(tool.outputSchema);
    expect(listed).not.toHaveProperty("execution");
  });

  test("structured content that is not an object is removed, its text stays [K1.7]", () => {
    const result = { content: [text], structuredContent: [1] };
    for (const codec of [first, second, third, fourth])
      expect(codec.encodeResult("tools/call", result)).toEqual({ content: [text] });
    expect(codecFor("2026-07-28").encodeResult("tools/call", result)).toMatchObject(result);
  });
});

describe("forms", () => {
  function form(property: object): Record<string, unknown> {
    return { mode: "form", message: "m", requestedSchema: { type: "object", properties: { p: property } } };
  }

  test("titled choices become enumNames, defaults go [L1.4]", () => {
    const property = { type: "string", oneOf: [{ const: "a", title: "A" }], default: "a", title: "P" };
    expect(third.encodeParams("elicitation/create", form(property))).toEqual({
      message: "m",
      requestedSchema: { type: "object", properties: { p: { type: "string", title: "P", enum: ["a"], enumNames: ["A"] } } },
    });
    expect(third.encodeParams("elicitation/create", form({ type: "boolean", default: true }))).toEqual({
      message: "m",
      requestedSchema: form({ type: "boolean", default: true })["requestedSchema"],
    });
  });

  test("a question whose members are not schemas passes as it is", () => {
    const question = form({});
    const properties = { p: 7, q: null };
    expect(third.encodeParams("elicitation/create", { ...question, requestedSchema: { type: "object", properties } })).toEqual({
      message: "m",
      requestedSchema: { type: "object", properties },
    });
  });

  test("what an old client cannot be asked is refused before it is sent [L1.1]", () => {
    expect(() => third.encodeParams("elicitation/create", form({ type: "array", items: { type: "string", enum: [] } }))).toThrow(
      McpError,
    );
    expect(() =>
      third.encodeParams("elicitation/create", { mode: "url", message: "m", url: "https://a", elicitationId: "1" }),
    ).toThrow(McpError);
  });
});
