import { describe, expect, test } from "vitest";
import { parseJsonRpcMessage } from "./parse.ts";

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
