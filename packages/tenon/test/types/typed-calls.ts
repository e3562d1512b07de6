/** Type tests: a server's tools as functions of its client. */
import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import * as z from "zod";
import { connect, McpServer, text, tool, withJsonSchema, type Client, type JsonObject, type RequestContext } from "tenon";
import { only, wrap } from "tenon/compose";
import type { ToolsOf } from "tenon/server";

interface Database {
  read(key: string): string;
}

const add = tool(
  {
    description: "Adds",
    input: z.object({ a: z.number(), b: z.number().default(1) }),
    output: z.object({ sum: z.number(), unit: z.string().default("m") }),
  },
  ({ a, b }) => {
    expectTypeOf([a, b]).toEqualTypeOf<number[]>();
    return { sum: a + b };
  },
);
const json = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
const server = new McpServer(
  { name: "types", version: "1" },
  {
    tools: {
      add,
      json: tool({ input: json, output: json }, ({ n }) => ({ n })),
      ark: tool({ input: type({ a: "string", "b?": "number" }) }, () => "text"),
      valibot: tool({ input: withJsonSchema(v.object({ a: v.optional(v.string(), "x") }), { type: "object" }) }, () =>
        Promise.resolve("text"),
      ),
      number: tool({ output: z.number() }, () => 1),
      anything: tool({}, () => ({ some: "object" })),
      whole: tool({ output: z.object({ ok: z.boolean() }) }, () => ({
        content: [{ type: "text", text: "Sorry" }],
        isError: true,
      })),
      content: tool({}, () => [text("a")]),
      asking: tool({}, async (_input, ctx) => {
        expectTypeOf(ctx).toEqualTypeOf<RequestContext>();
        return String(await ctx.confirm("sure", "Sure?"));
      }),
    },
  },
);

// In process the type comes with the server, over everything else it is named; nothing of the server is imported for that.
const local = await connect(server);
const remote = await connect<typeof server>("https://example.com/mcp");
const child = await connect<typeof server>({ command: "node", args: ["server.js"] });
expectTypeOf(local).toEqualTypeOf(remote);
expectTypeOf(child).toEqualTypeOf(remote);

expectTypeOf(await local.call.add({ a: 1 })).toEqualTypeOf<{ sum: number; unit: string }>();
expectTypeOf(await remote.call.add({ a: 1, b: 2 }, { timeout: 5 })).toEqualTypeOf<{ sum: number; unit: string }>();
expectTypeOf(await local.call.json({ n: 1 })).toEqualTypeOf<{ n: number }>();
expectTypeOf(await local.call.ark({ a: "x" })).toEqualTypeOf<string>();
expectTypeOf(await local.call.valibot()).toEqualTypeOf<string>();
expectTypeOf(await local.call.number()).toEqualTypeOf<unknown>();
expectTypeOf(await local.call.anything({ more: 1 })).toEqualTypeOf<unknown>();
expectTypeOf(await local.call.whole({})).toEqualTypeOf<{ ok: boolean }>();
expectTypeOf(await local.call.content()).toEqualTypeOf<unknown>();
expectTypeOf(await local.call.asking()).toEqualTypeOf<string>();
expectTypeOf<Parameters<typeof local.call.anything>[0]>().toEqualTypeOf<JsonObject | undefined>();

// @ts-expect-error no such tool
local.call.subtract({ a: 1, b: 2 });
// @ts-expect-error an argument is missing
await local.call.add({ b: 1 });
// @ts-expect-error arguments are required
await local.call.add();
// @ts-expect-error an argument is of the wrong type
await local.call.add({ a: "1" });
// @ts-expect-error an argument there is not
await local.call.json({ n: 1, m: 2 });
// @ts-expect-error no such option
await local.call.add({ a: 1 }, { timeuot: 1 });

