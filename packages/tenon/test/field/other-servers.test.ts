/**
 * Servers that refuse each revision but their own, servers whose structured content is no object, and clients that encode the
 * URIs they were given.
 */
import { connect, McpServer, type Deviation, type JsonObject } from "tenon";
import { serveHttp } from "tenon/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { scriptedHttp } from "../http-client/scripted-http.ts";
import { closing } from "../support/matrix.ts";
import { oddServer } from "./odd-server.ts";

describe("a server that refuses the revision is asked for another one [FD-79]", () => {
  const refusals: readonly [string, JsonObject][] = [
    [
      "in data.supported",
      { code: -32602, message: "Unsupported protocol version", data: { supported: ["2025-03-26", "2025-06-18"] } },
    ],
    ["in its text", { code: -32602, message: "Unsupported protocol version: 2025-11-25 (expected 2025-06-18)" }],
    [
      "with the code of newer revisions",
      { code: -32022, message: "No", data: { supported: ["2025-06-18"], requested: "2025-11-25" } },
    ],
    ["as an invalid request", { code: -32600, message: "This server speaks 2025-06-18" }],
  ];

  async function strictServer(error: JsonObject, mine = "2025-06-18") {
    return scriptedHttp(({ method, message }, reply) => {
      if (method !== "POST") return reply.text("", 405);
      if (message["id"] === undefined) return reply.text("", 202);
      if (message["method"] === "tools/list") return reply.result({ tools: [] });
      if (message["method"] !== "initialize") return reply.error(-32601);
      if ((message["params"] as JsonObject)["protocolVersion"] !== mine)
        return reply.json({ jsonrpc: "2.0", id: message["id"], error });
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

  test.each([
    ["2025-06-18", 2],
    ["2024-11-05", 4],
  ])("one that names none is asked for each older one, the newest first: %s", async (mine, times) => {
    const { url, methods } = await strictServer({ code: -32602, message: "Unsupported protocol version: 2025-11-25" }, mine);
    expect((await closing(connect(url))).protocolVersion).toBe(mine);
    expect(methods.filter((method) => method === "initialize")).toHaveLength(times);
  });

  test("one that refuses the revision that it named, all of them, or something else, is not asked again", async () => {
    const refusals = ["Use 2025-03-26", "Unsupported protocol version", "Invalid request"];
    const servers = await Promise.all(refusals.map((message) => strictServer({ code: -32602, message }, "1999-01-01")));
    for (const [at, { url }] of servers.entries()) await expect(connect(url)).rejects.toThrow(refusals[at]);
    expect(servers.map(({ methods }) => methods.filter((method) => method === "initialize").length)).toEqual([2, 4, 1]);
  });

  test("one that refuses by HTTP 400 in a text that names what it speaks", async () => {
    const known = ["2025-06-18", "2025-03-26"];
    const { url } = await scriptedHttp(({ method, message, headers }, reply) => {
      if (method !== "POST") return reply.text("", 405);
      const asked =
        (message["params"] as { protocolVersion?: string } | undefined)?.protocolVersion ?? headers["mcp-protocol-version"];
      if (!known.includes(String(asked))) return reply.text(`Unsupported protocol version (supported: ${known.join()})`, 400);
      if (message["id"] === undefined) return reply.text("", 202);
      if (message["method"] === "tools/list") return reply.result({ tools: [] });
      return reply.result({ protocolVersion: asked, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
    });
    const client = await closing(connect(url));
    expect([client.protocolVersion, (await client.listTools()).tools]).toEqual(["2025-06-18", []]);
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

  test.each([[[1, 2]], ["text"], [7]])(
    "structured content %j is left out beside content, and told",
    async (structuredContent) => {
      const { client, deviations } = await reader({
        "tools/call": { content, structuredContent },
        "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
      });
      const result = await client.callTool("t");
      expect([result.text, "structuredContent" in result]).toEqual(["[1,2]", false]);
      expect(deviations).toMatchObject([{ kind: "left-out", method: "tools/call", path: "result.structuredContent" }]);
    },
  );

  test("a tool whose output schema is of an array is listed without it", async () => {
    const tools = [{ name: "t", inputSchema: { type: "object" }, outputSchema: { type: "array", items: {} } }];
    const { client, deviations } = await reader({
      "tools/list": { tools },
      "tools/call": { content, structuredContent: [1, 2] },
    });
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
  ["http://Example.com", "http://example.com/"],
  ["http://example.com/", "HTTP://Example.com"],
  ["http://example.com/?q=a", "http://example.com?q=a"],
  ["custom://Me@Host/x", "custom://Me@host/x"],
  ["file:///a%2fb", "file:///a%2Fb"],
  ["file:///a~b", "file:///a%7eb"],
])("a resource listed as %s is read as %s, by clients that encode or decode URIs [FD-81]", async (listed, asked) => {
  const server = new McpServer({ name: "s", version: "1" });
  server.resource(listed, {}, () => "found");
  server.resource("file:///docs/other.txt", {}, () => "other");
  const client = await connect(server);
  onTestFinished(() => client.close());
  expect((await client.readResource(asked)).contents).toMatchObject([{ text: "found" }]);
  await expect(client.readResource("file:///docs/%E6%97%A5.txt")).rejects.toThrow("Resource not found");
});

describe("a template is found by a URI in another spelling, with the same values [FD-84]", () => {
  async function read(templates: readonly string[], uri: string): Promise<unknown> {
    const server = new McpServer({ name: "s", version: "1" });
    for (const template of templates)
      server.resourceTemplate(template, {}, (values) => JSON.stringify([template, Object.values(values)]));
    const client = await closing(connect(server));
    const [content] = (await client.readResource(uri)).contents;
    return content !== undefined && "text" in content ? JSON.parse(content.text) : undefined;
  }

  test.each([
    ["file:///docs/café/{name}", "file:///docs/café/a.txt", "a.txt"],
    ["file:///docs/café/{name}", "file:///docs/caf%c3%a9/a.txt", "a.txt"],
    ["file:///docs/caf%c3%a9/{name}", "file:///docs/caf%C3%A9/a.txt", "a.txt"],
    ["file:///my docs/{name}", "file:///my docs/b.txt", "b.txt"],
    ["file:///my%20docs/{name}", "file:///my docs/ü b.txt", "ü b.txt"],
    ["custom://Host/{id}", "custom://host/Seven", "Seven"],
    ["http://Example.com/{+path}", "http://example.com/A/b", "A/b"],
    ["item://x/{id}", "item://x/100%", "100%"],
  ])("%s by %s", async (template, uri, value) => {
    expect(await read([template], uri)).toEqual([template, [value]]);
  });

  test("the exact spelling has priority, and what is another URI is not found", async () => {
    expect(await read(["x://host/{a}", "x://Host/{b}"], "x://Host/1")).toEqual(["x://Host/{b}", ["1"]]);
    await expect(read(["x://host/A/{a}"], "x://host/a/1")).rejects.toThrow("Resource not found");
    await expect(read(["x://host/a%2Fb/{a}"], "x://host/a/b/1")).rejects.toThrow("Resource not found");
  });
});

describe("a revision that Tenon does not know, and that is older than the newest [FD-85]", () => {
  test.each([
    ["2024-10-07", "2024-11-05"],
    ["2025-05-01", "2025-03-26"],
  ])("a server of %s is spoken to in %s, and told", async (version, spoken) => {
    const deviations: Deviation[] = [];
    const url = await oddServer((method) => (method === "tools/list" ? { tools: [] } : undefined), { version });
    const client = await closing(connect(url, { onDeviation: (deviation) => void deviations.push(deviation) }));
    expect([client.protocolVersion, (await client.listTools()).tools]).toEqual([spoken, []]);
    expect(deviations).toMatchObject([{ kind: "old-revision", path: "result.protocolVersion" }]);
    await expect(connect(url, { strict: true })).rejects.toThrow(`Unsupported protocol version from the server: ${version}`);
  });

  test.each(["2099-01-01", "DRAFT-2025-v3", "1.0"])("a server of %s is refused", async (version) => {
    await expect(connect(await oddServer(() => undefined, { version }))).rejects.toThrow(
      `Unsupported protocol version from the server: ${version}`,
    );
  });

  test.each([
    ["2024-10-07", "2024-11-05"],
    ["2025-05-01", "2025-03-26"],
    ["2099-01-01", "2025-11-25"],
    ["1.0", "2025-11-25"],
  ])("a client of %s gets %s", async (protocolVersion, answered) => {
    const http = await serveHttp(new McpServer({ name: "s", version: "1" }), { port: 0 });
    onTestFinished(() => http.close());
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const response = await fetch(http.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    expect(await response.json()).toMatchObject({ result: { protocolVersion: answered } });
  });
});
