/** Results of handlers that no client could read: they are not sent, and the operator gets the reason. */
import { expect, it } from "vitest";
import { image, type McpServer, text, type McpError } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const picture = { type: "image", data: "AA==" };

describeMatrix("Malformed results of handlers", ({ connect }) => {
  const reports: McpError[] = [];
  function createServer(): McpServer {
    reports.length = 0;
    return testServer({ onError: (error) => void reports.push(error as McpError) });
  }

  it.each<[string, object, string]>([
    ["a block without its text", { content: [{ type: "text" }] }, ".content[0]"],
    ["a second block without its text", { content: [text("a"), { type: "text" }] }, ".content[1]"],
    ["a picture of no type", { content: [picture] }, ".content[0]"],
    ["a picture of no type, as a block", picture, ".content[0]"],
    ["a picture of no type among blocks", [text("a"), picture], ".content[1]"],
    ["content that is not a list", { content: "failed", isError: true }, ".content is not a list"],
    ["isError that is not a boolean", { content: [text("a")], isError: "yes" }, ".isError is not a boolean"],
    ["_meta that is not an object", { content: [text("a")], _meta: "m" }, "._meta is not an object"],
  ])("%s fails the call, and only the operator hears why [R10 K1.8 K1.9]", async (_title, returned, why) => {
    const server = createServer();
    server.tool("odd", {}, () => returned);
    server.tool("fine", {}, () => "fine");
    const client = await connect(server);
    const failure = await failureOf(client.callTool("odd"));
    expect(failure).toMatchObject({ code: -32603, message: expect.stringContaining(`"odd"`) });
    expect(failure.message).not.toContain("[");
    expect(reports).toEqual([
      expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringContaining(why) }) }),
    ]);
    expect((await client.callTool("fine")).text).toBe("fine");
  });

  it("messages of prompts [R10 K3.1 K3.3]", async () => {
    const server = createServer();
    server.prompt("odd", {}, () => ({ messages: [{ role: "robot", content: text("a") }] }) as never);
    server.prompt("hollow", {}, () => ({ role: "user", content: { type: "text" } }) as never);
    const client = await connect(server);
    for (const name of ["odd", "hollow"]) {
      expect(await failureOf(client.getPrompt(name))).toMatchObject({
        code: -32603,
        message: expect.stringContaining(`"${name}"`),
      });
    }
    expect(reports.map(({ cause }) => String(cause))).toEqual([
      expect.stringContaining(".messages[0].role"),
      expect.stringContaining(".messages[0].content"),
    ]);
  });

  it("contents of resources [R10 K2.1]", async () => {
    const server = createServer();
    server.resource("a://odd", {}, () => ({ mimeType: "text/plain" }) as never);
    server.resource("a://number", {}, () => ({ contents: [{ uri: "a://number", text: 1 }] }) as never);
    const client = await connect(server);
    for (const uri of ["a://odd", "a://number"]) {
      expect(await failureOf(client.readResource(uri))).toMatchObject({
        code: -32603,
        message: expect.stringContaining(`"${uri}"`),
      });
    }
    expect(reports.map(({ cause }) => String(cause))).toEqual([
      expect.stringContaining(".contents[0]"),
      expect.stringContaining(".contents[0]"),
    ]);
  });

  it("a result with only isError, or only structured content, still has content [K1.8]", async () => {
    const server = createServer();
    server.tool("failed", {}, () => ({ isError: true }));
    server.tool("structured", {}, () => ({ structuredContent: { sum: 3 }, _meta: { "a/b": 1 } }));
    const client = await connect(server);
    expect(await client.callTool("failed")).toMatchObject({ isError: true, content: [] });
    expect(await client.callTool("structured")).toMatchObject({ content: [], _meta: { "a/b": 1 } });
    expect(reports).toEqual([]);
  });

  it("what has a form of its own in JSON is judged by that [K1.9]", async () => {
    const server = createServer();
    const content = [text("a"), { type: "resource", resource: { uri: new URL("a://b/c"), text: "c" } }];
    server.tool("link", {}, () => ({ content }) as object);
    const client = await connect(server);
    expect((await client.callTool("link")).content[1]).toEqual({ type: "resource", resource: { uri: "a://b/c", text: "c" } });
    expect(reports).toEqual([]);
  });

  it("what the builders make is what clients can read [K1.9]", async () => {
    const server = createServer();
    server.tool("picture", {}, () => image(new Uint8Array(3), "image/png"));
    const client = await connect(server);
    expect((await client.callTool("picture")).content).toEqual([{ type: "image", data: "AAAA", mimeType: "image/png" }]);
  });
});
