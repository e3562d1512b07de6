/** Type tests: what handlers of a server are given, and what they may return. */
import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import * as z from "zod";
import { McpServer, text, withJsonSchema, type JsonObject, type RequestContext } from "tenon";

const server = new McpServer({ name: "types", version: "1" });

// Tools: input.
const zod = z.object({ a: z.string().transform(Number), b: z.number().default(1) });
server.tool("zod", { input: zod }, (input, context) => {
  expectTypeOf(input).toEqualTypeOf<{ a: number; b: number }>();
  expectTypeOf(context).toEqualTypeOf<RequestContext<undefined>>();
  return "";
});
const valibot = v.object({ a: v.string(), b: v.optional(v.number(), 1) });
server.tool("valibot", { input: withJsonSchema(valibot, { type: "object" }) }, (input) => {
  expectTypeOf(input).toEqualTypeOf<{ a: string; b: number }>();
  return "";
});
server.tool("arktype", { input: type({ a: "string", "b?": "number" }) }, (input) => {
  expectTypeOf(input).toEqualTypeOf<{ a: string; b?: number }>();
  return "";
});
server.tool(
  "json",
  {
    input: {
      type: "object",
      properties: { a: { type: "string" }, list: { type: "array", items: { enum: ["x", "y"] } } },
      required: ["a"],
    },
  },
  (input) => {
    expectTypeOf(input).toEqualTypeOf<{ a: string; list?: ("x" | "y")[] }>();
    return "";
  },
);
const asConst = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false } as const;
server.tool("as const", { input: asConst }, ({ n }) => {
  expectTypeOf(n).toEqualTypeOf<number>();
  return n;
});
server.tool("none", {}, (input) => {
  expectTypeOf(input).toEqualTypeOf<JsonObject>();
  return "";
});

// Tools: output. Without a schema anything with a JSON form goes; with one only what goes into it, or a whole result.
for (const value of ["", 1, true, null, undefined, 1n, { a: 1 }, [1], text("x")]) server.tool("any", {}, () => value);
server.tool("any, later", {}, () => Promise.resolve({ a: 1 }));
server.tool("nothing", {}, () => {});

const output = z.object({ sum: z.number(), unit: z.string().default("m") });
server.tool("fits", { output }, () => ({ sum: 1 }));
server.tool("fits too", { output }, (_input) => ({ sum: 1, unit: "km" }));
server.tool("fits later", { output }, async () => Promise.resolve({ sum: 1 }));
// Results written out need no `as const`.
server.tool("written out", { output }, () => ({ content: [{ type: "text", text: "Sorry" }], isError: true }));
server.tool("written out later", { output, input: zod }, async (_input, { log }) => {
  await log.info("");
  return { content: [{ type: "text", text: "Sorry" }], isError: true };
});
server.tool("whole", { output }, () => ({ content: [text("Sorry")], isError: true }));
const jsonOutput = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;
server.tool("JSON Schema fits", { output: jsonOutput }, () => ({ sum: 1 }));
// @ts-expect-error a string is no number
server.tool("wrong type", { output }, () => ({ sum: "1" }));
// @ts-expect-error a member is missing
server.tool("missing", { output }, () => ({ unit: "m" }));
// @ts-expect-error text alone is no structured content
server.tool("text", { output }, () => "1");
// @ts-expect-error neither is nothing
server.tool("no return", { output }, () => {});
// @ts-expect-error JSON Schema counts as well
server.tool("JSON Schema", { output: jsonOutput }, () => ({ sum: "1" }));
// @ts-expect-error functions have no JSON form, but an object around one cannot be told; a symbol can
server.tool("symbol", {}, () => Symbol("s"));
// @ts-expect-error the input has no such member
server.tool("unknown member", { input: zod }, ({ c }) => String(c));

// Templates: the variables are those of the text.
server.resourceTemplate("a://{x}/{y}{?q*}", {}, (variables, context) => {
  expectTypeOf(variables.x).toEqualTypeOf<string>();
  expectTypeOf(context).toEqualTypeOf<RequestContext<undefined>>();
  // @ts-expect-error no such variable
  return variables.z;
});
server.resourceTemplate("a://{x}", { complete: { x: (value, resolved) => [value, ...Object.values(resolved)] } }, ({ x }) => x);
// @ts-expect-error completes a variable that does not exist
server.resourceTemplate("a://{x}", { complete: { y: () => [] } }, () => "");
declare const anyTemplate: string;
server.resourceTemplate(anyTemplate, {}, (variables) => {
  expectTypeOf(variables["whatever"]).not.toEqualTypeOf<never>();
  return "";
});

// Resources.
server.resource("a://b", {}, (uri) => {
  expectTypeOf(uri).toEqualTypeOf<string>();
  return new Uint8Array();
});
server.resource("a://c", {}, () => [{ text: "", uri: "a://c/1" }, { blob: "" }]);
server.resource("a://d", {}, () => Promise.resolve(undefined));
// @ts-expect-error a number is no content
server.resource("a://e", {}, () => 7);

// Prompts.
server.prompt("schema", { input: z.object({ name: z.string(), tone: z.enum(["warm", "cold"]).optional() }) }, (input) => {
  expectTypeOf(input).toEqualTypeOf<{ name: string; tone?: "warm" | "cold" | undefined }>();
  return [{ role: "user", content: text(input.name) }];
});
server.prompt("none", {}, (input) => {
  expectTypeOf(input).toEqualTypeOf<{ [name: string]: string }>();
  return "";
});
// @ts-expect-error no such role
server.prompt("role", {}, () => ({ role: "system", content: text("") }));

// What the server opened is what every handler and middleware sees.
const opening = new McpServer({ name: "types", version: "1" }, { lifespan: async () => Promise.resolve({ db: 1 as const }) });
opening.tool("a", {}, (_input, { lifespan }) => {
  expectTypeOf(lifespan).toEqualTypeOf<{ db: 1 }>();
  return "";
});
opening.resource("a://b", {}, (_uri, { lifespan }) => {
  expectTypeOf(lifespan.db).toEqualTypeOf<1>();
  return "";
});
opening.prompt("a", {}, (_input, { lifespan }) => `${lifespan.db}`);
opening.use((next) => (context) => {
  expectTypeOf(context.lifespan).toEqualTypeOf<{ db: 1 }>();
  return next(context);
});
server.tool("nothing opened", {}, (_input, { lifespan }) => {
  expectTypeOf(lifespan).toEqualTypeOf<undefined>();
  return "";
});

// Handles change what they stand for, within its options.
const handle = server.tool("handle", {}, () => "");
handle.update({ description: "new" });
// @ts-expect-error no such option
handle.update({ descriptoin: "new" });

// Custom methods.
server.method("shop/zod", { params: zod, result: asConst }, (params, context) => {
  expectTypeOf(params).toEqualTypeOf<{ a: number; b: number }>();
  expectTypeOf(context).toEqualTypeOf<RequestContext<undefined>>();
  return { n: 1 };
});
server.method("shop/any", {}, (params) => {
  expectTypeOf(params).toEqualTypeOf<JsonObject>();
});
// @ts-expect-error the result does not match
server.method("shop/wrong", { result: asConst }, () => ({ n: "1" }));
// @ts-expect-error a result is an object
server.method("shop/text", {}, () => "text");
// @ts-expect-error a raw shape
server.method("shop/shape", { params: { a: z.string() } }, () => ({}));
