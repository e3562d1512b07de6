/** Prompts as clients ask for them: listing them, and filling one in. Loaded with the first request. */
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { InputRequiredResult } from "../protocol/input-required.ts";
import type { GetPromptResult, PromptArgument, PromptMessage } from "../protocol/prompts.ts";
import { describeIssues, type Validation } from "../schema/standard-schema.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Features } from "./features.ts";
import type { PromptDefinition, PromptReturn } from "./prompts.ts";
import type { Entry } from "./registry.ts";

export function listPrompts({ prompts }: Features, context: RequestContext): JsonObject {
  return prompts.page(context.params["cursor"], "prompts", describe);
}

/** @throws McpError -32602 for an unknown prompt or arguments that do not fit (K3.2) */
export function getPrompt({ prompts }: Features, context: RequestContext): MaybePromise<GetPromptResult | InputRequiredResult> {
  const name = context.params["name"] as string; // checked by the codec
  const prompt = prompts.get(name);
  if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown prompt: ${name}`);
  const given = context.params["arguments"] ?? {};
  const checked: MaybePromise<Validation> = prompt.input === undefined ? { value: given } : prompt.input.validate(given);
  return andThen(checked, (verdict) => fill(name, prompt, verdict, context));
}

function fill(
  name: string,
  { handler, options }: PromptDefinition,
  checked: Validation,
  context: RequestContext,
): MaybePromise<GetPromptResult | InputRequiredResult> {
  if (checked.issues !== undefined) {
    throw new McpError(ErrorCode.InvalidParams, `Invalid arguments for prompt "${name}": ${describeIssues(checked.issues)}`);
  }
  const returned = (handler as (input: unknown, context: RequestContext) => MaybePromise<PromptReturn>)(checked.value, context); // typed where it was registered
  return andThen(returned, (value) => toPromptResult(name, value, options.description));
}

/** @throws TypeError for what is no message, where the compiler was not asked */
function toPromptResult(name: string, value: PromptReturn, description: string | undefined): GetPromptResult | InputRequiredResult {
  if (isResult(value)) return value;
  const said = { ...(description !== undefined && { description }) };
  if (typeof value === "string")
    return { ...said, messages: [{ role: "user", content: { type: "text", text: value } satisfies ContentBlock }] };
  const messages = isMessageList(value) ? value : [value];
  if (!messages.every((message) => isJsonObject(message) && "role" in message))
    throw new TypeError(`Prompt "${name}" returned no messages`);
  return { ...said, messages };
}

function isResult(value: PromptReturn): value is GetPromptResult | InputRequiredResult {
  if (typeof value !== "object" || value === null) return false;
  return "messages" in value || ("resultType" in value && value.resultType === "input_required");
}

function isMessageList(value: PromptMessage | readonly PromptMessage[]): value is readonly PromptMessage[] {
  return Array.isArray(value);
}

function describe({ key: name, definition: { options, input } }: Entry<PromptDefinition>): JsonObject {
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

/** The members of an object schema as prompt arguments: name, title, description, required. */
function argumentsOf(schema: JsonObject): PromptArgument[] {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const argument: PromptArgument = { name };
    if (isJsonObject(property) && typeof property["title"] === "string") argument.title = property["title"];
    if (isJsonObject(property) && typeof property["description"] === "string") argument.description = property["description"];
    if (Array.isArray(required) && required.includes(name)) argument.required = true;
    return argument;
  });
}
