/**
 * Plain JSON Schemas of a server that cannot be used: refused when they are registered, or when the server starts; never by a
 * call.
 */
import { describe, expect, it } from "vitest";
import { connect, type McpServer, tool, type JsonObject, type McpServerOptions } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

type Register = (server: McpServer, schema: JsonObject) => unknown;

function createServer(options: McpServerOptions = {}): McpServer {
  return testServer({ onError: () => undefined, ...options });
}

const WAYS: readonly (readonly [what: string, register: Register])[] = [
  ['input of tool "add"', (server, input) => server.tool("add", { input }, () => "")],
  ['output of tool "add"', (server, output) => server.tool("add", { output }, () => ({}))],
  ['input of tool "add"', (_server, input) => createServer({ tools: { add: tool({ input }, () => "") } })],
  ['input of tool "add"', (server, input) => server.tool("add", {}, () => "").update({ input })],
  ['input of prompt "add"', (server, input) => server.prompt("add", { input }, () => "")],
];

describe("A schema with a wrong structure is refused when it is registered", () => {
  it.each(WAYS)("the %s: a TypeError names it and the place in the schema", (what, register) => {
    const refusal = (schema: JsonObject): unknown => {
      try {
        return register(createServer(), schema);
      } catch (error) {
        return error;
      }
    };
    const table: [JsonObject, string][] = [
      [{ type: "object", properties: { a: { type: "nmber" } } }, 'properties.a.type: "nmber" is not a JSON Schema type'],
      [{ type: "object", required: "a" }, "required: must be a list of different strings"],
      [{ type: "object", properties: [] }, "properties: must be an object whose members are schemas"],
      [{ type: "object", $defs: { unused: { minLength: "1" } } }, "$defs.unused.minLength: must be an integer, 0 or greater"],
    ];
    for (const [schema, message] of table) {
      const error = refusal(schema);
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toBe(`The ${what} is not a valid JSON Schema: ${message}`);
    }
  });

  it("a tool that was refused is not registered, and its name is free", async () => {
    const server = createServer();
    expect(() => server.tool("add", { input: { type: "object", required: "a" } }, () => "")).toThrow(TypeError);
    server.tool("add", {}, () => "added");
    const client = await connect(server);
    expect(() => server.tool("late", { input: { type: "object", required: "a" } }, () => "")).toThrow(TypeError);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add"]);
  });

  it("an update that was refused leaves the tool as it was", async () => {
    const server = createServer();
    const handle = server.tool("add", { description: "old" }, () => "added");
    expect(() => handle.update({ description: "new", output: { type: "nmber" } })).toThrow(TypeError);
    const client = await connect(server);
    expect((await client.listTools()).tools[0]?.description).toBe("old");
  });
});

describe("What registering cannot tell fails the start", () => {
  const table: [string, JsonObject, RegExp][] = [
    ["an unknown dialect", { $schema: "http://json-schema.org/draft-04/schema#" }, /unsupported dialect.*draft-04/],
    ["too many levels", { properties: { a: nested(100) } }, /Limit "schemaDepth" of 64 exceeded/],
    ["a reference to nothing", { properties: { a: { $ref: "#/no" } } }, /"#\/no" points at nothing/],
    ["a pattern that goes back", { properties: { a: { pattern: "(a)\\1" } } }, /linear time/],
  ];
  it.each(table)("%s", async (_what, schema, reason) => {
    const server = createServer();
    server.tool("add", { input: { type: "object", ...schema } }, () => "");
    const { cause } = await failureOf(connect(server));
    expect(cause).toBeInstanceOf(TypeError);
    expect((cause as Error).message).toMatch(/^The input of tool "add" cannot be used: /);
    expect((cause as Error).message).toMatch(reason);
  });

  it("is refused if the validator of the server refuses it, in every dialect", async () => {
    const compiled: unknown[] = [];
    const server = createServer({
      validator: {
        compile: async (schema) => {
          compiled.push(schema);
          if (schema["$schema"] !== "my own") throw new Error("no dialect of mine");
          return (value) => ({ value });
        },
      },
    });
    const own = { $schema: "my own", type: "object", required: true };
    server.tool("own", { input: own }, () => "called");
    const client = await connect(server);
    for (let i = 0; i < 2; i++) expect((await client.callTool("own", { a: 1 })).text).toBe("called");
    expect(compiled).toEqual([own]);

    const other = createServer({ validator: { compile: () => Promise.reject(new Error("none")) } });
    other.tool("any", { input: { type: "object" } }, () => "");
    expect((await failureOf(connect(other))).cause).toMatchObject({ message: 'The input of tool "any" cannot be used: none' });
  });
});

describeMatrix(
  "A form that cannot be asked",
  ({ connect: connectTo }) =>
    it("is refused when it is asked, with its name and the place in its schema", async () => {
      const refusals: unknown[] = [];
      const server = createServer();
      server.tool("ask", {}, async (_input, ctx) => {
        const schema = { type: "object", properties: { a: { type: "nmber" } } };
        await ctx.elicit("age", { message: "How old?", schema }).catch((error: unknown) => refusals.push(error));
        return "asked";
      });
      const client = await connectTo(server, { onElicit: () => ({ action: "cancel" }) });
      expect((await client.callTool("ask")).text).toBe("asked");
      expect(refusals).toEqual([expect.any(TypeError)]);
      expect(String(refusals[0])).toContain(
        'The schema of question "age" is not a valid JSON Schema: properties.a.type: "nmber" is not a JSON Schema type',
      );
    }),
  ["2025-11-25", "2026-07-28"],
);

function nested(depth: number): JsonObject {
  let schema: JsonObject = {};
  for (let i = 0; i < depth; i++) schema = { not: schema };
  return schema;
}