// What the handler returns is checked as for server.tool().
// @ts-expect-error a string is no number
tool({ output: z.object({ sum: z.number() }) }, () => ({ sum: "1" }));
// @ts-expect-error a member is missing
tool({ output: z.object({ sum: z.number() }) }, () => ({}));
// @ts-expect-error the input has no such member
tool({ input: z.object({ a: z.number() }) }, ({ b }) => String(b));

// A client whose tools are known is a client; one whose tools are not has none by name.
expectTypeOf(local).toExtend<Client>();
expectTypeOf(await connect(new McpServer({ name: "a", version: "1" }))).toEqualTypeOf<Client>();
expectTypeOf(await connect("https://example.com/mcp")).toEqualTypeOf<Client>();
expectTypeOf<keyof Client["call"]>().toEqualTypeOf<never>();

// The lifespan: handlers that use it say so, and the server must have it.
const lookUp = tool({ input: z.object({ key: z.string() }) }, ({ key }, ctx: RequestContext<Database>) => ctx.lifespan.read(key));
const withDatabase = new McpServer(
  { name: "a", version: "1" },
  { lifespan: (): Database => ({ read: (key) => key }), tools: { lookUp, add } },
);
expectTypeOf(await (await connect(withDatabase)).call.lookUp({ key: "a" })).toEqualTypeOf<string>();
// @ts-expect-error this server has no database
export const withoutDatabase: unknown = new McpServer({ name: "a", version: "1" }, { tools: { lookUp } });
// Mounted servers: their tools under the names that clients call them by, two mounts deep.
const dotted = new McpServer({ name: "a", version: "1" }, { tools: { "a.b": add, plain: add, _x: add } });
const middle = new McpServer({ name: "a", version: "1" }, { mounts: { in: dotted } });
const untyped = new McpServer({ name: "a", version: "1" });
const logged = wrap(server, (next) => (ctx) => next(ctx));
const mounts = { sums: server, deep: middle, untyped, logged, part: only(server, { names: ["add"] }) };
const outer = new McpServer(
  { name: "a", version: "1" },
  { tools: { lookUp, own: add }, mounts, lifespan: (): Database => ({ read: (key) => key }) },
);
const mounting = await connect<typeof outer>("https://example.com/mcp");
expectTypeOf(mounting).toEqualTypeOf(await connect(outer));
expectTypeOf(await mounting.call.sums__add({ a: 1 })).toEqualTypeOf<{ sum: number; unit: string }>();
expectTypeOf(await mounting.call.sums__json({ n: 1 })).toEqualTypeOf<{ n: number }>();
expectTypeOf(await mounting.call.logged__ark({ a: "x" })).toEqualTypeOf<string>();
expectTypeOf(await mounting.call.deep__in__plain({ a: 1 })).toEqualTypeOf<{ sum: number; unit: string }>();
expectTypeOf(await mounting.call.deep__in___x({ a: 1 })).toEqualTypeOf<{ sum: number; unit: string }>();
expectTypeOf(await mounting.call.own({ a: 1 })).toEqualTypeOf<{ sum: number; unit: string }>();
expectTypeOf(await mounting.call.lookUp({ key: "a" })).toEqualTypeOf<string>();
expectTypeOf<keyof ToolsOf<typeof middle>>().toEqualTypeOf<"in__plain" | "in___x">();
expectTypeOf(outer).toExtend<McpServer<Database>>();
// @ts-expect-error an argument of a mounted tool is of the wrong type
await mounting.call.sums__add({ a: "1" });
// @ts-expect-error the name without the prefix
mounting.call.add({ a: 1 });
// @ts-expect-error what a filter leaves over is known only when it runs
mounting.call.part__add({ a: 1 });
// @ts-expect-error a tool is no source
export const noSource: unknown = new McpServer({ name: "a", version: "1" }, { mounts: { add } });

// Tools of both kinds go together; only those of the option are known.
server.tool("later", {}, () => "");
// @ts-expect-error a statement does not change the type of the server
await local.call.later();
