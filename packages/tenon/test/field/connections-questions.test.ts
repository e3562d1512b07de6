// A client that answers a question with an error: that is no error of the call that asked (F2.16).
import { connect, McpError, McpServer, QuestionFailedError, type ConnectOptions, type JsonObject } from "tenon";
import { createGateway } from "tenon/gateway";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { RawClient } from "../support/raw-client.ts";
import * as z from "zod";

const REFUSALS: readonly (readonly [number, string])[] = [
  [-32601, "Method not found"],
  [-32603, "no UI here"],
  [-32602, "unknown field"],
  [-32600, "not now"],
  [-1, "declined by policy"],
];

function asking(): McpServer {
  const server = new McpServer({ name: "a", version: "1" });
  server.tool("confirm", {}, async (_input, ctx) => ((await ctx.confirm("go", "Go?")) ? "yes" : "no"));
  server.tool("elicit", {}, async (_input, ctx) => {
    const answer = await ctx.elicit("q", { message: "?", schema: z.object({ a: z.string() }) });
    return answer.action;
  });
  server.tool("sample", {}, async (_input, ctx) => {
    await ctx.session.createMessage({ messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 9 });
    return "";
  });
  server.tool("roots", {}, async (_input, ctx) => String((await ctx.session.listRoots()).roots.length));
  server.tool("catches", {}, async (_input, ctx) => {
    try {
      await ctx.confirm("go", "Go?");
      return "asked";
    } catch (error) {
      if (!(error instanceof QuestionFailedError)) throw error;
      return `${error.method} ${error.code} ${error.message}`;
    }
  });
  return server;
}

const refusing = (code: number, message: string): ConnectOptions => {
  const refuse = (): never => {
    throw new McpError(code, message);
  };
  return { revision: "2025-11-25", onElicit: refuse, onSample: refuse, roots: refuse };
};

describe.each(REFUSALS)("a client that answers %i %s", (code, message) => {
  test.each([
    ["confirm", "The user could not be asked: "],
    ["elicit", "The user could not be asked: "],
    ["sample", "The model of the client could not be asked: "],
    ["roots", "The client could not be asked for its roots: "],
  ])("is a result of the tool %s that the model can read [FD-76]", async (tool, words) => {
    const client = await closing(connect(asking(), refusing(code, message)));
    expect(await client.callTool(tool)).toMatchObject({ isError: true, content: [{ type: "text", text: words + message }] });
  });

  test("can be caught by a handler, with what the client said [FD-76]", async () => {
    const client = await closing(connect(asking(), refusing(code, message)));
    expect((await client.callTool("catches")).text).toBe(`elicitation/create ${code} ${message}`);
  });

  test("is the same through a gateway [FD-76]", async () => {
    const gateway = createGateway({ readyTimeout: 60_000, servers: { a: asking() } });
    await using _closed = { [Symbol.asyncDispose]: () => gateway.close() };
    const client = await closing(connect(gateway, refusing(code, message)));
    expect(await client.callTool("a__confirm")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(message) }],
    });
  });
});

test.each<[tool: string, answer: JsonObject]>([
  ["roots", { result: { roots: [{ uri: "file:///a" }, { name: "no uri" }] } }],
  ["sample", { result: { role: "assistant", content: "hi", model: null } }],
])("an answer to the tool %s that deviates is read: %j [FD-95 FD-35]", async (tool, answer) => {
  const text = tool === "roots" ? "1" : "";
  expect(await answered(tool, answer)).toMatchObject({ result: { content: [{ text }] } });
});

/** What a tool returns to a client on 2025-11-25 that answers its question so. */
async function answered(tool: string, answer: JsonObject): Promise<JsonObject> {
  const client = new RawClient(asking());
  await client.initialize("2025-11-25", { elicitation: {}, sampling: {}, roots: {} });
  const [question] = await client.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool } });
  let [response] = await client.send(JSON.stringify({ jsonrpc: "2.0", id: question!["id"], ...answer }));
  await expect.poll(async () => (response ??= (await client.send())[0]), { timeout: 30_000 }).toBeDefined();
  return response!;
}

test("any other request fails with -32603 and the reason, not with the client's code [FD-76]", async () => {
  const server = new McpServer({ name: "a", version: "1" });
  server.resource("r://x", {}, async (_uri, ctx) => ((await ctx.confirm("go", "Go?")) ? "a" : "b"));
  const client = await closing(connect(server, refusing(-32601, "Method not found")));
  const error = await failureOf(client.readResource("r://x"));
  expect([error.code, error.message]).toEqual([-32603, "The user could not be asked: Method not found"]);
});
