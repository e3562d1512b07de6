/** What a server refuses when something is registered, so that no call has to find it out. */
import { describe, expect, it, test } from "vitest";
import * as v from "valibot";
import { type } from "arktype";
import * as z from "zod";
import * as z3 from "zod/v3";
import { connect, type McpServer, withJsonSchema, type AnySchema } from "tenon";
import { testServer } from "../support/test-server.ts";

const createServer = (): McpServer => testServer();
/** Options as a program without types writes them. */
const untyped = (options: unknown): object => options as object;

test("a schema of zod that is too old is refused, and the error says which zod is needed", () => {
  const options = untyped({ input: z3.object({ city: z3.string() }) });
  expect(() => createServer().tool("a", options, () => "")).toThrow(
    new TypeError(
      'The input of tool "a" is a zod schema that cannot produce its JSON Schema: ' +
        'use zod 4.2 or newer (npm install zod@latest), imported from "zod", or pass withJsonSchema(schema, jsonSchema)',
    ),
  );
});

describe("A raw shape", () => {
  it("is refused in place of an object schema, and the error says what to write", () => {
    const server = createServer();
    const shape = untyped({ input: { city: z.string() } });
    const wrap = "is an object of schemas: wrap it in z.object({ city: … })";
    expect(() => server.tool("a", shape, () => "")).toThrow(new TypeError(`The input of tool "a" ${wrap}`));
    expect(() => server.prompt("a", shape, () => "")).toThrow(new TypeError(`The input of prompt "a" ${wrap}`));
    const output = untyped({ output: { city: z.string() } });
    expect(() => server.tool("a", output, () => "")).toThrow(new TypeError(`The output of tool "a" ${wrap}`));
  });
});

describe("An argument of a prompt", () => {
  const refused: [string, AnySchema][] = [
    ["a number", z.object({ n: z.number() })],
    ["a number that may be left out", z.object({ n: z.number().optional() })],
    ["a boolean among strings", z.object({ a: z.string(), n: z.boolean() })],
    ["a list", z.object({ n: z.array(z.string()) })],
    ["an object", z.object({ n: z.object({ a: z.string() }) })],
    ["a literal number", z.object({ n: z.literal(5) })],
    ["a number or a boolean", z.object({ n: z.union([z.number(), z.boolean()]) })],
    ["a number of arktype", type({ n: "number" })],
    ["a number in JSON Schema", { type: "object", properties: { n: { type: "integer" } } }],
    ["an enum of numbers in JSON Schema", { type: "object", properties: { n: { enum: [1, 2] } } }],
    ["a number beside a JSON Schema of its own", withJsonSchema(v.object({ n: v.number() }), numberSchema())],
  ];
  it.each(refused)("that is %s is refused by name when the prompt is registered", (_what, input) => {
    expect(() => createServer().prompt("ask", { input }, () => "")).toThrow(
      /^Argument "n" of prompt "ask" takes no string: clients send/,
    );
  });

  const taken: [string, AnySchema][] = [
    ["a string", z.object({ n: z.string() })],
    ["an enum", z.object({ n: z.enum(["a", "b"]) })],
    ["a coerced number", z.object({ n: z.coerce.number() })],
    ["a coerced number in a range", z.object({ n: z.coerce.number().min(100) })],
    ["a coerced boolean beside a required string", z.object({ a: z.string(), n: z.coerce.boolean() })],
    ["a transformed string", z.object({ n: z.string().transform(Number) })],
    ["a list that is parsed", z.object({ n: z.preprocess((text) => JSON.parse(String(text)) as unknown, z.array(z.string())) })],
    ["a string or a number", z.object({ n: z.union([z.string(), z.number()]) })],
    ["anything", z.object({ n: z.unknown() })],
    ["a string in JSON Schema", { type: "object", properties: { n: { type: ["string", "null"] } } }],
    [
      "one of several kinds in JSON Schema",
      { type: "object", properties: { n: { anyOf: [{ type: "number" }, { const: "all" }] } } },
    ],
    [
      "a number that a later check may still make of a string",
      withJsonSchema(
        v.objectAsync({
          n: v.pipeAsync(
            v.any(),
            v.checkAsync(() => Promise.reject(new Error("late"))),
          ),
        }),
        numberSchema(),
      ),
    ],
  ];
  it.each(taken)("that is %s is taken", (_what, input) => {
    expect(() => createServer().prompt("ask", { input }, () => "")).not.toThrow();
  });

  it("that is coerced reaches the handler as what it was made", async () => {
    const server = createServer();
    server.prompt("ask", { input: z.object({ n: z.coerce.number().min(100) }) }, ({ n }) => `${typeof n} ${n}`);
    const { messages } = await (await connect(server)).getPrompt("ask", { n: "200" });
    expect(messages[0]?.content).toEqual({ type: "text", text: "number 200" });
  });

  it("that takes no string is refused in an update too, and the prompt stays as it was", async () => {
    const server = createServer();
    const handle = server.prompt("ask", { input: z.object({ n: z.string() }) }, ({ n }) => n);
    expect(() => handle.update({ input: z.object({ n: z.number() }) })).toThrow('Argument "n"');
    const { messages } = await (await connect(server)).getPrompt("ask", { n: "x" });
    expect(messages[0]?.content).toEqual({ type: "text", text: "x" });
  });
});

function numberSchema(): { type: "object"; properties: { n: { type: "number" } } } {
  return { type: "object", properties: { n: { type: "number" } } };
}
