import { expect, test } from "vitest";
import { stringifyNotification } from "../../../jsonrpc/serialise.ts";
import { messageText } from "./message-text.ts";

test.each([
  { jsonrpc: "2.0", method: "notifications/x" },
  { jsonrpc: "2.0", method: "notifications/x", params: { a: [1, "\u2028\n"], b: { c: null } } },
  { jsonrpc: "2.0", method: 'a"b\\', params: {} },
  { jsonrpc: "2.0", id: 1, method: "roots/list" },
  { jsonrpc: "2.0", method: "notifications/x", params: Object.freeze({ uri: "a" }) },
] as const)("what is written is the message: %j", (message) => {
  expect(messageText(message)).toBe(JSON.stringify(message));
  expect(messageText(message)).toBe(JSON.stringify(message));
});

test("responses and requests are never taken for one another", () => {
  const messages = [
    { jsonrpc: "2.0", id: 1, result: { a: 1 } },
    { jsonrpc: "2.0", id: 2, result: { a: 2 } },
    { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no" } },
    { jsonrpc: "2.0", id: 3, method: "roots/list", params: Object.freeze({ _meta: {} }) },
    { jsonrpc: "2.0", id: 4, method: "roots/list" },
  ] as const;
  for (const message of messages) expect(messageText(message)).toBe(JSON.stringify(message));
});

test("what is frozen is serialised once a method; what is not, each time [U3]", () => {
  const frozen = Object.freeze({ uri: "a" });
  expect(messageText({ jsonrpc: "2.0", method: "n/a", params: frozen })).toBe(stringifyNotification("n/a", { uri: "a" }));
  expect(messageText({ jsonrpc: "2.0", method: "n/b", params: frozen })).toBe(stringifyNotification("n/b", { uri: "a" }));
  const changing = { uri: "a" };
  messageText({ jsonrpc: "2.0", method: "n/a", params: changing });
  changing.uri = "b";
  expect(messageText({ jsonrpc: "2.0", method: "n/a", params: changing })).toContain('"b"');
});
