/** Resources, templates and prompts: what handlers may return, how they are found, and lists in pages. */
import { type } from "arktype";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type McpServer, McpUsageError, ResourceNotFoundError, text, type Client, type McpServerOptions } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

function createServer(options: McpServerOptions = {}): McpServer {
  return testServer({ onError: () => undefined, ...options });
}

describeMatrix("Resources", ({ connect, stateless, since }) => {
  it("text, bytes, several contents, a whole result: each as it is, filled in where it is silent [K2.1 K2.7 TY-44]", async () => {
    const server = createServer();
    server.resource("a://text", { mimeType: "text/plain" }, () => "");
    server.resource("a://bytes", {}, () => Promise.resolve(new Uint8Array([255])));
    server.resource("a://one", { mimeType: "text/a" }, () => ({ text: "x", mimeType: "text/b" }));
    server.resource("a://many", { mimeType: "text/a" }, () => [{ text: "x" }, { uri: "a://many/2", blob: "AA==" }]);
    server.resource("a://none", {}, () => []);
    server.resource("a://whole", {}, () => ({
      contents: [{ uri: "b://c", text: "y" }],
      ttlMs: 5_000,
      cacheScope: "public" as const,
    }));
    const client = await connect(server);
    const contentsOf = async (uri: string): Promise<unknown> => (await client.readResource(uri)).contents;
    expect(await contentsOf("a://text")).toEqual([{ uri: "a://text", mimeType: "text/plain", text: "" }]);
    expect(await contentsOf("a://bytes")).toEqual([{ uri: "a://bytes", blob: "/w==" }]);
    expect(await contentsOf("a://one")).toEqual([{ uri: "a://one", mimeType: "text/b", text: "x" }]);
    expect(await contentsOf("a://many")).toEqual([
      { uri: "a://many", mimeType: "text/a", text: "x" },
      { uri: "a://many/2", mimeType: "text/a", blob: "AA==" },
    ]);
    expect(await contentsOf("a://none")).toEqual([]);
    const whole = await client.readResource("a://whole");
    expect(whole.contents).toEqual([{ uri: "b://c", text: "y" }]);
    expect([whole.ttlMs, whole.cacheScope]).toEqual(stateless ? [5_000, "public"] : [undefined, undefined]);
  });

  it("undefined, ResourceNotFoundError, and nothing registered are the same to the client [K2.3 A5.5]", async () => {
    const server = createServer();
    server.resource("a://undefined", {}, () => undefined);
    server.resource("a://later", {}, () => Promise.resolve(undefined));
    server.resource("a://thrown", {}, (uri) => {
      throw new ResourceNotFoundError(uri);
    });
    const client = await connect(server);
    for (const uri of ["a://undefined", "a://later", "a://thrown", "a://nothing", "constructor", "", "not a uri"]) {
      expect(await failureOf(client.readResource(uri))).toMatchObject({
        code: stateless ? -32602 : -32002,
        message: "Resource not found",
        data: { uri },
      });
    }
  });

  it("a fixed URI precedes a template, an exact match another spelling; values are decoded once [K2.2 CL-17]", async () => {
    const server = createServer();
    server.resourceTemplate("a://{name}", {}, ({ name }) => `template ${name}`);
    server.resource("a://fixed", {}, () => "fixed");
    server.resourceTemplate("file:///{+path}", {}, ({ path }) => path);
    const client = await connect(server);
    const textOf = async (uri: string): Promise<unknown> =>
      ((await client.readResource(uri)).contents[0] as { text: string }).text;
    expect(await textOf("a://fixed")).toBe("fixed");
    expect(await textOf("a://Fixed")).toBe("template Fixed");
    expect(await textOf("a://%2e%2e%252f")).toBe("template ..%2f");
    expect(await textOf("file:///a/b.txt")).toBe("a/b.txt");
    expect(await textOf("A://fixed")).toBe("fixed"); // a scheme in capitals is the same scheme
    expect(await failureOf(client.readResource("b://fixed"))).toMatchObject({ message: "Resource not found" });
  });

  it("disabled, removed, updated: gone means not found, new means listed; templates too [K2.1]", async () => {
    const server = createServer();
    const fixed = server.resource("a://b", { name: "old" }, () => "b");
    const template = server.resourceTemplate("t://{x}", { description: "old" }, ({ x }) => x);
    const client = await connect(server);
    const listed = async (): Promise<number[]> => [
      (await client.listResources()).resources.length,
      (await client.listResourceTemplates()).resourceTemplates.length,
    ];
    expect(await listed()).toEqual([1, 1]);
    fixed.disable();
    template.disable();
    expect(await listed()).toEqual([0, 0]);
    for (const uri of ["a://b", "t://x"]) expect(await failureOf(client.readResource(uri))).toMatchObject({ data: { uri } });
    fixed.enable();
    template.enable();
    fixed.update({ name: "new" });
    template.update({ description: "new" });
    expect((await client.listResources()).resources[0]).toMatchObject({ uri: "a://b", name: "new" });
    expect((await client.listResourceTemplates()).resourceTemplates[0]).toMatchObject({
      uriTemplate: "t://{x}",
      name: "t://{x}",
      description: "new",
    });
    expect((await client.readResource("t://x")).contents).toMatchObject([{ text: "x" }]);
    fixed.remove();
    template.remove();
    expect(await listed()).toEqual([0, 0]);
    server.resourceTemplate("t://{y}", {}, ({ y }) => `again ${y}`);
    expect((await client.readResource("t://x")).contents).toMatchObject([{ text: "again x" }]);
  });

  it("lists what the revision has of a resource [K2.5 A7.1]", async () => {
    const server = createServer();
    const icons = [{ src: "https://example.com/i.png" }];
    const annotations = { audience: ["user" as const], priority: 1, lastModified: "2026-01-01" };
    server.resource(
      "a://b",
      { name: "b", title: "B", description: "d", mimeType: "x/y", size: 0, annotations, icons, _meta: { "x/y": null } },
      () => "",
    );
    const client = await connect(server);
    const { lastModified, ...older } = annotations;
    expect((await client.listResources()).resources).toEqual([
      {
        uri: "a://b",
        name: "b",
        description: "d",
        mimeType: "x/y",
        size: 0,
        annotations: since("2025-06-18") ? { ...older, lastModified } : older,
        ...(since("2025-06-18") && { title: "B", _meta: { "x/y": null } }),
        ...(since("2025-11-25") && { icons }),
      },
    ]);
  });
});

