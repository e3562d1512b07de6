/** Sources made from sources, mounted on a server. */
import * as z from "zod";
import { expect, test } from "vitest";
import { only, rename, transform, wrap } from "tenon/compose";
import { McpServer } from "tenon/server";
import { describeMatrix } from "../support/matrix.ts";

describeMatrix("a mounted source", ({ connect }) => {
  test("is filtered, renamed, wrapped and transformed, and stays live", async () => {
    const files = new McpServer({ name: "files", version: "1" });
    files.tool("read", { tags: ["safe"], input: z.object({ path: z.string(), key: z.string() }) }, ({ path, key }) => `${path} ${key}`);
    files.tool("erase", {}, () => "gone");
    const changed = transform(only(files, { tags: ["safe"] }), { read: { arguments: { path: { name: "file" }, key: { pin: "k" } } } });
    const calls: string[] = [];
    const wrapped = wrap(changed, (next) => (context) => {
      calls.push(context.method);
      return next(context);
    });
    const server = new McpServer({ name: "office", version: "1" });
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
