/** Types of asking: the content of an answer follows from the schema, and the three actions are distinguished. */
import { expectTypeOf } from "vitest";
import {
  inputRequired,
  McpServer,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type JsonSchema,
  type Root,
} from "tenon";
import * as z from "zod";

const server = new McpServer({ name: "s", version: "1" });
const schema = z.object({ row: z.int(), letter: z.enum(["A", "B"]).default("A") });

server.tool("ask", { output: z.object({ ok: z.boolean() }) }, async (_input, ctx) => {
  const seat = await ctx.elicit("seat", { message: "?", schema });
  expectTypeOf(seat.action).toEqualTypeOf<"accept" | "decline" | "cancel">();
  if (seat.action === "accept") expectTypeOf(seat.content).toEqualTypeOf<{ row: number; letter: "A" | "B" }>();
  else expectTypeOf(seat.content).toEqualTypeOf<undefined>();

  const json = await ctx.elicit("json", {
    message: "?",
    schema: { type: "object", properties: { n: { type: "integer" }, s: { type: "string" } }, required: ["n"] },
  });
  if (json.action === "accept") expectTypeOf(json.content).toEqualTypeOf<{ n: number; s?: string }>();

  expectTypeOf(await ctx.confirm("sure", "Sure?")).toEqualTypeOf<boolean>();
  expectTypeOf(await ctx.elicitUrl("page", { message: "?", url: "https://a.example" })).toEqualTypeOf<
    "accept" | "decline" | "cancel"
  >();
  expectTypeOf(await ctx.roots()).toEqualTypeOf<readonly Root[]>();
  expectTypeOf(await ctx.step("s", () => ({ at: 1 }))).toEqualTypeOf<{ at: number }>();
  expectTypeOf(await ctx.sample("plain", { messages: [], maxTokens: 1 })).toEqualTypeOf<CreateMessageResult>();
  expectTypeOf(
    await ctx.sample("tools", { messages: [], maxTokens: 1, tools: [] }),
  ).toEqualTypeOf<CreateMessageResultWithTools>();
  if (ctx.requestState === undefined) return inputRequired({ requestState: "1" });
  return { ok: true };
});
server.prompt("ask", {}, () => inputRequired({ requestState: "1" }));
server.resource("a://b", {}, () => inputRequired({ requestState: "1" }));

server.tool("nested", {}, async (_input, ctx) => {
  // @ts-expect-error A form has no objects
  await ctx.elicit("a", { message: "?", schema: z.object({ name: z.string(), address: z.object({ city: z.string() }) }) });
  // @ts-expect-error A form has lists of texts only
  await ctx.elicit("b", { message: "?", schema: z.object({ sizes: z.array(z.number()).optional() }) });
  await ctx.elicit("c", {
    message: "?",
    // @ts-expect-error A form has no objects
    schema: { type: "object", properties: { to: { type: "object", properties: { city: { type: "string" } } } } },
  });
  await ctx.elicit("flat", {
    message: "?",
    schema: z.object({
      text: z.string().nullish(),
      date: z.iso.date(),
      size: z.number().default(1),
      sure: z.boolean().optional(),
      one: z.union([z.literal("a"), z.literal("b")]),
      some: z.array(z.enum(["x", "y"])),
      upper: z.string().transform((text) => ({ text })),
    }),
  });
  const read: JsonSchema = JSON.parse("{}") as JsonSchema; // of a type that is not known before
  await ctx.elicit("read", { message: "?", schema: read });
  await ctx.elicit("any", { message: "?", schema: z.object({ anything: z.any(), unknown: z.unknown() }) });
  return "";
});