describeMatrix("Prompts", ({ connect }) => {
  it("a string, a message, several, a whole result [K3.1]", async () => {
    const server = createServer();
    server.prompt("string", { description: "d" }, () => "s");
    server.prompt("message", {}, () => ({ role: "assistant", content: text("m") }));
    server.prompt("several", {}, () =>
      Promise.resolve([
        { role: "user" as const, content: text("1") },
        { role: "assistant" as const, content: text("2") },
      ]),
    );
    server.prompt("whole", { description: "d" }, () => ({ description: "own", messages: [] }));
    const client = await connect(server);
    expect(await client.getPrompt("string")).toMatchObject({
      description: "d",
      messages: [{ role: "user", content: { type: "text", text: "s" } }],
    });
    expect((await client.getPrompt("message")).messages).toEqual([{ role: "assistant", content: { type: "text", text: "m" } }]);
    expect((await client.getPrompt("several")).messages).toHaveLength(2);
    expect(await client.getPrompt("whole")).toMatchObject({ description: "own", messages: [] });
  });

  it("a prompt that returns no messages is -32603, and the operator learns which one [F12 K3.2]", async () => {
    const reports: unknown[] = [];
    const server = testServer({ onError: (error) => void reports.push(error) });
    const values: Record<string, unknown> = {
      nothing: undefined,
      null: null,
      number: 5,
      symbol: Symbol("s"),
      list: [text("no role"), null],
    };
    for (const [name, value] of Object.entries(values)) server.prompt(name, {}, () => value as never);
    const client = await connect(server);
    for (const name of Object.keys(values)) expect(await failureOf(client.getPrompt(name))).toMatchObject({ code: -32603 });
    expect(reports).toHaveLength(Object.keys(values).length);
    Object.keys(values).forEach((name, index) => expect(String(reports[index])).toContain(`"${name}"`));
  });

  it("arguments are checked by schemas of every kind, and refused with -32602 [K3.2]", async () => {
    const server = createServer();
    const json = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
    server.prompt("zod", { input: z.object({ name: z.string().min(2) }) }, ({ name }) => name);
    server.prompt("arktype", { input: type({ name: "string >= 2" }) }, ({ name }) => name);
    server.prompt("json", { input: json }, ({ name }) => name);
    const client = await connect(server);
    for (const name of ["zod", "arktype", "json"]) {
      expect((await client.getPrompt(name, { name: "Ada" })).messages).toMatchObject([{ content: { text: "Ada" } }]);
      expect(await failureOf(client.getPrompt(name, {}))).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`"${name}"`),
      });
      expect(await failureOf(client.getPrompt(name, { name: 1 } as never))).toMatchObject({ code: -32602 });
    }
    for (const name of ["constructor", "__proto__"])
      expect(await failureOf(client.getPrompt(name))).toMatchObject({ code: -32602 });
    const { prompts } = await client.listPrompts();
    expect(prompts.map((prompt) => prompt.arguments)).toEqual(
      Array.from({ length: 3 }, () => [{ name: "name", required: true }]),
    );
  });

  it("disabled, removed and updated prompts [K3.1]", async () => {
    const server = createServer();
    server.prompt("kept", {}, () => "");
    const handle = server.prompt("p", { description: "old" }, () => "p");
    const client = await connect(server);
    handle.disable();
    expect((await client.listPrompts()).prompts).toHaveLength(1);
    expect(await failureOf(client.getPrompt("p"))).toMatchObject({ code: -32602, message: "Unknown prompt: p" });
    handle.enable();
    handle.update({ description: "new", input: z.object({ x: z.string() }) });
    expect((await client.listPrompts()).prompts[1]).toMatchObject({
      description: "new",
      arguments: [{ name: "x", required: true }],
    });
    expect(await failureOf(client.getPrompt("p"))).toMatchObject({ code: -32602 });
    handle.remove();
    expect((await client.listPrompts()).prompts).toHaveLength(1);
  });

  it("without completers nothing is completed; what is completed and in what are texts [K4.2]", async () => {
    const server = createServer();
    server.prompt("plain", { input: z.object({ x: z.string() }) }, () => "");
    const ref = { type: "ref/prompt", name: "plain" };
    const without = await connect(server);
    const first = without.request("completion/complete", { ref, argument: { name: "x", value: "" } });
    expect(await failureOf(first)).toMatchObject({ code: -32601 });
    const got: unknown[] = [];
    server.prompt("filled", { complete: { x: (value) => (got.push(value), []) } }, () => "");
    const client = await connect(server);
    for (const argument of [{ name: "x", value: 7 }, { name: "x", value: { $ne: "" } }, { name: 7, value: "" }, "x", undefined]) {
      const sent = client.request("completion/complete", { ref: { type: "ref/prompt", name: "filled" }, argument });
      expect(await failureOf(sent)).toMatchObject({ code: -32602 });
    }
    expect(got).toEqual([]);
  });

  it("completers may take their time, say how many there are, or fail behind an id [K4.2]", async () => {
    const server = createServer();
    server.prompt(
      "p",
      {
        complete: {
          later: async (value) => Promise.resolve([`${value}!`]),
          part: () => ({ values: Array.from({ length: 200 }, String), total: 5_000, hasMore: true }),
          fail: () => {
            throw new Error("hunter2");
          },
        },
      },
      () => "",
    );
    server.resourceTemplate("a://{x}", { complete: { x: (value) => [value] } }, () => "");
    const client = await connect(server);
    const complete = (name: string, value = ""): ReturnType<Client["complete"]> =>
      client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name, value } });
    expect((await complete("later", "a")).completion).toEqual({ values: ["a!"], total: 1, hasMore: false });
    const { completion } = await complete("part");
    expect([completion.values.length, completion.total, completion.hasMore]).toEqual([100, 5_000, true]);
    expect((await complete("other")).completion).toEqual({ values: [], total: 0, hasMore: false });
    expect(await failureOf(complete("fail"))).toMatchObject({ code: -32603, message: "Internal error" });
    const unknown = client.complete({ ref: { type: "ref/resource", uri: "a://concrete" }, argument: { name: "x", value: "" } });
    expect(await failureOf(unknown)).toMatchObject({ code: -32602 });
  });
});

