/** Mistakes other SDKs made and mended: those with the schemas of tools, and what tools return. */
import { expect, it } from "vitest";
import { z } from "zod";
import { connect as connectTo, McpServer, type JsonObject, type StandardSchema } from "tenon";
import { describeMatrix } from "../support/matrix.ts";

const info = { name: "s", version: "1" };

function quiet(define: (server: McpServer) => void): McpServer {
  const server = new McpServer(info, { onError: () => undefined });
  define(server);
  return server;
}

const shape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("circle"), radius: z.number() }),
  z.object({ kind: z.literal("square"), side: z.number() }),
]);
const referring = {
  $ref: "#/$defs/point",
  $defs: { point: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] } },
} as const;

describeMatrix("Input that is an object without saying so at the root", ({ connect, since }) => {
  it("unions, intersections and references are published as objects, and hold [A8.5]", async () => {
    const server = quiet((own) => {
      own.tool("union", { input: shape }, (given) => given.kind);
      own.tool(
        "mixed",
        { input: z.intersection(shape, z.object({ color: z.string() })) },
        (given) => `${given.color} ${given.kind}`,
      );
      own.tool("reference", { input: referring as never }, (given: unknown) => JSON.stringify(given));
    });
    const client = await connect(server);
    for (const { inputSchema } of (await client.listTools()).tools) expect(inputSchema.type).toBe("object");
    expect((await client.callTool("union", { kind: "square", side: 1 })).text).toBe("square");
    expect((await client.callTool("mixed", { kind: "circle", radius: 1, color: "red" })).text).toBe("red circle");
    expect((await client.callTool("reference", { x: 1 })).text).toBe('{"x":1}');
    for (const [name, wrong] of [
      ["union", { kind: "square", radius: 1 }],
      ["mixed", { kind: "circle", radius: 1 }],
      ["reference", { x: "1" }],
    ] as const) {
      const refused = await client.callTool(name, wrong).then(
        ({ isError }) => isError,
        () => true,
      );
      expect(refused).toBe(true);
    }
  });

  it("results of such a schema have it on every revision that has schemas of results [K1.7]", async () => {
    const server = quiet((own) => {
      own.tool("union", { output: shape }, () => ({ kind: "circle" as const, radius: 1 }));
      own.tool("reference", { output: referring as never }, () => ({ x: 1 }) as never);
    });
    const client = await connect(server);
    expect((await client.listTools()).tools.map(({ outputSchema }) => outputSchema?.["type"])).toEqual(
      since("2025-06-18") ? ["object", "object"] : [undefined, undefined],
    );
    expect((await client.callTool("union")).text).toBe('{"kind":"circle","radius":1}');
    if (since("2025-06-18")) expect((await client.callTool("reference")).structuredContent).toEqual({ x: 1 });
  });

  it.each<[string, StandardSchema | JsonObject]>([
    ["a union with a string", z.union([z.object({}), z.string()])],
    ["a reference to a string", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }],
    ["a reference to itself", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }],
    ["a reference to a member of every object", { $ref: "#/$defs/constructor", $defs: {} }],
    ["nothing in particular", {}],
  ])("%s is none, and is refused [A8.5]", (_what, input) => {
    expect(() => quiet((own) => void own.tool("t", { input }, () => ""))).toThrow(/must be an object schema/);
  });

  it("a union of nothing is no JSON Schema, and is refused [A8.5]", () => {
    expect(() => quiet((own) => void own.tool("t", { input: { anyOf: [] } }, () => ""))).toThrow(
      /not a valid JSON Schema: anyOf/,
    );
  });
});

describeMatrix("What is left out", ({ connect }) => {
  it("arguments that are all optional, or have defaults, may be left out altogether", async () => {
    const server = quiet((own) => {
      own.tool("optional", { input: z.object({ a: z.string().optional() }) }, ({ a = "nobody" }) => a);
      own.tool("default", { input: z.object({ a: z.number().default(3) }) }, ({ a }) => String(a));
      own.tool("none", {}, () => "none");
    });
    const client = await connect(server);
    const { tools } = await client.listTools();
    expect(tools.map(({ inputSchema }) => inputSchema.required ?? [])).toEqual([[], [], []]);
    const texts = await Promise.all(["optional", "default", "none"].map(async (name) => (await client.callTool(name)).text));
    expect(texts).toEqual(["nobody", "3", "none"]);
  });

  it("results that are false in a condition are results", async () => {
    const results: Record<string, unknown> = { zero: 0, no: false, empty: "", nothing: null, absent: undefined, list: [] };
    const server = quiet((own) => {
      for (const [name, value] of Object.entries(results)) own.tool(name, {}, () => value as string);
    });
    const client = await connect(server);
    const said = await Promise.all(Object.keys(results).map(async (name) => (await client.callTool(name)).content));
    const text = (value: string): object[] => [{ type: "text", text: value }];
    expect(said).toEqual([text("0"), text("false"), text(""), text("null"), [], text("[]")]);
  });
});

describeMatrix("Schemas that share an id", ({ connect, since }) => {
  it("are each their own, on both ways, and so is one that is replaced by another of its id [CS-57]", async () => {
    const of = (type: string): JsonObject => ({
      $id: "https://example.com/result",
      type: "object",
      properties: { value: { type } },
      required: ["value"],
    });
    let value: unknown = 1;
    const server = new McpServer(info, { onError: () => undefined });
    server.tool("text", { output: of("string") }, () => ({ value: "a" }));
    const changing = server.tool("changing", { output: of("number") }, () => ({ value }));
    const client = await connect(server);
    const data = async (name: string): Promise<unknown> => JSON.parse((await client.callTool(name)).text);
    expect([await data("text"), await data("changing")]).toEqual([{ value: "a" }, { value: 1 }]);
    if (since("2025-06-18")) expect((await client.callTool("changing")).structuredContent).toEqual({ value: 1 });
    changing.remove();
    server.tool("changing", { output: of("boolean") }, () => ({ value }));
    value = true;
    await client.listTools();
    expect(await data("changing")).toEqual({ value: true });
  });
});

it("A library's schema is converted once, however many clients list the tools", async () => {
  let conversions = 0;
  const schema = z.object({ a: z.string() });
  const standard = schema["~standard"];
  const input: typeof schema = Object.create(schema, {
    "~standard": {
      value: {
        ...standard,
        jsonSchema: { ...standard.jsonSchema, input: (options: never) => (conversions++, standard.jsonSchema.input(options)) },
      },
    },
  }) as typeof schema;
  const server = quiet((own) => void own.tool("t", { input }, ({ a }) => a));
  for (const revision of ["2025-06-18", "2026-07-28"] as const) {
    const client = await connectTo(server, { revision });
    await client.listTools();
    await client.callTool("t", { a: "a" });
    await client.listTools();
    await client.close();
  }
  expect(conversions).toBe(1);
});
