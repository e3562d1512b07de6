/** Forms of zod in the protocol's subset, pictures in every spelling of base64, and documents of an API on a private host. */
import { expect, it } from "vitest";
import { connect, type ElicitRequestFormParams, type JsonObject } from "tenon";
import { toAnthropic } from "tenon/models";
import { fromOpenApi } from "tenon/openapi";
import { audio, image, McpServer } from "tenon/server";
import * as z from "zod";
import { json, oneOperation, startApi } from "../openapi/api.ts";
import { testServer } from "../support/test-server.ts";

const Priority = z.enum(["low", "high"]).meta({ id: "Priority", title: "Priority" });
const titled = z.union([z.literal("a").meta({ title: "A!" }), z.literal("b").meta({ title: "B!" })]);

/** The form that a client gets for a schema, and what the handler gets for the answer. */
async function asked(
  schema: z.ZodObject,
  content: JsonObject,
  revision: string,
): Promise<{ form: unknown; required: unknown; got: unknown }> {
  const server = testServer();
  server.tool("ask", {}, async (_input, ctx) => JSON.stringify(await ctx.elicit("q", { message: "?", schema })));
  let form: ElicitRequestFormParams["requestedSchema"] | undefined;
  const client = await connect(server, {
    revision: revision as "2025-11-25",
    onElicit: (question) => {
      if ("requestedSchema" in question) form = question.requestedSchema;
      return { action: "accept", content: content as Record<string, string> };
    },
  });
  const { text } = await client.callTool("ask");
  return { form: form?.properties, required: form?.required, got: (JSON.parse(text) as { content?: unknown }).content };
}

it.each<[string, z.ZodObject, JsonObject, JsonObject]>([
  [
    "an enum that is a schema of its own",
    z.object({ p: Priority }),
    { p: { type: "string", enum: ["low", "high"], title: "Priority" } },
    { p: "low" },
  ],
  ["one with a default", z.object({ p: Priority.default("low") }), { p: { default: "low", title: "Priority" } }, { p: "high" }],
  [
    "titled choices",
    z.object({ p: titled }),
    {
      p: {
        type: "string",
        oneOf: [
          { const: "a", title: "A!" },
          { const: "b", title: "B!" },
        ],
      },
    },
    { p: "b" },
  ],
  [
    "choices without titles",
    z.object({ p: z.union([z.literal("a"), z.literal("b")]) }),
    { p: { type: "string", enum: ["a", "b"] } },
    { p: "a" },
  ],
  [
    "several of an enum",
    z.object({ p: z.array(Priority).min(1) }),
    { p: { type: "array", minItems: 1, items: { type: "string", enum: ["low", "high"] } } },
    { p: ["low"] },
  ],
  [
    "several titled choices",
    z.object({ p: z.array(titled) }),
    {
      p: {
        items: {
          anyOf: [
            { const: "a", title: "A!" },
            { const: "b", title: "B!" },
          ],
        },
      },
    },
    { p: ["a"] },
  ],
  ["a nullish number", z.object({ p: z.number().nullish() }), { p: { type: "number" } }, { p: 1 }],
])("%s is a field [FD-08]", async (_name, schema, wanted, answer) => {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const { form, got } = await asked(schema, answer, revision);
    expect(form).toMatchObject(wanted);
    expect(JSON.stringify(form)).not.toContain("$ref");
    expect(got).toEqual(answer);
  }
});

it("titled choices have names beside them before 2025-11-25 [FD-08]", async () => {
  expect((await asked(z.object({ p: titled }), { p: "a" }, "2025-06-18")).form).toMatchObject({
    p: { enum: ["a", "b"], enumNames: ["A!", "B!"] },
  });
});

it("a field that may be null may be left out, and is null then [FD-08]", async () => {
  const { form, required, got } = await asked(
    z.object({ p: z.string().nullable(), q: Priority.nullable(), r: z.string() }),
    { r: "x" },
    "2025-11-25",
  );
  expect(form).toMatchObject({ p: { type: "string" }, q: { type: "string", enum: ["low", "high"] } });
  expect(required).toEqual(["r"]);
  expect(got).toEqual({ p: null, q: null, r: "x" });
});

it.each([
  ["data:image/png;base64,+/+/AQ==", "+/+/AQ=="],
  ["-_-_AQ", "+/+/AQ=="],
  ["+/+/\r\nAQ==\n", "+/+/AQ=="],
  ["+/+/AQ", "+/+/AQ=="],
])("image() and audio() send %j as standard base64 [FD-23]", (given, data) => {
  expect(image(given, "image/png").data).toBe(data);
  expect(audio(given, "audio/wav").data).toBe(data);
});

it.each(["no base64!", "data:image/svg+xml,<svg/>", "AAAAA", new ArrayBuffer(3), [1, 2], { 0: 1 }, undefined])(
  "image() throws at once for %j [FD-23]",
  (given) => {
    expect(() => image(given as string, "image/png")).toThrow(TypeError);
  },
);

it("pictures of any server reach a model in standard base64 [FD-23]", async () => {
  const server = testServer();
  server.tool("draw", {}, () => ({ content: [{ type: "image", data: "-_-_\nAQ", mimeType: "image/png" }] }));
  const { run } = await toAnthropic(await connect(server));
  expect(JSON.stringify((await run({ content: [{ type: "tool_use", id: "c", name: "draw", input: {} }] })).content)).toContain(
    '"+/+/AQ=="',
  );
});

it("a document that is fetched by its URL is trusted to name its own host", async () => {
  const { url } = await startApi((response, { target }) =>
    json(response, target === "/openapi.json" ? oneOperation({}, { servers: [{ url: "/v1" }] }) : { at: target }),
  );
  const { server, report } = await fromOpenApi(`${url}/openapi.json`);
  expect(report).toMatchObject([{ status: "tool" }]);
  expect((await (await connect(server)).callTool("call")).text).toBe('{"at":"/v1/things"}');
});

it("a document without a tool is reported with the first reason, and its server lists none", async () => {
  const errors: string[] = [];
  const { server } = await fromOpenApi(oneOperation({ deprecated: true }), {
    baseUrl: "https://k.example",
    onError: ({ message }) => errors.push(message),
  });
  expect(errors).toEqual([expect.stringContaining("The first, GET /things: it is deprecated")]);
  expect((await (await connect(server)).listTools()).tools).toEqual([]);
  expect((await (await connect(new McpServer({ name: "x", version: "1" }, { tools: {} }))).listTools()).tools).toEqual([]);
});
