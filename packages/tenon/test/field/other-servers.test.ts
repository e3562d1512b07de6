/** Servers that refuse each revision but their own, servers whose structured content is no object, and clients that encode the URIs they were given. */
import { connect, McpServer, type Deviation, type JsonObject } from "tenon";
import { describe, expect, onTestFinished, test } from "vitest";
import { scriptedHttp } from "../http-client/scripted-http.ts";
import { closing } from "../support/matrix.ts";
import { oddServer } from "./odd-server.ts";

describe("a server that refuses the revision and names its own is asked for that, once [FD-79]", () => {
  const refusals: readonly [string, JsonObject][] = [
    ["in data.supported", { code: -32602, message: "Unsupported protocol version", data: { supported: ["2025-03-26", "2025-06-18"] } }],
    ["in its text", { code: -32602, message: "Unsupported protocol version: 2025-11-25 (expected 2025-06-18)" }],
    ["with the code of newer revisions", { code: -32022, message: "No", data: { supported: ["2025-06-18"], requested: "2025-11-25" } }],
    ["as an invalid request", { code: -32600, message: "This server speaks 2025-06-18" }],
  ];

  async function strictServer(error: JsonObject, mine = "2025-06-18") {
    return scriptedHttp(({ method, message }, reply) => {
      if (method !== "POST") return reply.text("", 405);
      if (message["id"] === undefined) return reply.text("", 202);
      if (message["method"] === "tools/list") return reply.result({ tools: [] });
      if (message["method"] !== "initialize") return reply.error(-32601);
      if ((message["params"] as JsonObject)["protocolVersion"] !== mine) return reply.json({ jsonrpc: "2.0", id: message["id"], error });
      return reply.result({ protocolVersion: mine, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
    });
  }

  test.each(refusals)("%s", async (_where, error) => {
    const { url, methods } = await strictServer(error);
    const client = await closing(connect(url));
    expect(client.protocolVersion).toBe("2025-06-18");
    expect((await client.listTools()).tools).toEqual([]);
    expect(methods.filter((method) => method === "initialize")).toHaveLength(2);
  });

  test("one that names none, or refuses again, is not asked again", async () => {
    const none = await strictServer({ code: -32602, message: "Unsupported protocol version: 2025-11-25" });
    await expect(connect(none.url)).rejects.toThrow("Unsupported protocol version");
    const again = await strictServer({ code: -32602, message: "Use 2025-03-26" });
    await expect(connect(again.url)).rejects.toThrow("Use 2025-03-26");
    expect([none, again].map(({ methods }) => methods.filter((method) => method === "initialize").length)).toEqual([1, 2]);
  });

  test("a revision that the program asks for is not replaced", async () => {
    const { url, methods } = await strictServer({ code: -32602, message: "Use 2025-06-18" });
    await expect(connect(url, { revision: "2025-03-26" })).rejects.toThrow("Use 2025-06-18");
    expect(methods.filter((method) => method === "initialize")).toHaveLength(1);
  });
});

describe("structured content or an output schema that is not an object costs neither the result nor the tool [FD-80]", () => {
  const content = [{ type: "text", text: "[1,2]" }];

  async function reader(results: Readonly<Record<string, JsonObject>>, options: { readonly strict?: boolean } = {}) {
    const deviations: Deviation[] = [];
    const url = await oddServer((method) => results[method]);
    const client = await closing(connect(url, { onDeviation: (deviation) => void deviations.push(deviation), ...options }));
    return { client, deviations };
  }

  test.each([[[1, 2]], ["text"], [7]])("structured content %j is left out beside content, and told", async (structuredContent) => {
    const { client, deviations } = await reader({
      "tools/call": { content, structuredContent },
      "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
    });
    const result = await client.callTool("t");
    expect([result.text, "structuredContent" in result]).toEqual(["[1,2]", false]);
    expect(deviations).toMatchObject([{ kind: "left-out", method: "tools/call", path: "result.structuredContent" }]);
  });

  test("a tool whose output schema is of an array is listed without it", async () => {
    const tools = [{ name: "t", inputSchema: { type: "object" }, outputSchema: { type: "array", items: {} } }];
    const { client, deviations } = await reader({ "tools/list": { tools }, "tools/call": { content, structuredContent: [1, 2] } });
    expect((await client.listTools()).tools).toEqual([{ name: "t", inputSchema: { type: "object" } }]);
    expect(deviations).toMatchObject([{ kind: "left-out", path: "result.tools[0].outputSchema" }]);
    expect((await client.callTool("t")).text).toBe("[1,2]");
  });

  test("it is refused where nothing else says it, and by a strict client", async () => {
    const alone = await reader({ "tools/call": { structuredContent: [1, 2] } });
    await expect(alone.client.callTool("t")).rejects.toThrow("structuredContent");
    const strict = await reader({ "tools/call": { content, structuredContent: [1, 2] } }, { strict: true });
    await expect(strict.client.callTool("t")).rejects.toThrow("structuredContent");
  });
});

test.each([
  ["file:///docs/日本.txt", "file:///docs/%E6%97%A5%E6%9C%AC.txt"],
  ["file:///docs/日本.txt", "file:///docs/%e6%97%a5%e6%9c%ac.txt#top"],
  ["file:///my docs/a.txt", "file:///my%20docs/a.txt"],
  ["file:///my%20docs/a.txt", "file:///my docs/a.txt"],
])("a resource listed as %s is read as %s, by clients that encode or decode URIs [FD-81]", async (listed, asked) => {
  const server = new McpServer({ name: "s", version: "1" });
  server.resource(listed, {}, () => "found");
  server.resource("file:///docs/other.txt", {}, () => "other");
  const client = await connect(server);
  onTestFinished(() => client.close());
  expect((await client.readResource(asked)).contents).toMatchObject([{ text: "found" }]);
  await expect(client.readResource("file:///docs/%E6%97%A5.txt")).rejects.toThrow("Resource not found");
});
