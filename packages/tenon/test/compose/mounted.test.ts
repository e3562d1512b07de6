/** Sources made from sources, mounted on a server. */
import * as z from "zod";
import { expect, onTestFinished, test } from "vitest";
import { only, rename, transform, without, wrap } from "tenon/compose";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup } from "tenon/group";
import { McpServer } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

describeMatrix("a mounted source made from a group", ({ connect }) => {
  test("is filtered, renamed, wrapped and transformed, and follows the servers of the group", async () => {
    const files = testServer({ name: "files" });
    files.tool("read", { input: z.object({ path: z.string(), key: z.string() }) }, ({ path, key }) => `${path} ${key}`);
    files.tool("erase", {}, () => "gone");
    const group = await ClientSessionGroup.connect({ files }, { readyTimeout: Infinity });
    onTestFinished(() => group.close());
    const changes = { files__read: { name: "open", arguments: { path: { name: "file" }, key: { pin: "k" } } } };
    const calls: string[] = [];
    const source = wrap(transform(without(group, { names: ["files__erase"] }), changes), (next) => (context) => {
      calls.push(context.method);
      return next(context);
    });
    const server = new McpServer({ name: "office", version: "1" }, { capabilities: { tools: {}, prompts: {} } });
    server.mount(
      "g",
      rename(source, ({ id }) => id.replace("files__", "")),
    );
    const client = await connect(server);
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(["g__open"]);
    expect((await client.callTool("g__open", { file: "a" })).text).toBe("a k");
    const wrong = await client.callTool("g__open", {});
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining("file")]);
    for (const old of ["g__read", "g__files__read", "g__erase", "g__files__erase"])
      expect((await failureOf(client.callTool(old, { path: "a" }))).message).toContain(`Unknown tool: ${old}`);
    expect(calls).toEqual(["tools/call", "tools/call"]);
    const notes = testServer({ name: "notes" });
    notes.tool("write", {}, () => "written");
    notes.prompt("greet", {}, () => "Hello");
    await group.add({ notes });
    expect((await names()).toSorted()).toEqual(["g__notes__write", "g__open"]);
    expect((await client.getPrompt("g__notes__greet")).messages).toMatchObject([{ content: { text: "Hello" } }]);
    await group.disconnect("files");
    expect(await names()).toEqual(["g__notes__write"]);
  });
});

describeMatrix("sources and a gateway", ({ connect }) => {
  test("what is behind a gateway is filtered and renamed before it; what a gateway serves is transformed after it", async () => {
    const files = testServer({ name: "files" });
    files.tool("read", { input: z.object({ path: z.string() }) }, ({ path }) => path);
    files.tool("erase", {}, () => "gone");
    const safe = testServer({ name: "safe" });
    safe.mount("f", without(files, { names: ["erase"] }));
    const gateway = createGateway({ readyTimeout: 60_000, servers: { safe } });
    onTestFinished(() => gateway.close());
    const group = await ClientSessionGroup.connect({ all: gateway }, { readyTimeout: Infinity });
    onTestFinished(() => group.close());
    const server = testServer({ name: "office" });
    server.mount("g", transform(group, { all__safe__f__read: { name: "open", arguments: { path: { pin: "/home" } } } }));
    const client = await connect(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["g__open"]);
    expect((await client.callTool("g__open", {})).text).toBe("/home");
    safe.tool("late", {}, () => "late");
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name).toSorted())
      .toEqual(["g__all__safe__late", "g__open"]);
  });
});

describeMatrix("a mounted source", ({ connect }) => {
  test("is filtered, renamed, wrapped and transformed, and stays live", async () => {
    const files = testServer({ name: "files" });
    files.tool(
      "read",
      { tags: ["safe"], input: z.object({ path: z.string(), key: z.string() }) },
      ({ path, key }) => `${path} ${key}`,
    );
    files.tool("erase", {}, () => "gone");
    const changed = transform(only(files, { tags: ["safe"] }), {
      read: { arguments: { path: { name: "file" }, key: { pin: "k" } } },
    });
    const calls: string[] = [];
    const wrapped = wrap(changed, (next) => (context) => {
      calls.push(context.method);
      return next(context);
    });
    const server = testServer({ name: "office" });
    server.mount(
      "files",
      rename(wrapped, ({ id }) => `${id}_it`),
    );
    const client = await connect(server);
    expect((await client.callTool("files__read_it", { file: "a" })).text).toBe("a k");
    expect(calls).toEqual(["tools/call"]);
    files.tool("size", { tags: ["safe"] }, () => "7");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["files__read_it", "files__size_it"]);
    expect((await client.callTool("files__size_it")).text).toBe("7");
  });
});
