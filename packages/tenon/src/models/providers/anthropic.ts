/** `toAnthropic()`: tools and results in the form of Anthropic's Messages API. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ModelToolOptions } from "../options.ts";
import { isPicture } from "../media.ts";
import { leftOut, textOf, type Outcome, type Part } from "../outcome.ts";
import { profiles } from "../schema/profile.ts";
import { ToolKit, type RawCall } from "../tool-kit.ts";
import type { ToolSource } from "../tool-source.ts";
import { listedTools, type RunnableTools } from "./listed-tools.ts";

/** A tool for `tools` of `messages.create`. */
export interface AnthropicTool {
  /** The name that the model uses. */
  name: string;
  /** What the tool does. */
  description: string;
  /** The adapted schema of its input. */
  input_schema: { type: "object"; properties: JsonObject; [keyword: string]: unknown };
  /** Only with the option `strict`. */
  strict?: boolean;
}

/** A part of a tool's result, as the Messages API has it: a `type`, and its `text` or its `source`. */
export type AnthropicResultPart =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string } }
  | { type: "document"; source: { type: "base64"; media_type: "application/pdf"; data: string } };

/** The result of one call: a block of the Messages API, by its `type`. */
export interface AnthropicToolResult {
  type: "tool_result";
  /** The id of the call. */
  tool_use_id: string;
  /** Text, images and documents. */
  content: AnthropicResultPart[];
  /** Whether the call failed. */
  is_error: boolean;
}

/** One message with the results of all calls, for the Messages API: its `role` is the user's. */
export interface AnthropicResults {
  role: "user";
  /** One result for each call, in the order of the calls. */
  content: AnthropicToolResult[];
}

/**
 * The tools of a source for Anthropic: for `tools` of `messages.create`. `run` makes the calls of a message, and resolves with the next message, in
 * which every call has a result.
 */
export type AnthropicTools = RunnableTools<
  AnthropicTool[],
  { /** The parts of the message. */ readonly content: readonly object[] },
  AnthropicResults
>;

/**
 * The tools of a client or a group for Anthropic's Messages API. Results have text, images (JPEG, PNG, GIF, WebP) and PDF documents.
 * @throws TypeError (rejects) for an unknown option, and what listing the tools throws
 */
export async function toAnthropic(source: ToolSource, options: ModelToolOptions = {}): Promise<AnthropicTools> {
  const kit = await ToolKit.of(source, { usual: profiles.anthropic, strict: profiles.anthropicStrict }, options, "toAnthropic");
  const run: AnthropicTools["run"] = async ({ content }, how) => anthropicResults(await kit.run(anthropicCalls(content), how));
  return { ...listedTools(kit, () => anthropicDefinitions(kit)), run };
}

export function anthropicDefinitions(kit: ToolKit): AnthropicTool[] {
  return kit.definitions.map(({ name, description, schema, strict }) => ({
    name,
    description,
    input_schema: schema,
    ...(strict && { strict }),
  }));
}

export function anthropicCalls(content: readonly object[]): RawCall[] {
  return (content as readonly JsonObject[]).flatMap(({ type, id, name, input }) =>
    type === "tool_use" ? [{ id: String(id), name: String(name), input }] : [],
  );
}

export function anthropicResults(outcomes: readonly Outcome[]): AnthropicResults {
  const content = outcomes.map((outcome) => ({
    type: "tool_result" as const,
    tool_use_id: outcome.id,
    content: contentOf(outcome),
    is_error: outcome.isError,
  }));
  return { role: "user", content };
}

/** The API takes text only in the result of a call that failed. */
function contentOf(outcome: Outcome): AnthropicResultPart[] {
  if (outcome.isError || outcome.parts.length === 0) return [{ type: "text", text: textOf(outcome, "the call failed") }];
  return outcome.parts.map(toAnthropicPart);
}

export function toAnthropicPart(part: Part): AnthropicResultPart {
  // The API refuses a text without a character that can be seen.
  if (part.kind === "text") return { type: "text", text: part.text.trim() === "" ? "(empty)" : part.text };
  const { data, mimeType } = part;
  if (isPicture(mimeType)) return { type: "image", source: { type: "base64", media_type: mimeType, data } };
  if (mimeType === "application/pdf") return { type: "document", source: { type: "base64", media_type: mimeType, data } };
  return { type: "text", text: leftOut(part, "the API does not take this kind").text };
}
