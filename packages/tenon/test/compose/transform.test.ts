/** Tools made from tools: what callers pass and see, over every transport and revision. */
import * as z from "zod";
import { type } from "arktype";
import { expect, test } from "vitest";
import { text, type CallToolResult, type Client, type ToolResult } from "tenon";
import { transform } from "tenon/compose";
import { McpServer, tool, type ToolSet } from "tenon/server";
import { describeMatrix } from "../support/matrix.ts";

const search = tool(
  {
    description: "Searches",
    input: z.object({ q: z.string(), key: z.string(), limit: z.number() }),
    output: z.object({ q: z.string(), key: z.string(), limit: z.number() }),
  },
  (input) => input,
);
const plain = tool(
  {
    input: {
      type: "object",
      properties: { q: { type: "string", description: "old" }, key: { type: "string" }, limit: { type: "number" } },
      required: ["q", "key", "limit"],
      dependentRequired: { q: ["limit"], key: ["q"] },
    } as const,
    output: { type: "object" },
  },
  (input) => input,
);
const CHANGES = { q: { name: "query", describe: "What to look for" }, key: { pin: "secret" }, limit: { default: 10 } } as const;

/** What a tool returned: in `data`, or as JSON on revisions without it. */
const dataOf = ({ data, text: json }: ToolResult): unknown => data ?? JSON.parse(json);
const served = (tools: ToolSet<undefined>, onError?: (error: unknown) => void): McpServer =>
  new McpServer({ name: "compose", version: "1" }, { tools, ...(onError && { onError }) });
const failureOf = async (client: Client, name: string, args: object): Promise<string> =>
  client.callTool(name, args as never).then(
    (result) => (result.isError ? result.text : "no failure"),
    (error: Error) => error.message,
  );

