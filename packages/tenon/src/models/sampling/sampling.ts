/** What sampling with any provider shares: options, the tools of a request, and its messages. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Role } from "../../protocol/base.ts";
import { contentAsList } from "../../protocol/content.ts";
import type {
  CreateMessageRequestParams,
  CreateMessageResultWithTools,
  ModelPreferences,
  SamplingMessageContentBlock,
} from "../../protocol/sampling.ts";
import { partsOf, type Outcome, type Part } from "../outcome.ts";
import { DEFAULT_MAX_TOKENS } from "../providers/model-provider.ts";
import { ToolKit, type Profiles, type RawCall } from "../tool-kit.ts";

/** How a server's sampling request is answered. */
export interface SamplingOptions {
  /** The models that may answer. */
  model: SamplingModel;
  /** The most tokens of a reply, whatever the server asks for. Default 4 096. */
  maxTokens?: number;
  /** Called with what a request asks for and the provider cannot do, such as `includeContext`. Default: it is left out without a word. */
  onNote?: (note: string) => void;
}

const SAMPLING_OPTIONS: OptionKeys<SamplingOptions> = { model: 1, maxTokens: 1, onNote: 1 };
const LIMITS = { maxText: 1_000_000, maxMedia: 20_000_000, readLinks: false };

/** One block of a message, ready for a provider. */
export type SampledBlock =
  | { readonly kind: "part"; readonly part: Part }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly input: object; readonly meta: JsonObject }
  | { readonly kind: "result"; readonly outcome: Outcome };

/** A request, ready for a provider. */
export interface SampledRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly kit: ToolKit;
  readonly messages: readonly { readonly role: Role; readonly blocks: readonly SampledBlock[] }[];
}

export function checkSampling(caller: string, options: SamplingOptions): void {
  assertKnown(`${caller}()`, options, SAMPLING_OPTIONS);
  if (options.model === undefined) throw new TypeError(`${caller}() needs the option "model"`);
}

/** Prepares a request: its model, its tools, and its messages, of which two of one role in a row become one. */
export async function prepare(params: CreateMessageRequestParams, options: SamplingOptions, profiles: Profiles): Promise<SampledRequest> {
  const { maxTokens = DEFAULT_MAX_TOKENS, onNote } = options;
  if (params.includeContext !== undefined && params.includeContext !== "none")
    onNote?.(`includeContext "${params.includeContext}" is ignored`);
  const tools = new Map((params.tools ?? []).map((tool) => [tool.name, tool]));
  const kit = await ToolKit.of({ tools, callTool: unavailable, readResource: unavailable }, profiles, {}, "sampling");
  const messages: { role: Role; blocks: SampledBlock[] }[] = [];
  for (const message of params.messages) {
    const blocks = await Promise.all(contentAsList<SamplingMessageContentBlock>(message).map((block) => toBlock(block, kit)));
    const last = messages.at(-1);
    if (last?.role === message.role) last.blocks.push(...blocks);
    else messages.push({ role: message.role, blocks });
  }
  return { model: pickModel(options.model, params.modelPreferences), maxTokens: Math.min(maxTokens, params.maxTokens), kit, messages };
}

async function toBlock(block: SamplingMessageContentBlock, kit: ToolKit): Promise<SampledBlock> {
  if (block.type === "tool_use")
    return { kind: "call", id: block.id, name: kit.shownName(block.name), input: block.input, meta: block._meta ?? {} };
  if (block.type === "tool_result") {
    const parts = await partsOf(block, LIMITS, { readResource: unavailable }, undefined);
    return { kind: "result", outcome: { id: block.toolUseId, name: "", parts, structured: undefined, isError: block.isError === true } };
  }
  const [part] = await partsOf({ content: [block] }, LIMITS, { readResource: unavailable }, undefined);
  return { kind: "part", part: part! }; // one block is one part
}

/** The result for the server: one block alone, or a list. */
export function toSampled(
  { kit, model }: Pick<SampledRequest, "kit" | "model">,
  said: {
    readonly text: string;
    readonly calls: readonly (RawCall & { readonly meta?: JsonObject })[];
    readonly model?: string | undefined;
    readonly stopReason: string;
  },
): CreateMessageResultWithTools {
  const calls = said.calls.map((raw) => {
    const { id, name, arguments: input } = kit.toModelCall(raw);
    return { type: "tool_use" as const, id, name, input, ...(raw.meta && { _meta: raw.meta }) };
  });
  const text = { type: "text" as const, text: said.text };
  const content = calls.length === 0 ? text : [...(said.text === "" ? [] : [text]), ...calls];
  return { role: "assistant", model: said.model ?? model, content, stopReason: said.stopReason };
}

function unavailable(): Promise<never> {
  return Promise.reject(new McpError(-32603, "Sampling calls no tools"));
}

// ---- the model ----

/** The models that may answer: one, several of which a server's hints choose, or a function of its preferences. */
export type SamplingModel = string | readonly string[] | ((preferences: ModelPreferences) => string);

/**
 * The model for a request. A hint of the server chooses the first model whose name contains it; hints count in order. Without a hint that
 * fits it is the first model. Security: a server chooses among the models given here only.
 */
export function pickModel(model: SamplingModel, preferences: ModelPreferences = {}): string {
  if (typeof model === "string") return model;
  if (typeof model === "function") return model(preferences);
  for (const { name = "" } of preferences.hints ?? []) {
    const found = name === "" ? undefined : model.find((one) => one.includes(name));
    if (found !== undefined) return found;
  }
  const [first] = model;
  if (first === undefined) throw new TypeError('The option "model" is an empty list');
  return first;
}
