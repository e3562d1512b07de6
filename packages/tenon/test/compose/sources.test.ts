/** Live sources made from live sources: what a server that serves them lists and calls, and which changes it hears of. */
import { sourceOf } from "tenon/server";
import * as z from "zod";
import { describe, expect, test } from "vitest";
import type { Client, JsonObject, RequestContext } from "tenon";
import { only, rename, transform, without, wrap } from "tenon/compose";
import type { McpServer, FeatureChange, FeatureKind, FeatureSource } from "tenon/server";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

/** A server with features of each kind. */
function shop(): McpServer {
  const server = testServer({ name: "shop" });
  const input = z.object({ q: z.string(), key: z.string(), limit: z.number() });
  server.tool("search", { description: "Searches", input, tags: ["read"] }, (args) => JSON.stringify(args));
  server.tool("erase", { tags: ["write"], version: "2" }, () => "erased");
  server.tool("count", { output: z.object({ hits: z.array(z.string()) }), tags: ["read"] }, () => ({ hits: ["a", "b"] }));
  server.tool("fails", {}, (_input, context) => context.fail("Sorry"));
  server.prompt(
    "greet",
    { input: z.object({ name: z.string() }), tags: ["read"], complete: { name: () => ["Ada"] } },
    ({ name }) => `Hi ${name}`,
  );
  server.resource("shop://a", { tags: ["read"] }, () => "a");
  server.resource("shop://b", {}, () => "b");
  return server;
}

const names = (source: FeatureSource, kind: FeatureKind = "tool"): string[] => [...source.entries(kind)].map(({ id }) => id);

/** The feature that a request is for. */
function featureOf(source: FeatureSource, { method, params }: RequestContext): ReturnType<FeatureSource["find"]> {
  if (method === "tools/call") return source.find("tool", params["name"] as string);
  if (method === "prompts/get") return source.find("prompt", params["name"] as string);
  if (method === "resources/read") return source.find("resource", params["uri"] as string);
  return method === "completion/complete" ? source.find("prompt", (params["ref"] as { name: string }).name) : undefined;
}

/** A server that serves the features of a source under their names, besides its own. */
function serving(source: FeatureSource): McpServer {
  const server = testServer({ name: "host" });
  server.tool("own", {}, () => "own");
  server.prompt("own", { input: z.object({ x: z.string() }), complete: { x: () => [] } }, () => "own");
  server.resource("own://x", {}, () => "own");
  server.use("tools/list", () => () => ({ tools: [...source.entries("tool")].map(({ listed }) => listed) }) as JsonObject);
  server.use((next) => (context) => featureOf(source, context)?.run(context) ?? next(context));
  return server;
}

const failureOf = async (client: Client, name: string, args: JsonObject = {}): Promise<string> =>
  client.callTool(name, args).then(
    (result) => (result.isError ? result.text : "no failure"),
    (error: Error) => error.message,
  );

describeMatrix("a part of a source", ({ connect }) => {
  test("has what the filter selects, on every method, and the rest is unknown", async () => {
    const client = await connect(serving(only(shop(), { tags: ["read"] })));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["search", "count"]);
    expect((await client.callTool("search", { q: "x", key: "k", limit: 1 })).text).toBe('{"q":"x","key":"k","limit":1}');
    expect(await failureOf(client, "erase")).toBe("Unknown tool: erase");
    expect((await client.readResource("shop://a")).contents).toMatchObject([{ text: "a" }]);
    await expect(client.readResource("shop://b")).rejects.toThrow(/not found/i);
    expect((await client.getPrompt("greet", { name: "Ada" })).messages).toMatchObject([{ content: { text: "Hi Ada" } }]);
  });
});

describeMatrix("a source under other names", ({ connect }) => {
  test("answers to the new names only, completions included", async () => {
    const client = await connect(serving(rename(shop(), ({ id }) => `s_${id}`)));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["s_search", "s_erase", "s_count", "s_fails"]);
    expect((await client.callTool("s_erase")).text).toBe("erased");
    expect(await failureOf(client, "erase")).toBe("Unknown tool: erase");
    expect((await client.getPrompt("s_greet", { name: "Ada" })).messages).toMatchObject([{ content: { text: "Hi Ada" } }]);
    const completed = await client.complete({
      ref: { type: "ref/prompt", name: "s_greet" },
      argument: { name: "name", value: "A" },
    });
    expect(completed.completion.values).toEqual(["Ada"]);
    expect((await client.readResource("shop://b")).contents).toMatchObject([{ text: "b" }]);
  });
});

describeMatrix("a source inside a middleware", ({ connect }) => {
  test("runs it for its own features, and the middleware can change the result", async () => {
    const seen: string[] = [];
    const source = wrap(shop(), (next) => async (context) => {
      seen.push(`${context.method} ${String(context.params["name"] ?? context.params["uri"])}`);
      return { ...(await next(context)), _meta: { "test/seen": seen.length } };
    });
    const client = await connect(serving(source));
    expect((await client.callTool("erase"))._meta).toMatchObject({ "test/seen": 1 });
    await client.readResource("shop://a");
    expect((await client.callTool("own")).text).toBe("own");
    expect(seen).toEqual(["tools/call erase", "resources/read shop://a"]);
  });

  test("a middleware that passes on another context fails, and callers see no more than that", async () => {
    const source = wrap(shop(), (next) => (context) => next(Object.create(context) as RequestContext));
    const client = await connect(serving(source));
    expect(await failureOf(client, "erase")).toMatch(/Internal error|failed/i);
  });
});

