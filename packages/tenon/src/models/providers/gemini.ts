/** `toGemini()`: tools and results in the form of the Gemini API. */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ModelToolOptions } from "../options.ts";
import { leftOut, textOf, type Outcome, type Part } from "../outcome.ts";
import { profiles } from "../schema/profile.ts";
import { ToolKit, type RawCall } from "../tool-kit.ts";
import type { ToolSource } from "../tool-source.ts";
import { listAt, objectAt, textAt } from "./model-provider.ts";
import { listedTools, type RunnableTools } from "./listed-tools.ts";

/** The tools of a request, for `config.tools`. */
export interface GeminiTool {
  /** One declaration for each tool. */
  functionDeclarations: { name: string; description: string; parametersJsonSchema: unknown }[];
}

/** The result of one call, as the Gemini API has it: `functionResponse` with its `name`, `id`, `response` and `parts`. */
export interface GeminiResponsePart {
  functionResponse: {
    name: string;
    id?: string;
    response: Record<string, unknown>;
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
}

/** One content with the results of all calls, for the Gemini API: its `role` is the user's. */
export interface GeminiResults {
  role: "user";
  /** One part for each call, in the order of the calls. */
  parts: GeminiResponsePart[];
}

/**
 * The tools of a source for Gemini: for `config.tools` of `models.generateContent`. `run` makes the calls of a content, and resolves with the next
 * content, in which every call has a result. Put the content of the model before it unchanged: its `thoughtSignature`s must come back.
 */
export type GeminiTools = RunnableTools<
  GeminiTool[],
  { /** The parts of the content. */ readonly parts?: readonly object[] },
  GeminiResults
>;

/**
 * The tools of a client or a group for the Gemini API. Results have text, and images, sounds and files as inline data.
 * @throws TypeError (rejects) for an unknown option, and what listing the tools throws
 */
export async function toGemini(source: ToolSource, options: ModelToolOptions = {}): Promise<GeminiTools> {
  const kit = await ToolKit.of(source, { usual: profiles.gemini }, options, "toGemini");
  const run: GeminiTools["run"] = async (content, how) => geminiResults(await kit.run(geminiCalls(content), how));
  return { ...listedTools(kit, () => geminiDefinitions(kit)), run };
}

export function geminiDefinitions(kit: ToolKit): GeminiTool[] {
  const declarations = kit.definitions.map(({ name, description, schema }) => ({ name, description, parametersJsonSchema: schema }));
  return declarations.length === 0 ? [] : [{ functionDeclarations: declarations }];
}

/** The calls of a content. The API may leave ids out; then `turn` and the place of a call are its id, which the API never sees. */
export function geminiCalls(content: { readonly parts?: readonly object[] }, turn = ""): RawCall[] {
  const calls = listAt(content as JsonObject, "parts").filter((part) => isJsonObject(part["functionCall"]));
  return calls.map((part, index) => {
    const call = objectAt(part, "functionCall");
    return { id: textAt(call, "id") || `#${turn}${index}`, name: textAt(call, "name"), input: call["args"] };
  });
}

export function geminiResults(outcomes: readonly Outcome[]): GeminiResults {
  const parts = outcomes.map((outcome): GeminiResponsePart => {
    const taken = outcome.parts.map(toTaken);
    const media = taken.flatMap((part) => (part.kind === "text" ? [] : [{ inlineData: { mimeType: part.mimeType, data: part.data } }]));
    const named = { name: outcome.name, ...(!outcome.id.startsWith("#") && { id: outcome.id }) };
    return {
      functionResponse: { ...named, response: responseOf({ ...outcome, parts: taken }), ...(media.length > 0 && { parts: media }) },
    };
  });
  return { role: "user", parts };
}

/** Of files the API takes those that it can read. */
function toTaken(part: Part): Part {
  const isOther = part.kind === "file" && !/^(?:application\/pdf|text\/.+)$/.test(part.mimeType);
  return isOther ? leftOut(part, "the API does not take this kind") : part;
}

/** Structured content unchanged. The API refuses members named `$ref` and `$defs`, so such content is sent as text. */
function responseOf(outcome: Outcome): Record<string, unknown> {
  const text = textOf({ parts: outcome.parts.filter(({ kind }) => kind === "text") });
  if (outcome.isError) return { error: text };
  const { structured } = outcome;
  if (structured === undefined) return { output: text };
  const json = JSON.stringify(structured);
  return { output: /"\$(?:ref|defs)"/.test(json) ? json : structured };
}