describeMatrix("transformed tools", ({ connect }) => {
  const tools = {
    zod: transform(search, { title: "Find", describe: "Finds", arguments: CHANGES }),
    json: transform(plain, { arguments: CHANGES }),
    late: transform(search, { arguments: { ...CHANGES, key: { pin: async ({ method }) => Promise.resolve(method) } } }),
    strict: transform(
      tool({ input: z.strictObject({ a: z.string(), b: z.string() }) }, ({ a, b }) => `${a}${b}`),
      {
        arguments: { a: { name: "x" }, b: { pin: "!" } },
      },
    ),
    swapped: transform(
      tool({ input: z.object({ a: z.string(), b: z.string() }) }, ({ a, b }) => `${a}${b}`),
      {
        arguments: { a: { name: "b" }, b: { name: "a" } },
      },
    ),
  };

  test("the schema has the new names, no pinned argument, and requires no argument with a default", async () => {
    const client = await connect(served(tools));
    const { tools: listed } = await client.listTools();
    const [zod, json] = listed.map(({ inputSchema }) => inputSchema);
    expect(zod).toMatchObject({
      properties: { query: { type: "string", description: "What to look for" }, limit: { type: "number", default: 10 } },
      required: ["query"],
    });
    expect(json).toEqual({
      type: "object",
      properties: { query: { type: "string", description: "What to look for" }, limit: { type: "number", default: 10 } },
      required: ["query"],
      dependentRequired: {},
    });
    expect(JSON.stringify([zod, json])).not.toMatch(/secret|"key"/);
    expect(listed[0]).toMatchObject({ name: "zod", description: "Finds" });
  });

  test.each(["zod", "json"] as const)("arguments arrive under the old names, with pins and defaults: %s", async (name) => {
    const client = await connect(served(tools));
    expect(dataOf(await client.callTool(name, { query: "cats" }))).toEqual({ q: "cats", key: "secret", limit: 10 });
    expect(dataOf(await client.callTool(name, { query: "cats", limit: 3 }))).toEqual({ q: "cats", key: "secret", limit: 3 });
  });

  test.each(["zod", "json", "late"] as const)("what callers send under an old name reaches nothing: %s", async (name) => {
    const client = await connect(served(tools));
    const result = await client.callTool(name, { query: "cats", q: "dogs", key: "mine" });
    expect(dataOf(result)).toEqual({ q: "cats", key: name === "late" ? "tools/call" : "secret", limit: 10 });
    expect(await failureOf(client, name, { q: "dogs" })).toMatch(/query/);
  });

  test("a schema that refuses unknown names refuses old ones", async () => {
    const client = await connect(served(tools));
    expect((await client.callTool("strict", { x: "a" })).text).toBe("a!");
    expect(await failureOf(client, "strict", { x: "a", a: "b" })).toContain("a: is not an argument of this tool");
    expect(await failureOf(client, "strict", { x: "a", b: "b" })).toContain("b: is not an argument of this tool");
  });

  test("two arguments can swap their names", async () => {
    const client = await connect(served(tools));
    expect((await client.callTool("swapped", { a: "1", b: "2" })).text).toBe("21");
  });

  test.each(["zod", "json", "late"] as const)("errors name the argument as callers know it: %s", async (name) => {
    const client = await connect(served(tools));
    const failure = await failureOf(client, name, { query: 7 });
    expect(failure).toContain(`tool "${name}": query: `);
    expect(failure).not.toMatch(/\bq\b/);
  });

  test("a library that writes the name into its message writes the new one", async () => {
    const ark = transform(
      tool({ input: type({ q: "string" }) }, ({ q }) => q),
      { arguments: { q: { name: "query" } } },
    );
    const client = await connect(served({ ark }));
    expect(await failureOf(client, "ark", { query: 1 })).toContain("query must be a string");
  });

  test("a pin that the tool's schema refuses is the server's failure, and callers see nothing of it", async () => {
    const errors: unknown[] = [];
    const wrong = transform(search, { arguments: { key: { pin: 7 as never }, q: { pin: (() => 8) as never } } });
    const client = await connect(served({ wrong }, (error) => errors.push(error)));
    const failure = await failureOf(client, "wrong", { limit: 1 });
    expect(failure).toMatch(/Internal error|failed/i);
    expect(failure).not.toMatch(/key|pin|string/);
    expect(String(errors[0])).toMatch(/pin of the argument "(?:q|key)"/);
  });

  test("a pinned object is a new one in every call", async () => {
    const grown = tool(
      { input: { type: "object", properties: { list: { type: "array", items: { type: "string" } } } } as const },
      (input) => {
        input.list!.push("x");
        return String(input.list!.length);
      },
    );
    const client = await connect(served({ grown: transform(grown, { arguments: { list: { pin: [] } } }) }));
    expect((await client.callTool("grown")).text).toBe("1");
    expect((await client.callTool("grown")).text).toBe("1");
  });

  test("a result is made from the data; failures pass unchanged", async () => {
    const failed: CallToolResult = { content: [text("Sorry")], isError: true };
    const wholeResult: CallToolResult = { content: [text("ignored")], structuredContent: { hits: ["a", "b"] } };
    const noHits: { hits?: string[] } = {};
    const whole = tool(
      { output: z.object({ hits: z.array(z.string()).default(["none"]) }), input: z.object({ how: z.string() }) },
      ({ how }) => {
        if (how === "fail") return failed;
        return how === "whole" ? wholeResult : noHits;
      },
    );
    const first = transform(whole, { result: ({ hits }) => hits[0]! });
    const count = transform(whole, { output: z.object({ count: z.number() }), result: ({ hits }) => ({ count: hits.length }) });
    const shout = transform(
      tool({}, () => "text"),
      { result: async (data) => Promise.resolve(data.toUpperCase()) },
    );
    const client = await connect(served({ first, count, shout }));
    expect((await client.callTool("first", { how: "whole" })).text).toBe("a");
    expect((await client.callTool("first", { how: "default" })).text).toBe("none");
    expect(dataOf(await client.callTool("count", { how: "whole" }))).toEqual({ count: 2 });
    expect(await client.callTool("count", { how: "fail" })).toMatchObject({ isError: true, text: "Sorry" });
    expect((await client.callTool("shout")).text).toBe("TEXT");
    const { tools: listed } = await client.listTools();
    expect(listed.find(({ name }) => name === "first")?.outputSchema).toBeUndefined();
  });

  test("questions of the original reach the client, and the result is made of the last return", async () => {
    const asking = tool({}, async (_input, context) => (await context.roots()).map(({ uri }) => uri).join());
    const client = await connect(served({ asking: transform(asking, { result: (data) => `answered ${data}` }) }), {
      roots: [{ uri: "file:///a" }],
    });
    expect((await client.callTool("asking")).text).toBe("answered file:///a");
  });

  test("a set is transformed by name; tools get new names, and old names are unknown", async () => {
    const set = transform({ search, other: tool({}, () => "other") }, { search: { name: "find", arguments: CHANGES } });
    const client = await connect(served(set));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["find", "other"]);
    expect(dataOf(await client.callTool("find", { query: "x" }))).toMatchObject({ q: "x" });
    expect(await failureOf(client, "search", {})).toBe("Unknown tool: search");
  });
});
