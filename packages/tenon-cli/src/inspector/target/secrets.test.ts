import { expect, test } from "vitest";
import type { JSONRPCMessage } from "tenon";
import { withoutSecrets } from "./secrets.ts";

const OUT = "(left out)";

function shown(params: object): unknown {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as JSONRPCMessage; // params are any object
  return (withoutSecrets(message) as { params: unknown }).params;
}

test.each([
  ["a value under a name that says so", { apiKey: "abc", user: "ada" }, { apiKey: OUT, user: "ada" }],
  [
    "everything below such a name",
    { credentials: { user: "ada", keys: ["k1", 12345] } },
    { credentials: { user: OUT, keys: [OUT, OUT] } },
  ],
  [
    "the value of a pair whose name says so",
    { headers: [{ name: "Cookie", value: "a=b" }] },
    { headers: [{ name: "Cookie", value: OUT }] },
  ],
  ["JSON in a text", { text: '{"password":"sesame"}' }, { text: `{"password":"${OUT}"}` }],
  ["quotes in JSON in a text", { text: JSON.stringify({ password: 'se"same' }) }, { text: `{"password":"${OUT}"}` }],
  ["the same text elsewhere", { secret: "sesame", note: "say sesame" }, { secret: OUT, note: `say ${OUT}` }],
  ["a token after Bearer", { text: "Authorization: Bearer abc.d3f-9" }, { text: `Authorization: Bearer ${OUT}` }],
])("a message is shown without %s", (_, params, expected) => {
  expect(shown(params)).toEqual(expected);
});

test.each([
  [
    "the schema of a secret",
    { requestedSchema: { type: "object", properties: { password: { type: "string", minLength: 1234 } } } },
  ],
  ["counts of tokens", { maxTokens: 4096, usage: { inputTokens: 12345 } }],
  ["a progress token", { _meta: { progressToken: "progress-1" } }],
  ["words after Bearer", { text: "Use Bearer authentication" }],
])("%s is shown", (_, params) => {
  expect(shown(params)).toEqual(params);
});

test("what says which message it is stays, whatever is secret", () => {
  const message: JSONRPCMessage = {
    jsonrpc: "2.0",
    id: "tools",
    method: "tools/call",
    params: { name: "pay", password: "tools" },
  };
  expect(withoutSecrets(message)).toEqual({ ...message, params: { name: "pay", password: OUT } });
});
