/** A server's tools as functions of its client: the same data on every revision, failures as exceptions. */
import { expect, it } from "vitest";
import { FailedToolError, McpServer, tool, ToolError, ToolOutputValidationError, type Client, type ToolResult } from "tenon";
import { describeMatrix } from "../support/matrix.ts";
import { connected } from "../support/odd-server.ts";
import { result } from "../support/scripted-server.ts";

const sum = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;
const numbers = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] } as const;

function createServer() {
  return new McpServer(
    { name: "s", version: "1" },
    {
      onError: () => undefined,
      tools: {
        add: tool({ description: "Adds", input: numbers, output: sum }, ({ a, b }) => ({ sum: a + b })),
        hello: tool({}, () => "Hello"),
        braces: tool({}, () => "{not JSON"),
        nothing: tool({}, () => undefined),
        fails: tool({ output: sum }, () => {
          throw new ToolError("The disk is full");
        }),
        crashes: tool({}, () => {
          throw new Error("secret");
        }),
        asks: tool({}, async (_input, ctx) => String(await ctx.confirm("sure", "Sure?"))),
      },
    },
  );
}
type Server = ReturnType<typeof createServer>;

describeMatrix("Typed calls", ({ connect, since }) => {
  const open = async (options = {}): Promise<Client<NonNullable<Server["~tools"]>>> =>
    (await connect(createServer(), options)) as never; // the matrix forgets whose client it is

  it("return the data of a result, on revisions with and without structured content [K1.7 K1.8]", async () => {
    const { call } = await open();
    expect(await call.add({ a: 1, b: 2 })).toEqual({ sum: 3 });
    expect(await call.hello()).toBe("Hello");
    expect(await call.braces()).toBe("{not JSON");
    expect(await call.nothing()).toBe("");
  });

  it("fail with the tool's own words, or the protocol's error [K1.10]", async () => {
    const client = await open();
    const failure = await client.call.fails().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FailedToolError);
    expect(failure).toMatchObject({
      message: "The disk is full",
      toolName: "fails",
      result: { isError: true } satisfies Partial<ToolResult>,
    });
    await expect(client.call.crashes()).rejects.toThrow(/^Tool "crashes" failed \(error \w+\)$/);
    const missing = (client as unknown as Client<{ missing: { args: object; data: unknown } }>).call.missing();
    await expect(missing).rejects.toMatchObject({ code: -32602, message: "Unknown tool: missing" });
    const wrong = (client.call.add as (args: object) => Promise<unknown>)({ a: "1" });
    await expect(wrong).rejects.toThrow(FailedToolError);
    await expect(wrong).rejects.toThrow(/^Invalid arguments for tool "add": /);
  });

  it("take the options of a call, and answer questions on the way [requirement G5 L1.3]", async () => {
    if (!since("2025-06-18")) return;
    const { call } = await open({ onElicit: () => ({ action: "accept", content: {} }) });
    expect(await call.asks()).toBe("true");
    await expect(call.hello({}, { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
  });

  it("can be awaited and looked at without calling anything", async () => {
    const { call } = await open();
    expect(await Promise.resolve(call)).toBe(call);
    expect(String(Object.keys(call))).toBe("");
    expect(Reflect.get(call, Symbol.iterator)).toBeUndefined();
  });
});

it("A typed call is held to the schema the server publishes [CS-54]", async () => {
  const listed = result({ tools: [{ name: "add", inputSchema: { type: "object" }, outputSchema: sum }] });
  const { client } = await connected({
    "tools/list": listed,
    "tools/call": result({ content: [], structuredContent: { sum: "3" } }),
  });
  const typed = client as unknown as Client<{ add: { args: object; data: { sum: number } } }>; // what its server says it is
  await expect(typed.call.add({})).rejects.toBeInstanceOf(ToolOutputValidationError);
});

it("Tools given as an option are registered like all others, and their names are judged [K1.3]", () => {
  const definition = tool({}, () => "");
  expect(() => new McpServer({ name: "s", version: "1" }, { tools: { "bad name": definition } })).toThrow(RangeError);
  const server = new McpServer({ name: "s", version: "1" }, { tools: { one: definition } });
  expect(() => server.tool("one", {}, () => "")).toThrow('The tool "one" is registered already');
  expect(() => new McpServer({ name: "t", version: "1" }, { tools: { one: definition } })).not.toThrow();
});
