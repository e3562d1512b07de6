/** The option `search`: two tools in the place of all, over every transport and revision, with the same rules as direct calls. */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type ConnectOptions } from "tenon";
import { createGateway, type Gateway, type GatewayOptions } from "tenon/gateway";
import * as z from "zod";
import { describeMatrix, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

function gatewayOf(options: GatewayOptions): Gateway {
  const gateway = createGateway({ onError: () => undefined, readyTimeout: 60_000, search: true, ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

function files(): McpServer {
  const server = testServer({ name: "files" });
  const path = z.object({ path: z.string() });
  server.tool("readTextFile", { description: "Reads a file", input: path }, ({ path: name }) => `text of ${name}`);
  server.tool("delete_file", { description: "Deletes one file", input: path }, () => "deleted");
  server.tool("list_directory", { description: "Lists what a directory has in it", input: path }, () => ({ entries: ["a.txt"] }));
  server.tool("greet", { description: "Asks for a name and says hello" }, async (_input, ctx) => {
    const name = await ctx.elicit("name", { message: "Your name?", schema: z.object({ name: z.string() }) });
    return `Hello ${name.action === "accept" ? name.content.name : "?"}`;
  });
  return server;
}

function mail(): McpServer {
  const server = testServer({ name: "mail" });
  server.tool(
    "send",
    { description: "Sends a message", input: z.object({ to: z.string(), subject: z.string() }) },
    ({ to }) => `to ${to}`,
  );
  return server;
}

const answers: ConnectOptions = { onElicit: () => ({ action: "accept", content: { name: "Ada" } }) };

/** The names that a search finds. */
function namesIn(text: string | undefined): string[] {
  return (JSON.parse(text!) as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

describeMatrix("search", ({ connect: open }) => {
  it("lists two tools and the pinned ones, finds the others by what they do, and calls them", async () => {
    const gateway = gatewayOf({ servers: { files: files(), mail: mail() }, search: { pinned: ["mail__send"] } });
    const client = await open(gateway);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["search_tools", "call_tool", "mail__send"]);
    const { text } = await client.callTool("search_tools", { queries: ["remove a file from the disk"] });
    expect(namesIn(text)[0]).toBe("files__delete_file");
    const called = await client.callTool("call_tool", { name: "files__readTextFile", arguments: { path: "a.txt" } });
    expect(called.text).toBe("text of a.txt");
    expect((await client.callTool("files__readTextFile", { path: "b.txt" })).text).toBe("text of b.txt"); // by its name, too
  });

  it("gives the result of call_tool as that of a direct call, failures among them", async () => {
    const client = await open(gatewayOf({ servers: { files: files() } }));
    for (const given of [{ path: "a" }, { path: 5 }]) {
      const direct = await client.callTool("files__list_directory", given);
      const { content, structuredContent, isError } = await client.callTool("call_tool", {
        name: "files__list_directory",
        arguments: given,
      });
      expect({ content, structuredContent, isError }).toEqual({
        content: direct.content,
        structuredContent: direct.structuredContent,
        isError: direct.isError,
      });
    }
    for (const name of ["files__none", "none__none"])
      await expect(client.callTool("call_tool", { name })).rejects.toMatchObject({ code: -32602 });
  });

  it("shows and calls only what the policy allows", async () => {
    const gateway = gatewayOf({ servers: { files: files() }, policy: ({ name }) => name !== "delete_file" });
    const client = await open(gateway);
    const { text } = await client.callTool("search_tools", { queries: ["delete a file"] });
    expect(namesIn(text)).not.toContain("files__delete_file");
    const call = client.callTool("call_tool", { name: "files__delete_file", arguments: { path: "a" } });
    await expect(call).rejects.toMatchObject({ code: -32602, message: "Unknown tool: files__delete_file" });
  });

  it("finds as many tools as it may although the policy hides those that fit best", async () => {
    const server = testServer({ name: "disk" });
    for (const at of [1, 2, 3]) server.tool(`format_disk_${at}`, { description: "format disk" }, () => "");
    server.tool("look", { description: "Says how a disk is used, how full it is, and which programs write to it" }, () => "");
    const policy: GatewayOptions["policy"] = ({ name }) => !name.startsWith("format_disk");
    const search = { results: 2 };
    const all = await open(gatewayOf({ servers: { disk: server }, search }));
    const best = namesIn((await all.callTool("search_tools", { queries: ["format disk"] })).text);
    expect(best.every((name) => name.startsWith("disk__format_disk"))).toBe(true);
    const some = await open(gatewayOf({ servers: { disk: server }, search, policy }));
    expect(namesIn((await some.callTool("search_tools", { queries: ["format disk"] })).text)).toEqual(["disk__look"]);
  });

  it("refuses wrong arguments of its own tools in words", async () => {
    const client = await open(gatewayOf({ servers: { files: files() } }));
    const wrong = [
      ["search_tools", {}],
      ["search_tools", { queries: [] }],
      ["search_tools", { queries: ["x".repeat(501)] }],
      ["call_tool", {}],
      ["call_tool", { name: "call_tool" }],
      ["call_tool", { name: "files__greet", arguments: [] }],
    ] as const;
    for (const [name, given] of wrong) {
      const { isError, text } = await client.callTool(name, given);
      expect(isError).toBe(true);
      expect(text).toContain(name);
    }
  });
});

describeMatrix(
  "search, with questions",
  ({ connect: open }) => {
    it("asks the client in the middle of a call through call_tool", async () => {
      const client = await open(gatewayOf({ servers: { files: files() } }), answers);
      expect((await client.callTool("call_tool", { name: "files__greet" })).text).toBe("Hello Ada");
    });
  },
  REVISIONS.filter((revision) => revision >= "2025-06-18"),
);

describe("search", () => {
  it("lets middleware see the tool that is called, not call_tool", async () => {
    const gateway = gatewayOf({ servers: { mail: mail() } });
    const seen: unknown[] = [];
    gateway.use("tools/call", (next) => (context) => {
      seen.push(context.params["name"], context.params["arguments"]);
      return next(context);
    });
    await using client = await connect(gateway);
    await client.callTool("call_tool", { name: "mail__send", arguments: { to: "Ada", subject: "Hi" } });
    expect(seen).toEqual(["mail__send", { to: "Ada", subject: "Hi" }]);
  });

  it("finds a tool that a server adds later, and forgets one that is gone", async () => {
    const server = files();
    await using client = await connect(gatewayOf({ servers: { files: server } }));
    const search = async (): Promise<string[]> =>
      namesIn((await client.callTool("search_tools", { queries: ["weather forecast"] })).text);
    expect(await search()).toEqual([]);
    const changes = await client.listen({ tools: true });
    const added = server.tool("forecast", { description: "Says the weather of tomorrow" }, () => "rain");
    await changes.next();
    expect(await search()).toEqual(["files__forecast"]);
    added.remove();
    await changes.next();
    expect(await search()).toEqual([]);
  });

  it("takes synonyms of its own, and returns as many tools as the option says", async () => {
    const gateway = gatewayOf({ servers: { files: files() }, search: { synonyms: { Zap: ["delete"] }, results: 1 } });
    await using client = await connect(gateway);
    const { text, structuredContent } = await client.callTool("search_tools", { queries: ["zap the file", "file"] });
    expect(namesIn(text)).toEqual(["files__delete_file"]);
    expect(structuredContent).toEqual(JSON.parse(text!));
  });

  it("leaves out a tool of a server without a prefix that has the name of its own, and says so", async () => {
    const server = testServer({ name: "bare" });
    server.tool("call_tool", {}, () => "of the server");
    const errors: string[] = [];
    const gateway = gatewayOf({
      servers: { bare: server },
      prefix: { bare: "" },
      onError: ({ message }) => errors.push(message),
    });
    await using client = await connect(gateway);
    expect(namesIn((await client.callTool("search_tools", { queries: ["call tool"] })).text)).toEqual([]);
    expect(errors).toEqual([expect.stringContaining('The tool "call_tool" is left out')]);
  });

  it("refuses options that do not exist or are out of range", () => {
    expect(() => createGateway({ servers: {}, search: { result: 5 } as never })).toThrow('Unknown option "result"');
    for (const results of [0, 51, Number.NaN])
      expect(() => createGateway({ servers: {}, search: { results } })).toThrow(RangeError);
  });
});
