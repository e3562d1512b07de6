/**
 * Gemini through its SDK, and the forms of the AI SDK (examples/models/ai-sdk.ts runs with it): definitions, results, errors,
 * signatures.
 */
import { GoogleGenAI, type Content } from "@google/genai";
import type { ToolSet } from "ai";
import { expect, test } from "vitest";
import { connect, type Client } from "tenon";
import { toAISDK, toGemini } from "tenon/models";
import { closing } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";
import { modelServer } from "./model-server.ts";
import { PIXEL, toolServer } from "./tool-server.ts";

const source = (): Promise<Client> => closing(connect(toolServer(), { validateOutput: false }));

test("Gemini takes the definitions, and all results in one content, with the signatures before it as they came", async () => {
  const calls = [
    { id: "c1", name: "add", input: { a: 1, b: 2 } },
    { id: "c2", name: "fails", input: {} },
    { id: "c3", name: "picture", input: {} },
    { id: "c4", name: "data", input: {} },
  ];
  const { url, requests } = await modelServer("gemini", [{ calls }, { text: "It is 3." }]);
  const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
  const { tools, run } = await toGemini(await source());
  const contents: Content[] = [{ role: "user", parts: [{ text: "go" }] }];
  const first = await ai.models.generateContent({ model: "m", contents, config: { tools } });
  const { content } = first.candidates![0]!;
  contents.push(content!, await run(content!));
  expect((await ai.models.generateContent({ model: "m", contents, config: { tools } })).text).toBe("It is 3.");
  const told = JSON.stringify(requests[1]);
  expect(told).toContain('"thoughtSignature":"c2lnbmF0dXJlIG9mc1"');
  const parts = (
    requests[1]!["contents"] as { parts: { functionResponse: { name: string; response: object; parts?: object[] } }[] }[]
  )[2]!.parts;
  expect(parts.map(({ functionResponse }) => [functionResponse.name, functionResponse.response])).toMatchObject([
    ["add", { output: "3" }],
    ["fails", { error: "no such seat" }],
    ["picture", {}],
    ["data", { output: '{"$ref":"x"}' }],
  ]);
  expect(parts[2]!.functionResponse.parts).toContainEqual({ inlineData: { mimeType: "image/png", data: PIXEL } });
});

test("the AI SDK gets its schema, and results as text, images and errors", async () => {
  const { tools, notes } = await toAISDK(await source(), { pick: (name) => ["add", "fails", "picture", "union"].includes(name) });
  const typed: ToolSet = tools; // what generateText takes
  expect(Object.keys(typed)).toEqual(["add", "fails", "picture", "union"]);
  expect(tools["add"]!.inputSchema["~standard"].jsonSchema.input()).toMatchObject({ type: "object", required: ["a", "b"] });
  expect(notes.map(({ tool, keyword }) => [tool, keyword])).toContainEqual(["union", "oneOf"]);
  const output = async (name: string, input: object): Promise<unknown> => {
    const { execute, toModelOutput } = tools[name]!;
    return toModelOutput({ output: await execute(input, { toolCallId: "c1" }) });
  };
  expect(await output("add", { a: 1, b: 2 })).toEqual({ type: "text", value: "3" });
  expect(await output("fails", {})).toEqual({ type: "error-text", value: "no such seat" });
  expect(await output("picture", {})).toMatchObject({
    type: "content",
    value: expect.arrayContaining([{ type: "image-data", data: PIXEL, mediaType: "image/png" }]) as unknown,
  });
  const server = testServer();
  const resource = { uri: "file:///a/b.png", mimeType: "image/png", blob: PIXEL };
  server.tool("inside", {}, () => ({ content: [{ type: "resource", resource }] }));
  const inside = (await toAISDK(await closing(connect(server)))).tools["inside"]!;
  const shown = inside.toModelOutput({ output: await inside.execute({}, { toolCallId: "c2" }) });
  expect(shown).toEqual({ type: "content", value: [{ type: "image-data", data: PIXEL, mediaType: "image/png" }] });
  const refused = await toAISDK(await source(), { approve: () => false });
  expect(await refused.tools["add"]!.execute({}, { toolCallId: "c1" })).toMatchObject({ isError: true });
});

test("an unknown option is refused with the name of the function that got it", async () => {
  const wrong = { aprove: () => true } as object;
  await expect(toGemini(await source(), wrong)).rejects.toThrow(/^Unknown option "aprove" of toGemini\(\)/);
  await expect(toAISDK(await source(), wrong)).rejects.toThrow(/^Unknown option "aprove" of toAISDK\(\)/);
});