describeMatrix("Pages", ({ connect }) => {
  it("of every list, with cursors that outlive changes; an unknown cursor is -32602 [K5.1]", async () => {
    const server = createServer({ pageSize: 2 });
    const handles = Array.from({ length: 5 }, (_, index) => {
      server.resource(`a://${index}`, { name: String(index) }, () => "");
      server.resourceTemplate(`t${index}://{x}`, { name: String(index) }, () => "");
      server.prompt(`p${index}`, {}, () => "");
      return server.tool(`t${index}`, {}, () => "");
    });
    const client = await connect(server);
    const lists = [
      async (cursor?: string) =>
        client
          .listTools(cursor === undefined ? {} : { cursor })
          .then((page) => ({ ...page, names: page.tools.map(({ name }) => name) })),
      async (cursor?: string) =>
        client
          .listPrompts(cursor === undefined ? {} : { cursor })
          .then((page) => ({ ...page, names: page.prompts.map(({ name }) => name) })),
      async (cursor?: string) =>
        client
          .listResources(cursor === undefined ? {} : { cursor })
          .then((page) => ({ ...page, names: page.resources.map(({ name }) => name) })),
      async (cursor?: string) =>
        client
          .listResourceTemplates(cursor === undefined ? {} : { cursor })
          .then((page) => ({ ...page, names: page.resourceTemplates.map(({ name }) => name) })),
    ];
    for (const list of lists) {
      const first = await list();
      const second = await list(first.nextCursor);
      const third = await list(second.nextCursor);
      expect([first.names.length, second.names.length, third.names.length, third.nextCursor]).toEqual([2, 2, 1, undefined]);
      expect(new Set([...first.names, ...second.names, ...third.names]).size).toBe(5);
      for (const cursor of ["", "x", "YWZ0ZXI6", btoa("after:-1"), btoa("after:99"), btoa("after:1e1"), "a".repeat(1_000)]) {
        expect(await failureOf(list(cursor))).toMatchObject({ code: -32602, message: "Invalid cursor" });
      }
    }
    const tools = lists[0]!;
    const first = await tools();
    handles[1]!.remove();
    handles[2]!.disable();
    server.tool("new", {}, () => "");
    const second = await tools(first.nextCursor);
    expect([second.names, (await tools(second.nextCursor)).names]).toEqual([["t3", "t4"], ["new"]]);
  });
});

