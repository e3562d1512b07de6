/** Type tests: mistakes of a user who writes a server, and the compiler's messages. */
import { expectTypeOf } from "vitest";
import * as z from "zod";
import {
  McpServer,
  text,
  tool,
  type CallToolResult,
  type Client,
  type JsonObject,
  type Middleware,
  type Registered,
} from "tenon";
import { rateLimit } from "tenon/middleware";
import type { ListToolsResult, Tool } from "tenon";
import type { RequestContext } from "tenon/server";

const server = new McpServer({ name: "types", version: "1" });

// A raw shape: the error is the text of `WholeSchema`, whether the handler reads its input or not.
// @ts-expect-error wrap it in z.object
server.tool("raw input, ignored", { input: { a: z.number() } }, () => "x");
// @ts-expect-error wrap it in z.object
server.tool("raw input, as a variable", { input: { a: z.number() } }, (input) => String(input));
// @ts-expect-error wrap it in z.object
server.tool("raw output", { output: { a: z.number() } }, () => ({ a: 1 }));
// @ts-expect-error wrap it in z.object
tool({ input: { a: z.number() } }, () => "x");
// @ts-expect-error wrap it in z.object
server.prompt("raw", { input: { a: z.string() } }, () => "x");
server.tool("wrapped", { input: z.object({ a: z.number() }), output: z.object({ b: z.number() }) }, ({ a }) => ({ b: a }));
server.tool("JSON Schema", { input: { type: "object", properties: { a: { type: "number" } } } }, ({ a = 1 }) => a);

// An object with a list named `content` is a result, and has to be a whole one.
// @ts-expect-error a block has no `txt`
server.tool("misspelled", {}, () => ({ content: [{ type: "text", txt: "x" }] }));
// @ts-expect-error a block has no `txt`
server.tool("misspelled later", {}, async () => Promise.resolve({ content: [{ type: "text" as const, txt: "x" }] }));
// @ts-expect-error blocks are no strings
server.tool("strings", {}, () => ({ content: ["x"] }));
// @ts-expect-error a block has no `txt`
tool({}, () => ({ content: [{ type: "text", txt: "x" }] }));
server.tool("result", {}, () => ({ content: [{ type: "text", text: "x" }] }));
server.tool("result and more", {}, () => ({ content: [text("x")], _meta: { a: 1 } }));
server.tool("result, declared", {}, (): CallToolResult => ({ content: [] }));
server.tool("content that is not a list", {}, () => ({ content: "x", list: [1] }));
server.tool("content that is an object", {}, () => ({ content: { a: 1 } }));
server.tool("data", { output: z.object({ content: z.array(z.string()) }) }, () => ({ content: ["x"] }));
server.tool("unknown members", {}, (): JsonObject => ({}));
server.tool("list", {}, () => [{ content: ["x"] }]);
interface Named {
  name: string;
  list: Named[];
}
server.tool("interface", {}, (): Named => ({ name: "a", list: [] }));
server.tool("date", {}, () => new Date());

// The handle of any registration.
const handles = new Map<string, Registered>();
handles.set(
  "tool",
  server.tool("a", {}, () => "x"),
);
handles.set(
  "prompt",
  server.prompt("a", {}, () => "x"),
);
handles.set(
  "resource",
  server.resource("a://b", {}, () => "x"),
);

// Middleware of one method knows its params and its result, on both sides; ready-made middleware fits any.
server.use("tools/list", (next) => async (context) => {
  expectTypeOf(context.params.cursor).toEqualTypeOf<string | undefined>();
  const result = await next(context);
  expectTypeOf(result).toEqualTypeOf<ListToolsResult>();
  return { ...result, tools: result.tools.filter((listed) => listed.name !== context.principal) };
});
server.use("tools/call", (next) => (context) => {
  expectTypeOf(context.params.name).toEqualTypeOf<string>();
  // @ts-expect-error it is called `arguments`
  void context.params.args.a;
  return next(context);
});
server.use("resources/list", (next) => async (context) => {
  // @ts-expect-error the result of this method has no tools
  void (await next(context)).tools;
  return next(context);
});
server.use("tools/call", rateLimit({ limit: 1 }));
declare const anyRequest: Middleware<RequestContext<undefined>>;
server.use("tools/list", anyRequest);
server.use("tools/list" as string, anyRequest);
// @ts-expect-error `tools` is a list
server.use("tools/list", () => () => ({ tools: "none" }));
// @ts-expect-error `tools` is missing
server.use("tools/list", () => async () => Promise.resolve({}));
// @ts-expect-error each tool has a name
server.use("tools/list", (next) => async (context) => ({ ...(await next(context)), tools: [{ title: "A" }] }));
// @ts-expect-error one of the two results has no content
server.use("tools/call", (next) => (context) => (context.params.name === "a" ? { contents: [] } : next(context)));
server.use("own/method", () => () => ({ tools: "none" }));
server.use("own/method", (next) => (context) => {
  expectTypeOf(context.params).toEqualTypeOf<JsonObject>();
  return next(context);
});
declare const client: Client;
client.use("tools/list", (next) => async (context) => {
  expectTypeOf(context.options.timeout).toEqualTypeOf<number | undefined>();
  const result = await next(context);
  expectTypeOf(result.tools).toEqualTypeOf<readonly Tool[]>();
  return { ...result, tools: result.tools.slice(1) };
});
client.use("tools/list", rateLimit({ limit: 1 }));
// @ts-expect-error `tools` is a list
client.use("tools/list", () => () => ({ tools: "none" }));

// What a callback of progress returns is ignored.
const seen: unknown[] = [];
await client.callTool("a", {}, { onProgress: (step) => seen.push(step) });
await client.callTool("a", {}, { onProgress: async (step) => Promise.resolve(step.progress) });
