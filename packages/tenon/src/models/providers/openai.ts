/** `toOpenAI()`: tools and results in the form of OpenAI's Responses API. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ModelToolOptions } from "../options.ts";
import { leftOut, textOf, type Outcome, type Part } from "../outcome.ts";
import { profiles } from "../schema/profile.ts";
import { ToolKit, type RawCall } from "../tool-kit.ts";
import type { ToolSource } from "../tool-source.ts";
import { listedTools, type RunnableTools } from "./listed-tools.ts";

/** A tool for `tools` of `responses.create`: its `type` in the Responses API. */
export interface OpenAITool {
  type: "function";
  /** The name that the model uses. */
  name: string;
  /** What the tool does. */
  description: string;
  /** The adapted schema of its input. */
  parameters: { [keyword: string]: unknown };
  /** Whether the model follows the schema exactly. Always said, because the API would decide otherwise. */
  strict: boolean;
}

/** A part of a tool's result in the Responses API, by its `type`: `text`, `image_url` with `detail`, or `filename` with `file_data`. */
export type OpenAIOutputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" }
  | { type: "input_file"; filename: string; file_data: string };

/** The result of one call, for `input` of the next `responses.create`: its `type` in the Responses API. */
export interface OpenAIOutput {
  type: "function_call_output";
  /** The id of the call. */
  call_id: string;
  /** Text, or parts if there are images or files. */
  output: string | OpenAIOutputPart[];
}

/**
 * The tools of a source for OpenAI's Responses API: for `tools` of `responses.create`. `run` makes the calls of a response, and resolves with one
 * output for each, for the next `input`; with an empty array if there are no calls.
 */
export type OpenAITools = RunnableTools<
  OpenAITool[],
  { /** The items of the response. */ readonly output: readonly object[] },
  OpenAIOutput[]
>;

/**
 * The tools of a client or a group for OpenAI's Responses API. Results have text, images and files.
 * @throws TypeError (rejects) for an unknown option, and what listing the tools throws
 */
export async function toOpenAI(source: ToolSource, options: ModelToolOptions = {}): Promise<OpenAITools> {
  const kit = await ToolKit.of(source, { usual: profiles.openai, strict: profiles.openaiStrict }, options, "toOpenAI");
  const run: OpenAITools["run"] = async ({ output }, how) => openaiOutputs(await kit.run(openaiCalls(output), how));
  return { ...listedTools(kit, () => openaiDefinitions(kit)), run };
}

export function openaiDefinitions(kit: ToolKit): OpenAITool[] {
  return kit.definitions.map(({ name, description, schema, strict }) => ({
    type: "function",
    name,
    description,
    parameters: schema,
    strict,
  }));
}

export function openaiCalls(output: readonly object[]): RawCall[] {
  return (output as readonly JsonObject[]).flatMap((item) =>
    item["type"] === "function_call" ? [{ id: String(item["call_id"]), name: String(item["name"]), input: item["arguments"] }] : [],
  );
}

export function openaiOutputs(outcomes: readonly Outcome[]): OpenAIOutput[] {
  return outcomes.map((outcome) => ({ type: "function_call_output", call_id: outcome.id, output: outputOf(outcome) }));
}

/** The API has no mark for errors, so the text says it. */
function outputOf(outcome: Outcome): OpenAIOutput["output"] {
  const said = outcome.isError ? "Error: " : "";
  if (outcome.parts.every(({ kind }) => kind === "text" || kind === "audio")) return said + textOf(outcome, "the API takes no sound here");
  return [...(outcome.isError ? [{ type: "input_text" as const, text: "Error:" }] : []), ...outcome.parts.map(toOutputPart)];
}

export function toOutputPart(part: Part): OpenAIOutputPart {
  if (part.kind === "text") return { type: "input_text", text: part.text };
  if (part.kind === "audio") return { type: "input_text", text: leftOut(part, "the API takes no sound here").text };
  const url = dataUrl(part);
  return part.kind === "image"
    ? { type: "input_image", image_url: url, detail: "auto" }
    : { type: "input_file", filename: part.name, file_data: url };
}

export function dataUrl({ mimeType, data }: { readonly mimeType: string; readonly data: string }): string {
  return `data:${mimeType};base64,${data}`;
}
