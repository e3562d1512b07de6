import { connect } from "tenon/client";
import { McpServer, ToolError } from "tenon/server";
import { testClient } from "tenon/testing";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b);
server.tool("fail", {}, () => {
  throw new ToolError("No");
});

test("a tool is called", async () => {
  const client = await connect(server);
  expect((await client.callTool("add", { a: 1, b: 2 })).text).toBe("3");
  expect(await client.callTool("fail")).toMatchObject({ isError: true });
  await client.close();
});

test("on an older revision", async () => {
  const { client, close } = await testClient(server, { revision: "2025-06-18" });
  expect((await client.callTool("add", { a: 1, b: 2 })).text).toBe("3");
  await close();
});
