import { expect, test } from "vitest";
import { parseJsonRpcMessage, type JSONRPCMessage } from "tenon";
import { deviationsOf } from "./wire-log.ts";

const tool = { name: "t", title: null, inputSchema: { type: "object", properties: [] } };

test("a message that deviates is shown with each place, and one that conforms without any [FD-04 FD-38]", () => {
  const listed = { jsonrpc: "2.0", id: 1, result: { tools: [tool] } } as JSONRPCMessage;
  expect(deviationsOf(listed, "tools/list", "2025-06-18")).toEqual([
    "result.tools[0].title is null",
    "result.tools[0].inputSchema.properties is an empty list, not an object",
  ]);
  expect(deviationsOf({ jsonrpc: "2.0", id: 1, result: { tools: [] } }, "tools/list", "2025-06-18")).toEqual([]);
});

test("before a revision is agreed, the result of the handshake names it [FD-38]", () => {
  const result = { protocolVersion: "2025-06-18", capabilities: [], serverInfo: { name: "s", version: "1" } };
  const opened = { jsonrpc: "2.0", id: 1, result } as JSONRPCMessage;
  expect(deviationsOf(opened, "initialize", "")).toEqual(["result.capabilities is an empty list, not an object"]);
});

test("a message that cannot be read is shown with the reason [FD-35]", () => {
  const call: JSONRPCMessage = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 7 } };
  expect(deviationsOf(call, "tools/call", "2025-06-18")).toEqual(["Invalid request parameters: params.name is not a string"]);
});

test("what was mended beside the params, and a question of a later revision, are shown too [FD-03 FD-31 FD-08]", () => {
  const listed = parseJsonRpcMessage('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}');
  expect(deviationsOf(listed, "tools/list", "2025-06-18")).toEqual(['"params" of the message is null']);
  const done = parseJsonRpcMessage('{"jsonrpc":"2.0","id":1,"result":{"tools":[]},"error":null}');
  expect(deviationsOf(done, "tools/list", "2025-06-18")).toEqual(['"error" of the message is null']);
  const question: JSONRPCMessage = { jsonrpc: "2.0", id: 1, method: "elicitation/create", params: {} };
  const sentence = '"elicitation/create" is a question that revision 2024-11-05 does not have';
  expect(deviationsOf(question, "elicitation/create", "2024-11-05")).toEqual([sentence]);
  expect(deviationsOf(question, "no/such", "2024-11-05")).toEqual([]);
});