describeMatrix("transformed tools of a source", ({ connect }) => {
  const source = (): FeatureSource =>
    transform(shop(), {
      search: {
        name: "find",
        title: "Find",
        describe: "Finds",
        arguments: { q: { name: "query" }, key: { pin: ({ method }) => method }, limit: { default: 10 } },
      },
      count: { result: (data: { hits: string[] }) => ({ count: data.hits.length }), output: z.object({ count: z.number() }) },
      fails: { result: () => "not this" },
      missing: { describe: "There is no such tool yet" },
    });

  test("are listed with their new names, texts and schemas", async () => {
    const client = await connect(serving(source()));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["find", "erase", "count", "fails"]);
    expect(tools[0]).toMatchObject({
      description: "Finds",
      inputSchema: { properties: { query: { type: "string" } }, required: ["query"] },
    });
    expect(Object.keys(tools[0]!.inputSchema["properties"] as object)).toEqual(["query", "limit"]);
  });

  test("get the old arguments, with pins and defaults", async () => {
    const client = await connect(serving(source()));
    expect((await client.callTool("find", { query: "x", key: "mine", q: "y" })).text).toBe(
      '{"q":"x","key":"tools/call","limit":10}',
    );
    expect(await failureOf(client, "search", { q: "x" })).toBe("Unknown tool: search");
  });

  test("refuse arguments by the names that callers know", async () => {
    const client = await connect(serving(source()));
    expect(await failureOf(client, "find", { query: 7 })).toMatch(/^Invalid arguments for tool "find": query: /);
    expect(await failureOf(client, "find", { q: "x" })).toMatch(/query/);
  });

  test("make other results; failures stay as they are", async () => {
    const client = await connect(serving(source()));
    const { data, text } = await client.callTool("count");
    expect(data ?? JSON.parse(text)).toEqual({ count: 2 });
    expect(await failureOf(client, "fails")).toBe("Sorry");
  });
});

describe("a source of a source", () => {
  test("is as live as the source, and tells of its own features only", () => {
    const server = shop();
    const changes: FeatureChange[] = [];
    const source = rename(only(server, { tags: ["read"] }), ({ id }) => `s_${id}`);
    const stop = source.onFeatureChange((change) => changes.push(change));
    const added = server.tool("late", { tags: ["read"] }, () => "");
    server.tool("other", {}, () => "");
    expect(names(source)).toEqual(["s_search", "s_count", "s_late"]);
    added.update({ description: "Later" });
    added.remove();
    expect(changes.map(({ before, after }) => [before?.id, after?.id])).toEqual([
      [undefined, "s_late"],
      ["s_late", "s_late"],
      ["s_late", undefined],
    ]);
    expect(names(source)).toEqual(["s_search", "s_count"]);
    stop();
    server.tool("last", { tags: ["read"] }, () => "");
    expect(changes).toHaveLength(3);
  });

  test("a feature is the same value until it changes, and names its origin", () => {
    const server = shop();
    const source = transform(server, { search: { name: "find" } });
    const found = source.find("tool", "find");
    expect(found).toBe(source.find("tool", "find"));
    expect([...source.entries("tool")][0]).toBe(found);
    expect(found?.origin).toBe(sourceOf(server).find("tool", "search"));
    expect(source.find("tool", "search")).toBeUndefined();
    expect(source.find("tool", "toString")).toBeUndefined();
  });

  test("two names can be swapped", () => {
    const source = transform(shop(), { search: { name: "erase" }, erase: { name: "search" } });
    expect(names(source)).toEqual(["erase", "search", "count", "fails"]);
    expect(source.find("tool", "erase")?.origin?.id).toBe("search");
    expect(source.find("tool", "search")?.origin?.id).toBe("erase");
  });

  test("filters select by name, kind, tag, version and function; without() takes the others", () => {
    const server = shop();
    expect(names(only(server, { names: ["erase", "shop://a"] }))).toEqual(["erase"]);
    expect(names(only(server, { names: ["erase", "shop://a"] }), "resource")).toEqual(["shop://a"]);
    expect(names(only(server, { kinds: ["prompt"] }))).toEqual([]);
    expect(names(only(server, { version: "2" }))).toEqual(["erase"]);
    expect(names(only(server, ({ id }) => id.startsWith("c")))).toEqual(["count"]);
    expect(names(without(server, { tags: ["read", "write"] }))).toEqual(["fails"]);
    expect(names(without(server, { kinds: ["tool"] }), "prompt")).toEqual(["greet"]);
  });

  test("a filter and a change that are misspelled are refused", () => {
    expect(() => only(shop(), { tag: ["read"] } as never)).toThrow(/Unknown option "tag" of only\(\)/);
    expect(() => without(shop(), { name: ["a"] } as never)).toThrow(/Unknown option "name" of without\(\)/);
    expect(() => transform(shop(), { search: { description: "x" } as never })).toThrow(
      /Unknown option "description" of transform\(\) of tool "search"/,
    );
    expect(() => transform(shop(), { search: { arguments: { q: { pin: undefined } } } as never })).toThrow(
      /"pin" of the argument "q" is undefined/,
    );
  });

  test("a change that the schema of a tool does not allow names the tool when it is found", () => {
    const source = transform(shop(), { search: { arguments: { query: { name: "q" } } } });
    expect(() => source.find("tool", "search")).toThrow(/transform\(\) of tool "search": the tool has no argument "query"/);
    expect(names(source, "prompt")).toEqual(["greet"]);
  });
});
