/** Prompts: registers them, lists them, and gets one. */
import type { OptionKeys } from "../../base/known-options.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, isList, type JsonObject } from "../../jsonrpc/message.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { InputRequiredResult } from "../../protocol/input-required.ts";
import type { GetPromptResult, PromptMessage } from "../../protocol/prompts.ts";
import { compileSchema, type CompiledSchema } from "../../schema/compile.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import { describeIssues, isStandardSchema, type AnySchema, type InferOutput, type Validation } from "../../schema/standard-schema.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Completers } from "./completions.ts";
import { FEATURE_OPTIONS, type FeatureOptions } from "./feature-options.ts";
import { argumentsOf, assertTakesStrings } from "./prompt-arguments.ts";
import type { Definition, RegistryEntry, Registry } from "./registry.ts";
import { unknownName } from "./versions.ts";

/** The description of a prompt, and the scopes that it needs. */
export interface PromptOptions<Input extends AnySchema | undefined = AnySchema | undefined> extends FeatureOptions {
  /** What the prompt is for; shown to users. */
  description?: string;
  /** The arguments: a schema of an object whose members are strings. Clients ask the user for them. Default: none. */
  input?: Input;
  /** Suggests values for arguments. */
  complete?: Completers;
}

export const PROMPT_OPTIONS: OptionKeys<PromptOptions> = {
  description: 1,
  input: 1,
  complete: 1,
  ...FEATURE_OPTIONS,
};

/** A string becomes one message of the user; else messages, a complete result, or questions. */
export type PromptReturn = string | PromptMessage | readonly PromptMessage[] | GetPromptResult | InputRequiredResult;

/** The arguments of the handler, after defaults and transforms of the schema. */
export type PromptInput<Input extends AnySchema | undefined> = Input extends AnySchema ? InferOutput<Input> : { [name: string]: string };

/** Makes the messages of a prompt. The client gets an `McpError` that it throws; other errors are masked. */
export type PromptHandler<Input extends AnySchema | undefined, Lifespan = unknown> = (
  input: PromptInput<Input>,
  context: RequestContext<Lifespan>,
) => MaybePromise<PromptReturn>;

export interface ServedPrompt extends Definition {
  readonly options: PromptOptions;
  readonly handler: (input: never, context: never) => MaybePromise<PromptReturn>;
  readonly input: CompiledSchema | undefined;
}

/** @throws TypeError if the schema cannot be used, or has an argument that takes no string */
export function definePrompt(name: string, prompt: Omit<ServedPrompt, "input">, validator: JsonSchemaValidator): ServedPrompt {
  const { input: schema } = prompt.options;
  const input = schema && compileSchema(schema, { io: "input", what: `input of prompt "${name}"`, validator });
  if (input) assertTakesStrings(name, input, isStandardSchema(schema));
  return { ...prompt, input };
}

export function listPrompts(prompts: Registry<ServedPrompt>, context: RequestContext): JsonObject {
  return prompts.page(context.params["cursor"], "prompts", describePrompt, context);
}

/** @throws McpError -32602 if the prompt is unknown or its arguments do not match */
export function getPrompt(prompts: Registry<ServedPrompt>, context: RequestContext): MaybePromise<GetPromptResult | InputRequiredResult> {
  const name = context.params["name"] as string; // checked by the codec
  const prompt = prompts.requested(name, context.params, context);
  if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, unknownName("prompt", name, context.params));
  if (prompt.forward !== undefined) return prompt.forward(context) as ReturnType<typeof getPrompt>; // the result of a prompt
  const args = context.params["arguments"] ?? {};
  const checked: MaybePromise<Validation> = prompt.input === undefined ? { value: args } : prompt.input.validate(args);
  return andThen(checked, (verdict) => fill(name, prompt, verdict, context));
}

function fill(
  name: string,
  { handler, options }: ServedPrompt,
  checked: Validation,
  context: RequestContext,
): MaybePromise<GetPromptResult | InputRequiredResult> {
  if (checked.issues !== undefined) {
    throw new McpError(ErrorCode.InvalidParams, `Invalid arguments for prompt "${name}": ${describeIssues(checked.issues)}`);
  }
  const returned = (handler as (input: unknown, context: RequestContext) => MaybePromise<PromptReturn>)(checked.value, context); // typed where it was registered
  return andThen(returned, (value) => toPromptResult(name, value, options.description));
}

/** @throws TypeError if the handler returned no messages, which the compiler prevents in TypeScript */
function toPromptResult(name: string, value: PromptReturn, description: string | undefined): GetPromptResult | InputRequiredResult {
  if (isResult(value)) return value;
  const said = { ...(description !== undefined && { description }) };
  if (typeof value === "string")
    return { ...said, messages: [{ role: "user", content: { type: "text", text: value } satisfies ContentBlock }] };
  const messages = isList(value) ? value : [value];
  if (!messages.every((message) => isJsonObject(message) && "role" in message))
    throw new TypeError(`Prompt "${name}" returned no messages`);
  return { ...said, messages };
}

function isResult(value: PromptReturn): value is GetPromptResult | InputRequiredResult {
  if (typeof value !== "object" || value === null) return false;
  return "messages" in value || ("resultType" in value && value.resultType === "input_required");
}

export function describePrompt({ key: name, definition: { options, input } }: RegistryEntry<ServedPrompt>): JsonObject {
  const { title, description, icons, _meta } = options;
  const args = input && argumentsOf(input.jsonSchema);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(args && { arguments: args }),
    ...(icons && { icons }),
    ...(_meta && { _meta }),
  };
}
