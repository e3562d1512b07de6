/** Prompts as they are registered. What fills them in is loaded with the first request (`prompt-methods.ts`). */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Icon } from "../protocol/base.ts";
import type { InputRequiredResult } from "../protocol/input-required.ts";
import type { GetPromptResult, PromptMessage } from "../protocol/prompts.ts";
import { compileSchema, type CompiledSchema } from "../schema/compile.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { AnySchema, InferOutput } from "../schema/standard-schema.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Completers } from "./completions.ts";

/** How a prompt is described, and who may have it (K3.1). */
export interface PromptOptions<Input extends AnySchema | undefined = AnySchema | undefined> {
  /** The name people see. */
  title?: string;
  /** What it is for, for people. */
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
  /** What clients may show. */
  icons?: readonly Icon[];
  /** Free-form, in lists; passed on as it is. */
  _meta?: JsonObject;
}

/** A string is one message of the user; else messages, a whole result, or questions. */
export type PromptReturn = string | PromptMessage | readonly PromptMessage[] | GetPromptResult | InputRequiredResult;

/** The arguments a handler gets, after defaults and transforms of the schema. */
export type PromptInput<Input extends AnySchema | undefined> = Input extends AnySchema ? InferOutput<Input> : { [name: string]: string };

/** Fills in a prompt. An `McpError` it throws goes to the client as it is, anything else is masked (R11). */
export type PromptHandler<Input extends AnySchema | undefined, Lifespan = unknown> = (
  input: PromptInput<Input>,
  context: RequestContext<Lifespan>,
) => MaybePromise<PromptReturn>;

/** A prompt as it is served. */
export interface PromptDefinition {
  readonly options: PromptOptions;
  readonly handler: (input: never, context: never) => MaybePromise<PromptReturn>;
  readonly input: CompiledSchema | undefined;
}

/** @throws TypeError for a schema that cannot be used */
export function definePrompt(
  name: string,
  options: PromptOptions,
  handler: PromptDefinition["handler"],
  validator: JsonSchemaValidator,
): PromptDefinition {
  const input = options.input && compileSchema(options.input, { io: "input", what: `input of prompt "${name}"`, validator });
  return { options, handler, input };
}
