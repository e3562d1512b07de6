/** What a gateway takes out of the `_meta` of requests and results, because it belongs to one connection. */
import { expect, it } from "vitest";
import { withoutReserved, withoutServerInfo } from "./meta.ts";

const SERVER = { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } };

it("a result loses the server's name and the mark of a complete result, and nothing else", () => {
  const content = [{ type: "text", text: "a" }];
  expect(withoutServerInfo({ content, resultType: "complete" })).toEqual({ content });
  expect(withoutServerInfo({ content, resultType: "complete", _meta: { own: 1 } })).toEqual({ content, _meta: { own: 1 } });
  expect(withoutServerInfo({ content, _meta: { ...SERVER, own: 1 } })).toEqual({ content, _meta: { own: 1 } });
  expect(withoutServerInfo({ content, _meta: { ...SERVER } })).toEqual({ content });
  expect(withoutServerInfo({ resultType: "input_required", _meta: { ...SERVER } })).toEqual({ resultType: "input_required" });
  const plain = { content, resultType: "task", _meta: { own: 1 } };
  expect(withoutServerInfo(plain)).toBe(plain);
});

it("a request loses what the client said to the gateway about itself", () => {
  const params = { name: "a", _meta: { progressToken: 1, "io.modelcontextprotocol/clientInfo": { name: "c" }, "x/own": 2 } };
  expect(withoutReserved(params)).toEqual({ name: "a", _meta: { "x/own": 2 } });
  expect(withoutReserved({ name: "a", _meta: { progressToken: 1 } })).toEqual({ name: "a" });
  const plain = { name: "a" };
  expect(withoutReserved(plain)).toBe(plain);
});
