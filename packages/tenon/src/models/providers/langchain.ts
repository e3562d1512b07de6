/** `toLangChain()`: tools for LangChain, whose agents call them by themselves. Its two classes come from the caller, so that nothing is loaded. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ModelToolOptions, RunOptions } from "../options.ts";
import { textOf, type Outcome, type Part } from "../outcome.ts";
import { profiles } from "../schema/profile.ts";
import { ToolKit, type Definition } from "../tool-kit.ts";
import type { ToolSource } from "../tool-source.ts";
import { listedTools, type ListedTools } from "./listed-tools.ts";

/** The two classes of `@langchain/core` that make tools and messages of errors. */
export interface LangChainClasses<Tool extends object> {
  /** From `@langchain/core/tools`. */
  readonly DynamicStructuredTool: { new (fields: never): object; readonly prototype: Tool };
  /** From `@langchain/core/messages`. */
  readonly ToolMessage: new (fields: never) => object;
}

/** The tools of a source for LangChain: for `tools` of an agent, or `bindTools` of a model. */
export type LangChainTools<Tool extends object> = ListedTools<Tool[]>;

/** What LangChain gives a tool with each call. */
interface CallConfig {
  readonly signal?: AbortSignal;
  readonly toolCall?: { readonly id?: string };
}

interface ToolFields {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly responseFormat: "content_and_artifact";
  readonly func: (input: JsonObject, runManager?: unknown, config?: CallConfig) => Promise<readonly [content: unknown, artifact: unknown]>;
}

/** A text, or media as base64, in the form of LangChain's standard blocks. */
type Block =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "audio" | "file";
      readonly source_type: "base64";
      readonly mime_type: string;
      readonly data: string;
      readonly metadata?: { readonly filename: string };
    };

/**
 * The tools of a client or a group for LangChain: `toLangChain(client, { DynamicStructuredTool, ToolMessage })`, with both classes of
 * `@langchain/core` 1.x. Schemas are those that every provider takes; another profile suits one provider better. A call of a model gives a
 * `ToolMessage`: text, images, sounds and files as its content, structured content as its `artifact`. A call that fails gives one with
 * `status: "error"`; a direct `tool.invoke(arguments)`, which has no call to answer, rejects.
 * @throws TypeError (rejects) for an unknown option or without the classes, and what listing the tools throws
 */
export async function toLangChain<Tool extends object>(
  source: ToolSource,
  classes: LangChainClasses<Tool>,
  options: ModelToolOptions & Pick<RunOptions, "approve" | "timeout"> = {},
): Promise<LangChainTools<Tool>> {
  for (const name of ["DynamicStructuredTool", "ToolMessage"] as const)
    if (typeof classes?.[name] !== "function") throw new TypeError(`toLangChain() needs the class "${name}" of @langchain/core`);
  const { approve, timeout, ...rest } = options;
  const how: RunOptions = { ...(approve && { approve }), ...(timeout !== undefined && { timeout }) };
  const kit = await ToolKit.of(source, { usual: profiles.common }, rest, "toLangChain");
  return listedTools(kit, () => kit.definitions.map((definition) => toTool(classes, kit, definition, how)));
}

function toTool<Tool extends object>(
  { DynamicStructuredTool, ToolMessage }: LangChainClasses<Tool>,
  kit: ToolKit,
  { name, description, schema }: Definition,
  how: RunOptions,
): Tool {
  const fields: ToolFields = {
    name,
    description,
    schema,
    responseFormat: "content_and_artifact",
    func: async (input, _runManager, { signal, toolCall } = {}) => {
      const id = toolCall?.id;
      const [outcome] = await kit.run([{ id: id ?? "", name, input }], { ...how, ...(signal && { signal }) });
      if (!outcome!.isError) return [contentOf(outcome!), outcome!.structured]; // one call has one outcome
      const content = textOf(outcome!);
      if (id === undefined) throw new Error(content);
      return [new ToolMessage({ content, name, status: "error", tool_call_id: id } as never), undefined]; // the class is the caller's
    },
  };
  return new DynamicStructuredTool(fields as never) as Tool; // what the class makes
}

/** Text alone is a string, because some models take nothing else from a tool. */
function contentOf(outcome: Outcome): string | readonly Block[] {
  return outcome.parts.every(({ kind }) => kind === "text") ? textOf(outcome) : outcome.parts.map(blockOf);
}

function blockOf(part: Part): Block {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { kind, mimeType, data, name } = part;
  // A file needs a name for some providers.
  return { type: kind, source_type: "base64", mime_type: mimeType, data, ...(kind === "file" && { metadata: { filename: name } }) };
}
