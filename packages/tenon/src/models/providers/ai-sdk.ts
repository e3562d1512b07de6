/** `toAISDK()`: tools for the AI SDK, which calls them by itself. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ModelToolOptions, RunOptions } from "../options.ts";
import { textOf, type Outcome } from "../outcome.ts";
import { profiles } from "../schema/profile.ts";
import { ToolKit } from "../tool-kit.ts";
import type { ToolSource } from "../tool-source.ts";
import { listedTools, type ListedTools } from "./listed-tools.ts";

/** What the SDK gives a tool with each call. */
interface Execution {
  /** The id of the call. */
  readonly toolCallId: string;
  /** Aborts with the run of the SDK. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** A schema that the AI SDK reads: a `Standard Schema` with its JSON Schema. It validates nothing; the server does. */
export interface AISDKSchema {
  /** Its parts, by name of the specification. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "tenon";
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: { readonly input: () => Record<string, unknown>; readonly output: () => Record<string, unknown> };
  };
}

/** A result for the AI SDK, by its `type`: `value` is text, JSON or parts. */
export type AISDKOutput =
  | { type: "text"; value: string }
  | { type: "error-text"; value: string }
  | { type: "content"; value: ({ type: "text"; text: string } | { type: "image-data" | "file-data"; data: string; mediaType: string })[] };

/** A tool for `tools` of `generateText` and `streamText`. */
export interface AISDKTool {
  /** Its types are not known to the compiler. */
  type: "dynamic";
  /** What the tool does. */
  description: string;
  /** The adapted schema of its input. */
  inputSchema: AISDKSchema;
  /** Calls the tool. A failure is a result, not an exception. */
  execute: (input: unknown, call: Execution) => Promise<unknown>;
  /** Writes the result for the model. */
  toModelOutput: (result: { readonly output: unknown }) => AISDKOutput;
}

/** The tools of a source for the AI SDK: for `tools` of `generateText` and `streamText`. */
export type AISDKTools = ListedTools<Record<string, AISDKTool>>;

/**
 * The tools of a client or a group for the AI SDK, with schemas that every provider takes. Another profile suits one provider better.
 * @throws TypeError (rejects) for an unknown option, and what listing the tools throws
 */
export async function toAISDK(
  source: ToolSource,
  options: ModelToolOptions & Pick<RunOptions, "approve" | "timeout"> = {},
): Promise<AISDKTools> {
  const { approve, timeout, ...rest } = options;
  const how: RunOptions = { ...(approve && { approve }), ...(timeout !== undefined && { timeout }) };
  const kit = await ToolKit.of(source, { usual: profiles.common }, rest, "toAISDK");
  return listedTools(kit, () =>
    Object.fromEntries(kit.definitions.map(({ name, description, schema }) => [name, toTool(kit, { name, description, schema }, how)])),
  );
}

function toTool(
  kit: ToolKit,
  { name, description, schema }: { readonly name: string; readonly description: string; readonly schema: JsonObject },
  how: RunOptions,
): AISDKTool {
  const jsonSchema = { input: () => schema, output: () => schema };
  return {
    type: "dynamic",
    description,
    inputSchema: { "~standard": { version: 1, vendor: "tenon", validate: (value) => ({ value }), jsonSchema } },
    execute: async (input, { toolCallId, abortSignal }) => {
      const [outcome] = await kit.run([{ id: toolCallId, name, input }], { ...how, ...(abortSignal && { signal: abortSignal }) });
      return outcome;
    },
    toModelOutput: ({ output }) => toOutput(output as Outcome), // what `execute` returned
  };
}

function toOutput(outcome: Outcome): AISDKOutput {
  if (outcome.isError) return { type: "error-text", value: textOf(outcome) };
  if (outcome.parts.every(({ kind }) => kind === "text")) return { type: "text", value: textOf(outcome) };
  const value = outcome.parts.map((part) => {
    if (part.kind === "text") return { type: "text" as const, text: part.text };
    return { type: part.kind === "image" ? ("image-data" as const) : ("file-data" as const), data: part.data, mediaType: part.mimeType };
  });
  return { type: "content", value };
}
