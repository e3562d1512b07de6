/** Type tests: what callers see of tools that are made from tools. */
import { expectTypeOf } from "vitest";
import * as z from "zod";
import { connect, McpServer, tool, type RequestContext } from "tenon";
import type { ToolDefinition } from "tenon/server";
import { join, only, prefix, transform, without } from "tenon/compose";

const search = tool(
  {
    input: z.object({ q: z.string(), key: z.string(), limit: z.number(), lang: z.string().optional() }),
    output: z.object({ hits: z.array(z.string()) }),
  },
  ({ q }) => ({ hits: q.split(" ") }),
);
const json = { type: "object", properties: { n: { type: "integer" }, m: { type: "integer" } }, required: ["n", "m"] } as const;
const sums = { add: tool({ input: json }, ({ n, m }) => String(n + m)), none: tool({}, () => 1) };

// Names, pins and defaults.
const find = transform(search, {
  describe: "Finds",
  arguments: {
    q: { name: "query" },
    key: { pin: async (context) => Promise.resolve(context.principal ?? "") },
    limit: { default: 10 },
  },
});
expectTypeOf(find).toExtend<
  ToolDefinition<{ query: string; limit?: number; lang?: string | undefined }, { hits: string[] }, unknown>
>();
const renamedDefault = transform(search, { arguments: { limit: { name: "max", default: 3 } } });

// Results.
const first = transform(search, {
  result: ({ hits }, context) => {
    expectTypeOf(hits).toEqualTypeOf<string[]>();
    expectTypeOf(context).toEqualTypeOf<RequestContext>();
    return hits[0] ?? "none";
  },
});
const counted = transform(search, { output: z.object({ count: z.number() }), result: ({ hits }) => ({ count: hits.length }) });
const object = transform(search, { result: async ({ hits }) => Promise.resolve({ count: hits.length }) });

// Sets.
const tools = {
  ...prefix("math", sums),
  ...transform(
    { search, other: sums.none },
    { search: { name: "look", arguments: { q: { name: "text" }, key: { pin: "k" }, limit: { default: 1 } } } },
  ),
  ...only({ kept: sums.add, gone: sums.none }, "kept"),
  ...without({ left: sums.none, taken: sums.add }, "taken"),
  ...join({ a: sums.add }, { b: sums.none }),
  find,
  renamedDefault,
  first,
  counted,
  object,
};
const server = new McpServer({ name: "types", version: "1" }, { tools });
const client = await connect<typeof server>("https://example.com/mcp");
expectTypeOf(await client.call.find({ query: "x" })).toEqualTypeOf<{ hits: string[] }>();
expectTypeOf(await client.call.find({ query: "x", limit: 1, lang: "de" })).toEqualTypeOf<{ hits: string[] }>();
expectTypeOf(await client.call.renamedDefault({ q: "x", key: "k", max: 1 })).toEqualTypeOf<{ hits: string[] }>();
expectTypeOf(await client.call.renamedDefault({ q: "x", key: "k" })).toEqualTypeOf<{ hits: string[] }>();
expectTypeOf(await client.call.first({ q: "x", key: "k", limit: 1 })).toEqualTypeOf<string>();
expectTypeOf(await client.call.counted({ q: "x", key: "k", limit: 1 })).toEqualTypeOf<{ count: number }>();
expectTypeOf(await client.call.object({ q: "x", key: "k", limit: 1 })).toEqualTypeOf<unknown>();
expectTypeOf(await client.call.math__add({ n: 1, m: 2 })).toEqualTypeOf<string>();
expectTypeOf(await client.call.look({ text: "x" })).toEqualTypeOf<{ hits: string[] }>();
expectTypeOf(await client.call.other()).toEqualTypeOf<unknown>();
expectTypeOf(await client.call.kept({ n: 1, m: 2 })).toEqualTypeOf<string>();
expectTypeOf(await client.call.a({ n: 1, m: 2 })).toEqualTypeOf<string>();
await client.call.left();
await client.call.b();

// @ts-expect-error the old name is unknown
await client.call.find({ q: "x" });
// @ts-expect-error a pinned argument cannot be passed
await client.call.find({ query: "x", key: "k" });
// @ts-expect-error the old name of a tool is unknown
client.call.search({});
// @ts-expect-error the old name without the prefix
client.call.add({ n: 1, m: 2 });
// @ts-expect-error the tool was left out
client.call.gone();
// @ts-expect-error the tool was taken out
client.call.taken({});

// @ts-expect-error no such argument
transform(search, { arguments: { query: { name: "q" } } });
// @ts-expect-error the pin is of the wrong type
transform(search, { arguments: { limit: { pin: "10" } } });
// @ts-expect-error a function makes a value of the wrong type
transform(search, { arguments: { limit: { pin: () => "10" } } });
// @ts-expect-error the default is of the wrong type
transform(search, { arguments: { limit: { default: "10" } } });
// @ts-expect-error no such option
transform(search, { description: "x" });
// @ts-expect-error the tool is named by its key
transform(search, { name: "x" });
// @ts-expect-error the result does not match the schema
transform(search, { output: z.object({ count: z.number() }), result: () => ({ count: "1" }) });
// @ts-expect-error no such tool
transform(sums, { ad: { describe: "x" } });
// @ts-expect-error no such argument of a tool
transform(sums, { add: { arguments: { k: { name: "x" } } } });
// @ts-expect-error no such tool
only(sums, "ad");
// @ts-expect-error no such tool
without(sums, "ad");
