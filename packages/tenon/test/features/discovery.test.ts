/**
 * The option `discovery` of a server: few tokens for a list that is too long, over every transport
 * and revision, with the same rules as direct calls.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer, McpUsageError, type Client, type ConnectOptions } from "tenon";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup } from "tenon/group";
import type { McpServerOptions } from "tenon/server";
import { tasks } from "tenon/ext/tasks";
import * as z from "zod";
import { protect, REVISIONS as SCOPED } from "../auth-server/support.ts";
import { describeMatrix, open as openOver, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const path = z.object({ path: z.string() });
const SHORT = ["search_tools", "call_tool"];

function register(server: McpServer): McpServer {
  server.tool("read_text_file", { description: "Reads a file", input: path }, ({ path: name }) => `text of ${name}`);
  server.tool("delete_file", { description: "Deletes one file", input: path }, () => "deleted");
  server.tool(
    "list_directory",
    { description: "Lists a directory", input: path, output: z.object({ entries: z.array(z.string()) }) },
    () => ({
      entries: ["a.txt"],
    }),
  );
  server.tool("greet", { description: "Asks for a name and says hello" }, async (_input, ctx) => {
    const name = await ctx.elicit("name", { message: "Your name?", schema: z.object({ name: z.string() }) });
    return `Hello ${name.action === "accept" ? name.content.name : "?"}`;
  });
  return server;
}

function files(options: McpServerOptions = {}): McpServer {
  return register(testServer({ name: "files", discovery: { above: 0 }, ...options }));
}

async function listed(client: Client): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.tools()) names.push(name);
  return names;
}

async function found(client: Client, ...queries: string[]): Promise<string[]> {
  const { text } = await client.callTool("search_tools", { queries });
  return (JSON.parse(text!) as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

describeMatrix("discovery", ({ connect: open }) => {
  it("shows two tools and the pinned ones, finds the others by what they do, and calls them", async () => {
    const client = await open(files({ discovery: { above: 10, pinned: ["greet"] } }));
    expect(await listed(client)).toEqual([...SHORT, "greet"]);
    expect((await found(client, "remove a file from the disk"))[0]).toBe("delete_file");
    const called = await client.callTool("call_tool", { name: "read_text_file", arguments: { path: "a.txt" } });
    expect(called.text).toBe("text of a.txt");
    expect((await client.callTool("read_text_file", { path: "b.txt" })).text).toBe("text of b.txt"); // by its name, too
  });

  it("reports a pinned name that the server has no tool for, once", async () => {
    const errors: string[] = [];
    const onError = (error: unknown): unknown => errors.push(String(error));
    const server = files({ discovery: { above: 0, pinned: ["greet", "geet", "hidden"] }, onError });
    server.tool("hidden", { visible: () => false }, () => "");
    const client = await open(server);
    await listed(client);
    await listed(client);
    expect(errors).toEqual(['TypeError: Option "discovery.pinned" names "geet", and the server has no tool of that name']);
  });

  it("lists all tools while they cost no more than the limit, and follows the list across it", async () => {
    const server = testServer({ name: "grows", discovery: { above: 60 } });
    server.tool("first", { description: "x".repeat(100) }, () => "1");
    const client = await open(server);
    expect(await listed(client)).toEqual(["first"]);
    const second = server.tool("second", { description: "x".repeat(200) }, () => "2");
    expect(await listed(client)).toEqual(SHORT);
    second.remove();
    expect(await listed(client)).toEqual(["first"]);
  });

  it("gives the result of call_tool as that of a direct call: structured results and failures among them", async () => {
    const client = await open(files());
    for (const given of [{ path: "a" }, { path: 5 }]) {
      const direct = await client.callTool("list_directory", given);
      const { content, structuredContent, isError } = await client.callTool("call_tool", {
        name: "list_directory",
        arguments: given,
      });
      expect({ content, structuredContent, isError }).toEqual({
        content: direct.content,
        structuredContent: direct.structuredContent,
        isError: direct.isError,
      });
    }
    await expect(client.callTool("call_tool", { name: "none" })).rejects.toMatchObject({
      code: -32602,
      message: "Unknown tool: none",
    });
  });

  it("neither counts, finds nor calls what the caller may not see", async () => {
    const server = testServer({ name: "files", discovery: { above: 60 } });
    server.tool("first", { description: "x".repeat(100) }, () => "1");
    server.tool("delete_all", { description: `Deletes everything ${"x".repeat(300)}`, visible: () => false }, () => "gone");
    const client = await open(server);
    expect(await listed(client)).toEqual(["first"]); // the hidden one would be too much
    server.tool("second", { description: "x".repeat(200) }, () => "2");
    expect(await listed(client)).toEqual(SHORT);
    expect(await found(client, "delete everything")).toEqual([]);
    const call = client.callTool("call_tool", { name: "delete_all" });
    await expect(call).rejects.toMatchObject({ code: -32602, message: "Unknown tool: delete_all" });
  });

  it("finds and pins only what the middleware leaves in the list", async () => {
    const server = files({ discovery: { above: 10, pinned: ["delete_file"] } });
    server.use("tools/list", (next) => async (context) => {
      const result = await next(context);
      return { ...result, tools: result.tools.filter(({ name }) => name !== "delete_file") };
    });
    const client = await open(server);
    expect(await listed(client)).toEqual(SHORT);
    expect(await found(client, "delete a file")).not.toContain("delete_file");
  });

  it("refuses wrong arguments of its own tools in words", async () => {
    const client = await open(files());
    const wrong = [
      ["search_tools", {}],
      ["search_tools", { queries: [] }],
      ["call_tool", {}],
      ["call_tool", { name: "call_tool" }],
      ["call_tool", { name: "greet", arguments: [] }],
    ] as const;
    for (const [name, given] of wrong) {
      const { isError, text } = await client.callTool(name, given);
      expect(isError).toBe(true);
      expect(text).toContain(name);
    }
  });

  it("puts as many tools on a page as the server's pages have", async () => {
    const client = await open(files({ pageSize: 1, discovery: { above: 10, pinned: ["greet"] } }));
    const first = await client.listTools();
    expect(first.tools.map(({ name }) => name)).toEqual(["search_tools"]);
    expect(await listed(client)).toEqual([...SHORT, "greet"]);
    await expect(client.listTools({ cursor: btoa("after:9") })).rejects.toMatchObject({ code: -32602 });
  });

  it("shows the tools of servers that are mounted, and nothing of their own discovery", async () => {
    const outer = testServer({ name: "outer" });
    outer.mount("disk", files());
    const client = await open(outer);
    expect(await listed(client)).toEqual(["disk__read_text_file", "disk__delete_file", "disk__list_directory", "disk__greet"]);
    const short = testServer({ name: "outer", discovery: { above: 0 } });
    short.mount("disk", files());
    const other = await open(short);
    expect(await listed(other)).toEqual(SHORT);
    expect((await found(other, "delete file"))[0]).toBe("disk__delete_file");
    const { text } = await other.callTool("call_tool", { name: "disk__read_text_file", arguments: { path: "m" } });
    expect(text).toBe("text of m");
  });
});

describeMatrix(
  "discovery, with questions",
  ({ connect: open }) => {
    it("asks the client in the middle of a call through call_tool", async () => {
      const answers: ConnectOptions = { onElicit: () => ({ action: "accept", content: { name: "Ada" } }) };
      const client = await open(files(), answers);
      expect((await client.callTool("call_tool", { name: "greet" })).text).toBe("Hello Ada");
    });
  },
  REVISIONS.filter((revision) => revision >= "2025-06-18"),
);

describe("discovery", () => {
  it("lets middleware see the tool that is called, not call_tool", async () => {
    const server = files();
    const seen: unknown[] = [];
    server.use("tools/call", (next) => (context) => {
      seen.push(context.params["name"]);
      return next(context);
    });
    await using client = await connect(server);
    await client.callTool("call_tool", { name: "read_text_file", arguments: { path: "a" } });
    expect(seen).toEqual(["read_text_file"]);
  });

  it("finds a tool that is added later, and forgets one that is gone", async () => {
    const server = files();
    await using client = await connect(server);
    expect(await found(client, "weather forecast")).toEqual([]);
    const added = server.tool("forecast", { description: "Says the weather of tomorrow" }, () => "rain");
    expect(await found(client, "weather forecast")).toEqual(["forecast"]);
    added.remove();
    expect(await found(client, "weather forecast")).toEqual([]);
  });

  it("finds the version of a tool that the list shows, once", async () => {
    const server = testServer({ name: "v", discovery: { above: 0 } });
    for (const version of ["1", "2"])
      server.tool("forecast", { version, description: `Weather, version ${version}` }, () => version);
    await using client = await connect(server);
    expect(await found(client, "weather")).toEqual(["forecast"]);
    expect((await client.callTool("call_tool", { name: "forecast" })).text).toBe("2");
  });

  it.each(SCOPED)("requires the scopes of the tool that call_tool names, on %s", async (revision) => {
    const define = (server: McpServer): void => void server.tool("drop", { scopes: ["write"] }, () => "dropped");
    const http = await protect({}, define, { discovery: { above: 0 } });
    const given = { name: "drop" };
    expect((await http.call(revision, "reader", "call_tool", given)).status).toBe(403);
    const { status, text } = await http.call(revision, "ann", "call_tool", given);
    expect([status, text]).toEqual([200, expect.stringContaining("dropped")]);
  });

  it("compares no headers with the arguments of a call through call_tool", async () => {
    const server = testServer({ name: "mirrors", discovery: { above: 0 } });
    const input = {
      type: "object",
      properties: { city: { type: "string", "x-mcp-header": "City" } },
      required: ["city"],
    } as const;
    server.tool("forecast", { input }, () => "rain");
    const client = await openOver("socket", server, { revision: "2026-07-28" });
    onTestFinished(() => client.close());
    expect((await client.callTool("call_tool", { name: "forecast", arguments: { city: "Rome" } })).text).toBe("rain");
  });

  it("lets a search fail that may not list, and hides a list behind the scopes of lists", async () => {
    const server = files();
    server.use("tools/list", () => () => {
      throw new Error("no list for you");
    });
    await using client = await connect(server);
    expect((await client.callTool("search_tools", { queries: ["file"] })).isError).toBe(true);
  });

  it("is one server of a group and of a gateway", async () => {
    await using group = await ClientSessionGroup.connect({ disk: files() }, { readyTimeout: Infinity });
    const called = await group.callTool("disk__call_tool", { name: "read_text_file", arguments: { path: "g" } });
    expect(called.text).toBe("text of g");
    await using gateway = createGateway({ servers: { disk: files() }, readyTimeout: 60_000 });
    await using client = await connect(gateway);
    expect((await client.callTool("disk__call_tool", { name: "read_text_file", arguments: { path: "g" } })).text).toBe(
      "text of g",
    );
  });

  it("runs a task through call_tool", async () => {
    const server = testServer({ name: "jobs", extensions: [tasks()], discovery: { above: 0 } });
    server.tool("work", { task: true }, () => "worked");
    await using client = await connect(server, { extensions: [tasks()] } as never);
    expect((await client.callTool("call_tool", { name: "work" })).text).toBe("worked");
  });

  it("refuses a tool with a name of its own, and options that do not exist or are out of range", () => {
    expect(() => files().tool("call_tool", {}, () => "")).toThrow(McpUsageError);
    testServer({ name: "plain" }).tool("call_tool", {}, () => ""); // without the option the name is free
    for (const discovery of [{ above: -1 }, { above: "4000" }, { results: 51 }])
      expect(() => files({ discovery: discovery as never })).toThrow(RangeError);
    for (const discovery of [{ over: 1 }, { pinned: "help" }, true])
      expect(() => files({ discovery: discovery as never })).toThrow(TypeError);
  });
});
