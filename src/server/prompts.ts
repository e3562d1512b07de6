/** Prompts: registering them, listing them, and filling one in. */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { Icon } from "../protocol/base.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { InputRequiredResult } from "../protocol/input-required.ts";
import type { GetPromptResult, PromptArgument, PromptMessage } from "../protocol/prompts.ts";
import { compileSchema, type CompiledSchema } from "../schema/compile.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import { describeIssues, type AnySchema, type InferOutput, type Validation } from "../schema/standard-schema.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Completers } from "./completions.ts";
import { Registered, Registry, type RegistryOptions } from "./registry.ts";

export interface PromptOptions<Input extends AnySchema | undefined = AnySchema | undefined> {
  /** The name people see. */
  title?: string;
  description?: string;
  /** The arguments: a schema of an object whose members are strings. Clients ask their user for them. Default: none. */
  input?: Input;
  /** Suggests values for arguments. */
  complete?: Completers;
  /**
   * Scopes that the client's token must have, beside those of the endpoint (docs/auth-server.md). Enforced over HTTP, where
   * there are tokens. What needs them is listed all the same: a client has to know what it could ask for. Default: none.
   */
  scopes?: readonly string[];
  icons?: readonly Icon[];
  _meta?: JsonObject;
}

/** A string is one message of the user; else messages, a whole result, or questions. */
export type PromptReturn = string | PromptMessage | readonly PromptMessage[] | GetPromptResult | InputRequiredResult;

export type PromptInput<Input extends AnySchema | undefined> = Input extends AnySchema ? InferOutput<Input> : { [name: string]: string };

export type PromptHandler<Input extends AnySchema | undefined, Lifespan = unknown> = (
  input: PromptInput<Input>,
  context: RequestContext<Lifespan>,
) => MaybePromise<PromptReturn>;

interface PromptDefinition {
  options: PromptOptions;
  handler: (input: never, context: never) => MaybePromise<PromptReturn>;
  input: CompiledSchema | undefined;
}

export class Prompts {
  /** @internal */
  readonly registry: Registry<PromptDefinition>;
  readonly #validator: JsonSchemaValidator;

  constructor(options: Pick<RegistryOptions<PromptDefinition>, "pageSize" | "onChange">, validator: JsonSchemaValidator) {
    this.registry = new Registry({ ...options, what: "prompt", member: "prompts", describe });
    this.#validator = validator;
  }

  get used(): boolean {
    return this.registry.used;
  }

  add(name: string, options: PromptOptions, handler: PromptDefinition["handler"]): Registered<PromptOptions> {
    const compile = (own: PromptOptions): PromptDefinition => ({
      options: own,
      handler,
      input: own.input && compileSchema(own.input, { io: "input", what: `input of prompt "${name}"`, validator: this.#validator }),
    });
    const entry = this.registry.add(name, compile(options));
    return new Registered<PromptOptions>(this.registry, entry as never, (changes) => {
      entry.definition = compile({ ...entry.definition.options, ...changes });
    });
  }

  list(context: RequestContext): JsonObject {
    return this.registry.page(context.params["cursor"]);
  }

  /** @throws McpError -32602 for an unknown prompt or arguments that do not fit (K3.2) */
  get(context: RequestContext): MaybePromise<GetPromptResult | InputRequiredResult> {
    const name = context.params["name"] as string; // checked by the codec
    const prompt = this.registry.get(name);
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown prompt: ${name}`);
    const given = context.params["arguments"] ?? {};
    const checked = prompt.input === undefined ? { value: given } : prompt.input.validate(given);
    return isPromise(checked) ? checked.then((verdict) => fill(name, prompt, verdict, context)) : fill(name, prompt, checked, context);
  }

  /** The completers of a prompt, or undefined where there is no such prompt. */
  completersOf(name: string): Completers | undefined {
    const definition = this.registry.get(name);
    return definition && (definition.options.complete ?? {});
  }

  get hasCompleters(): boolean {
    for (const { options } of this.registry.values()) if (options.complete) return true;
    return false;
  }
}

function fill(
  name: string,
  prompt: PromptDefinition,
  checked: Validation,
  context: RequestContext,
): MaybePromise<GetPromptResult | InputRequiredResult> {
  if (checked.issues !== undefined) {
    throw new McpError(ErrorCode.InvalidParams, `Invalid arguments for prompt "${name}": ${describeIssues(checked.issues)}`);
  }
  const returned = (prompt.handler as (input: unknown, context: RequestContext) => MaybePromise<PromptReturn>)(checked.value, context); // typed where it was registered
  const toResult = (value: PromptReturn): GetPromptResult | InputRequiredResult => toPromptResult(value, prompt.options.description);
  return isPromise(returned) ? returned.then(toResult) : toResult(returned);
}

function toPromptResult(value: PromptReturn, description: string | undefined): GetPromptResult | InputRequiredResult {
  if (isQuestions(value)) return value;
  if (typeof value === "object" && "messages" in value) return value;
  const said = { ...(description !== undefined && { description }) };
  if (typeof value === "string")
    return { ...said, messages: [{ role: "user", content: { type: "text", text: value } satisfies ContentBlock }] };
  return { ...said, messages: isMessageList(value) ? value : [value] };
}

function isQuestions(value: PromptReturn): value is InputRequiredResult {
  return typeof value === "object" && "resultType" in value && value.resultType === "input_required";
}

function isMessageList(value: PromptMessage | readonly PromptMessage[]): value is readonly PromptMessage[] {
  return Array.isArray(value);
}

function describe(name: string, { options, input }: PromptDefinition): JsonObject {
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
