/** One program on stdio, with the official SDK and with this package in its place. */
import { fileURLToPath } from "node:url";
import { Client } from "mcp-sdk-v1/client/index.js";
import { StdioClientTransport } from "mcp-sdk-v1/client/stdio.js";
import { LoggingMessageNotificationSchema, ResultSchema } from "mcp-sdk-v1/types.js";
import { connect } from "tenon/client";
import { expect, test } from "vitest";

const file = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const OFFICIAL = [file("server.mjs")];
const MOVED = ["--import", new URL("fixtures/moved.mjs", import.meta.url).href, file("server.mjs")];

const REQUESTS: readonly (readonly [string, object?])[] = [
  ["tools/list"],
  ["resources/list"],
  ["resources/templates/list"],
  ["prompts/list"],
  ["ping"],
  ["no/such"],
  ["tools/call", { name: "add", arguments: { a: 1, b: 2 } }],
  ["tools/call", { name: "add", arguments: {} }],
  ["tools/call", { name: "fail" }],
  ["tools/call", { name: "log" }],
  ["tools/call", { name: "nothing" }],
  ["resources/read", { uri: "note://today" }],
  ["resources/read", { uri: "note://never" }],
  ["prompts/get", { name: "greet", arguments: { who: "Ada" } }],
  ["prompts/get", { name: "greet" }],
  ["logging/setLevel", { level: "error" }],
];

/** What a client of 1.x gets from a program: results, codes and texts of errors, and notifications. */
async function answersOf(args: readonly string[]): Promise<unknown[]> {
  const client = new Client({ name: "test", version: "1" });
  const got: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void got.push(params));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "inherit" }));
  got.push(client.getServerCapabilities(), client.getServerVersion());
  for (const [method, params] of REQUESTS) {
    const answered = client.request({ method, ...(params && { params: { ...params } }) }, ResultSchema);
    got.push(await answered.catch(({ code, message }: { code: number; message: string }) => ({ code, message })));
  }
  await client.close();
  return got;
}

test("a client of 1.x gets the same from a program on the layer as from the original", async () => {
  const [official, moved] = await Promise.all([answersOf(OFFICIAL), answersOf(MOVED)]);
  expect(official).toHaveLength(REQUESTS.length + 3);
  expect(moved).toEqual(official);
});

test("the unchanged program serves 2026-07-28", async () => {
  await using client = await connect({ command: process.execPath, args: MOVED }, { revision: "2026-07-28" });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add", "fail", "log"]);
  expect((await client.callTool("add", { a: 1, b: 2 })).text).toBe("3");
  await expect(client.callTool("fail")).rejects.toMatchObject({ message: expect.stringContaining("Not today") as unknown });
  expect((await client.readResource("note://today")).contents).toMatchObject([{ text: "Buy milk" }]);
});
