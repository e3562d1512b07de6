/** LangChain: its own classes, a call of a model, and what a message of a tool says. The fake chat model is LangChain's own. */
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { expect, test } from "vitest";
import { connect, type Client } from "tenon";
import { toLangChain, type LangChainClasses, type ModelToolOptions } from "tenon/models";
import { closing } from "../support/matrix.ts";
import { PIXEL, toolServer } from "./tool-server.ts";

const classes = { DynamicStructuredTool, ToolMessage };
const source = (): Promise<Client> => closing(connect(toolServer(), { validateOutput: false }));

/** What that call of a model gives. */
async function invoke(
  name: string,
  args: object,
  options: Parameters<typeof toLangChain>[2] = {},
  config: { signal?: AbortSignal } = {},
): Promise<ToolMessage> {
  const { tools } = await toLangChain(await source(), classes, options);
  const tool = tools.find((one) => one.name === name)!;
  return (await tool.invoke({ type: "tool_call", id: "c1", name, args: args as Record<string, unknown> }, config)) as ToolMessage;
}

test("a model of LangChain takes the tools, and their calls give messages", async () => {
  const { tools, notes } = await toLangChain(await source(), classes);
  const typed: DynamicStructuredTool[] = tools; // its own class, for agents
  expect(typed[0]).toBeInstanceOf(DynamicStructuredTool);
  expect(tools.map(({ name }) => name)).not.toContain("hidden");
  expect(notes.map(({ tool, keyword }) => [tool, keyword])).toContainEqual(["union", "oneOf"]);
  expect(convertToOpenAITool(typed[0]!).function).toMatchObject({
    name: "add",
    parameters: { type: "object", required: ["a", "b"] },
  });
  const model = fakeModel()
    .respondWithTools([{ id: "c1", name: "add", args: { a: 1, b: 2 } }])
    .bindTools(typed);
  const said = await model.invoke([new HumanMessage("What is 1 + 2?")]);
  const [call] = said.tool_calls!;
  const message = (await tools.find(({ name }) => name === call!.name)!.invoke(call!)) as ToolMessage;
  expect(message).toBeInstanceOf(ToolMessage);
  expect(message).toMatchObject({ content: "3", tool_call_id: "c1", name: "add", status: "success" });
});

test("images, sounds and files are blocks that LangChain knows, and text alone is a string", async () => {
  const { content, contentBlocks } = await invoke("picture", {});
  expect(content).toContainEqual({ type: "image", source_type: "base64", mime_type: "image/png", data: PIXEL });
  expect(content).toContainEqual({ type: "audio", source_type: "base64", mime_type: "audio/wav", data: PIXEL });
  expect(content).toContainEqual(
    expect.objectContaining({ type: "file", mime_type: "application/pdf", metadata: { filename: "b.pdf" } }),
  );
  expect(contentBlocks).toContainEqual(expect.objectContaining({ type: "image", mimeType: "image/png", data: PIXEL }));
  expect((await invoke("empty", {})).content).toBe("(no content)");
});

test("structured content is the artifact", async () => {
  expect(await invoke("data", {})).toMatchObject({ content: '{"$ref":"x"}', artifact: { $ref: "x" }, status: "success" });
});

test("a name that does not fit finds its tool", async () => {
  const { tools } = await toLangChain(await source(), classes);
  const { name } = tools.find((one) => one.name.startsWith("a_name_"))!;
  expect(await invoke(name, {})).toMatchObject({ content: "named", status: "success" });
});

test.each<[string, string, Parameters<typeof toLangChain>[2], string | RegExp]>([
  ["a tool that fails", "fails", {}, "no such seat"],
  ["a refused call", "add", { approve: () => false }, "The user refused this call"],
  ["a call that takes too long", "waits", { timeout: 1 }, /1 ?ms/],
])("%s gives a message of an error", async (_title, name, options, text) => {
  const message = await invoke(name, name === "add" ? { a: 1, b: 2 } : {}, options);
  expect(message).toBeInstanceOf(ToolMessage);
  expect(message).toMatchObject({ status: "error", tool_call_id: "c1", name });
  expect(message.content).toMatch(text);
});

test("an abort of the run cancels the call", async () => {
  const abort = new AbortController();
  const approve = (): boolean => {
    queueMicrotask(() => abort.abort());
    return true;
  };
  expect(await invoke("waits", {}, { approve }, { signal: abort.signal })).toMatchObject({
    status: "error",
    content: "Cancelled",
  });
});

test("a direct call without a model gives the content, and rejects if the tool fails", async () => {
  const { tools } = await toLangChain(await source(), classes);
  const named = (name: string): DynamicStructuredTool => tools.find((one) => one.name === name)!;
  expect(await named("add").invoke({ a: 1, b: 2 })).toBe("3");
  await expect(named("fails").invoke({})).rejects.toThrow("no such seat");
});

test("refresh lists the tools again", async () => {
  const server = toolServer();
  const client = await closing(connect(server));
  const { tools, refresh } = await toLangChain(client, classes, { pick: (name) => name.startsWith("add") });
  expect(tools.map(({ name }) => name)).toEqual(["add"]);
  server.tool("add_more", {}, () => "more");
  expect((await refresh()).map(({ name }) => name)).toEqual(["add", "add_more"]);
});

test("an unknown option and missing classes are refused", async () => {
  const client = await source();
  await expect(toLangChain(client, classes, { pik: 1 } as ModelToolOptions)).rejects.toThrow(
    'Unknown option "pik" of toLangChain()',
  );
  const half = { DynamicStructuredTool } as unknown as LangChainClasses<DynamicStructuredTool>;
  await expect(toLangChain(client, half)).rejects.toThrow('toLangChain() needs the class "ToolMessage" of @langchain/core');
});