describeMatrix("Schemes", ({ connect }) => {
  it("any scheme is served and asked for as it is written, whether there is such a file or page or not [K2.6 K2.4]", async () => {
    const uris = [
      "https://a.example/x?y#z",
      "file:///no/such/folder/",
      "git://host/repo.git",
      "urn:isbn:0",
      "my-app+v1.2:%7Ethings/ä",
    ];
    const server = createServer();
    for (const uri of uris) server.resource(uri, { mimeType: "inode/directory" }, (asked) => `read ${asked}`);
    const client = await connect(server);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(uris);
    for (const uri of uris)
      expect((await client.readResource(uri)).contents).toEqual([{ uri, mimeType: "inode/directory", text: `read ${uri}` }]);
  });
});

describe("Registering", () => {
  it("takes absolute URIs and templates that can be matched, each once [K2.4]", () => {
    const server = createServer();
    for (const uri of ["", "b", "/a/b", "//a"]) expect(() => server.resource(uri, {}, () => "")).toThrow(TypeError);
    server.resource("a://b", {}, () => "");
    expect(() => server.resource("a://b", {}, () => "")).toThrow(McpUsageError);
    expect(() => server.resourceTemplate("a://{", {}, () => "")).toThrow(TypeError);
    server.resourceTemplate("a://{x}", {}, () => "");
    expect(() => server.resourceTemplate("a://{x}", {}, () => "")).toThrow(McpUsageError);
    server.prompt("p", {}, () => "");
    expect(() => server.prompt("p", {}, () => "")).toThrow(McpUsageError);
  });
});

describeMatrix("A resource that does not exist", ({ connect, stateless }) => {
  it("is a ResourceNotFoundError for the client, on every revision", async () => {
    const server = createServer();
    server.resource("a://1", {}, () => undefined);
    server.prompt("p", {}, () => "p");
    const client = await connect(server);
    for (const uri of ["a://1", "a://none"]) {
      const failure = await failureOf(client.readResource(uri));
      expect(failure).toBeInstanceOf(ResourceNotFoundError);
      expect(failure).toMatchObject({ uri, data: { uri }, code: stateless ? -32602 : -32002 });
    }
    expect(await failureOf(client.getPrompt("none"))).not.toBeInstanceOf(ResourceNotFoundError);
    expect(await failureOf(client.request("resources/read", { uri: 7 } as never))).not.toBeInstanceOf(ResourceNotFoundError);
  });
});
