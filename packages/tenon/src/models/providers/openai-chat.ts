/** `toOpenAIChat()`: tools and results in the form of the Chat Completions API, which many other providers speak too. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ModelToolOptions } from "../options.ts";
import { textOf, type Outcome } from "../outcome.ts";
import { profiles } from "../schema/profile.ts";
import { ToolKit, type RawCall } from "../tool-kit.ts";
import type { ToolSource } from "../tool-source.ts";
import { dataUrl } from "./openai.ts";
import { listedTools, type RunnableTools } from "./listed-tools.ts";

/** A tool for `tools` of `chat.completions.create`: its `type` in the Chat Completions API. */
export interface OpenAIChatTool {
  type: "function";
  /** Its name, description, schema and mode. */
  function: { name: string; description: string; parameters: { [keyword: string]: unknown }; strict: boolean };
}

/** A message of the Chat Completions API: `role`, `content`, and for the result of a call its `tool_call_id`. */
export type OpenAIChatResult =
  | { role: "tool"; tool_call_id: string; content: string }
  | { role: "user"; content: ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[] };

/**
 * The tools of a source for the Chat Completions API: for `tools` of `chat.completions.create`. `run` makes the calls of a message, and resolves with
 * the next messages: one for each call, and one with the images if there are any.
 */
export type OpenAIChatTools = RunnableTools<
  OpenAIChatTool[],
  { /** The calls of the message. */ readonly tool_calls?: readonly object[] | null | undefined },
  OpenAIChatResult[]
>;

/**
 * The tools of a client or a group for the Chat Completions API. A result is text; its images follow in a message of the user.
 * @throws TypeError (rejects) for an unknown option, and what listing the tools throws
 */
export async function toOpenAIChat(source: ToolSource, options: ModelToolOptions = {}): Promise<OpenAIChatTools> {
  const kit = await ToolKit.of(source, { usual: profiles.openai, strict: profiles.openaiStrict }, options, "toOpenAIChat");
  const run: OpenAIChatTools["run"] = async ({ tool_calls: calls }, how) => chatResults(await kit.run(chatCalls(calls ?? []), how));
  return { ...listedTools(kit, () => chatDefinitions(kit)), run };
}

export function chatDefinitions(kit: ToolKit): OpenAIChatTool[] {
  return kit.definitions.map(({ name, description, schema, strict }) => ({
    type: "function",
    function: { name, description, parameters: schema, strict },
  }));
}

export function chatCalls(calls: readonly object[]): RawCall[] {
  return (calls as readonly JsonObject[]).map((call) => {
    const wanted = call["function"] as JsonObject | undefined; // calls of other kinds have none
    return { id: String(call["id"]), name: String(wanted?.["name"]), input: wanted?.["arguments"] };
  });
}

export function chatResults(outcomes: readonly Outcome[]): OpenAIChatResult[] {
  const results = outcomes.map((outcome): OpenAIChatResult => {
    const text = textOf(outcome, "an image follows in a message of its own; the API takes no other media here");
    return { role: "tool", tool_call_id: outcome.id, content: outcome.isError ? `Error: ${text}` : text };
  });
  const images = outcomes.flatMap(({ name, parts }) =>
    parts.flatMap((part) =>
      part.kind === "image"
        ? [
            { type: "text" as const, text: `An image of the result of ${name}:` },
            { type: "image_url" as const, image_url: { url: dataUrl(part) } },
          ]
        : [],
    ),
  );
  return images.length === 0 ? results : [...results, { role: "user", content: images }];
}
