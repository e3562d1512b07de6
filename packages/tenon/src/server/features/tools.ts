/** Tools: describes, registers and lists them. `call-tool.ts` calls them. */
import type { OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { InputRequiredResult } from "../../protocol/input-required.ts";
import type { CallToolResult, ToolAnnotations } from "../../protocol/tools.ts";
import { compileSchema, type CompiledSchema } from "../../schema/compile.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import type { AnySchema, InferInput, InferOutput } from "../../schema/standard-schema.ts";
import type { ConfirmOption, OnceOptions } from "../../effects/options.ts";
import { SPILL_KEYS, type SpillOptions, type ToolSpill } from "../../spill/options.ts";
import type { ServerExtensions, ToolExtension } from "../../session/extension.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { TaskToolOptions } from "../../session/tasks.ts";
import type { ToolUiOptions, ViewSource } from "../../session/tools/tool-ui.ts";
import type { Requirements } from "../../transport/transport-context.ts";
import { FEATURE_OPTIONS, type FeatureOptions } from "./feature-options.ts";
import type { Definition, RegistryEntry, Registry } from "./registry.ts";
import type { InvalidArgumentsResponse } from "./tool-error.ts";

/** The description of a tool, its schemas, and the scopes that it needs. */
export interface ToolOptions<
  Input extends AnySchema | undefined = AnySchema | undefined,
  Output extends AnySchema | undefined = AnySchema | undefined,
> extends FeatureOptions {
  /** What the tool does and when to use it, for the model. */
  description?: string;
  /** The schema of the arguments: a Standard Schema or a JSON Schema with an object at its root. Default: any object. */
  input?: Input;
  /**
   * The schema of the result. The compiler and the server check the handler's return value. If it does not match, the caller gets -32603
   * and `onError` gets the reasons. Default: any value.
   */
  output?: Output;
  /** Hints for clients, such as "this tool changes nothing". Clients use them only if they trust the server. */
  annotations?: ToolAnnotations;
  /** Whether calls become tasks if the client supports tasks. Needs the tasks extension: see docs/servers/tasks.md. Default false. */
  task?: boolean | TaskToolOptions;
  /**
   * One result for calls with one key: the same arguments under it get the result that there is, other arguments are refused, and a call waits for
   * one that runs (docs/servers/once.md). Default: each call runs.
   */
  once?: OnceOptions<ToolInput<Input>>;
  /**
   * What the user must say yes to before the tool runs: a text, a function of the arguments, or `true` for the name and the arguments. A client that can
   * ask no one is refused (docs/servers/confirm.md). Default: nothing.
   */
  confirm?: ConfirmOption<ToolInput<Input>>;
  /**
   * What happens to a result whose text is too long for a model: it becomes a preview and a link, and the caller reads on with the tool `read_more`
   * (docs/servers/spill.md). `true` for the defaults. Default: the option `spill` of the server; without it results are sent whole.
   */
  spill?: boolean | SpillOptions;
  /**
   * The view that hosts show with the tool's results: HTML, the URL of a file, or its options. Needs the apps extension: see
   * docs/servers/apps.md. Default: none.
   */
  ui?: ViewSource | ToolUiOptions;
}

export const TOOL_OPTIONS: OptionKeys<ToolOptions> = {
  description: 1,
  input: 1,
  output: 1,
  annotations: 1,
  task: 1,
  ui: 1,
  once: 1,
  confirm: 1,
  spill: SPILL_KEYS,
  ...FEATURE_OPTIONS,
};

/** The arguments of the handler, after defaults and transforms of the schema. */
export type ToolInput<Input extends AnySchema | undefined> = Input extends AnySchema ? InferOutput<Input> : JsonObject;
/** Data: any object or list, except an object with a list named `content`, which must be a `CallToolResult`, and except a promise. */
export type ToolData = object & {
  /** Not a list: an object with a list named `content` is a result. */
  readonly content?: Primitive | NoList;
  /** Not a function: an object with a function named `then` is a promise. */
  readonly then?: Primitive | NoFunction;
};
/** Any value except an object. */
type Primitive = string | number | boolean | bigint | null | undefined;
/** An object, except a list. */
type NoList = (JsonObject | object) & {
  /** The text of the compiler error for a list. */
  readonly [Symbol.iterator]?: "a list named content makes this a result: it has to be a CallToolResult";
};
/** An object, except a function. */
type NoFunction = (JsonObject | object) & {
  /** Functions have this member. */
  readonly apply?: undefined;
};
/** What a tool may return: any value with a JSON form, content, or a complete result. */
export type ToolReturn = Primitive | void | ToolData;
/** What a handler may return. */
export type ToolOutput<Output extends AnySchema | undefined> =
  | CallToolResult
  | InputRequiredResult
  | (Output extends AnySchema ? InferInput<Output> : ToolReturn);

/**
 * Runs a tool. The model reads a {@link ToolError} that it throws, the client gets an `McpError`; any other error is masked and reported
 * to `onError` with an id. A handler that asks questions may run again from the start: see docs/servers/asking.md.
 */
export type ToolHandler<Input extends AnySchema | undefined, Output extends AnySchema | undefined, Lifespan = unknown> = (
  input: ToolInput<Input>,
  context: RequestContext<Lifespan>,
) => MaybePromise<ToolOutput<Output>>;

export interface ServedTool extends Definition {
  readonly options: ToolOptions;
  readonly handler: (input: never, context: never) => unknown;
  readonly input: CompiledSchema | undefined;
  readonly output: CompiledSchema | undefined;
  readonly extension: ToolExtension | undefined;
  readonly maxContentBlocks: number;
  readonly invalidArguments: InvalidArgumentsResponse;
  readonly requirements: Requirements;
  /** What happens to results that are too long; undefined if they are sent whole. */
  readonly spill?: ToolSpill | undefined;
}

/** Names that a server may register. Clients accept other names too. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
// APIs of models refuse an object schema without "properties".
const ANY_OBJECT = { type: "object", properties: {} };

export interface ToolDependencies {
  readonly validator: JsonSchemaValidator;
  readonly extensions: ServerExtensions | undefined;
  readonly maxContentBlocks: number;
  readonly invalidArguments: InvalidArgumentsResponse;
}

/**
 * @throws RangeError if the name is not 1 to 128 of `A-Za-z0-9_.-`; TypeError if a schema cannot be used; McpUsageError if the tool needs
 * an extension that is missing
 */
export function defineTool(
  name: string,
  tool: Pick<ServedTool, "options" | "handler">,
  { validator, extensions, maxContentBlocks, invalidArguments }: ToolDependencies,
): ServedTool {
  if (!TOOL_NAME.test(name)) throw new RangeError(`Tool name ${JSON.stringify(name)} must be 1 to 128 of A-Z a-z 0-9 _ . -`);
  const { options } = tool;
  const compile = (io: "input" | "output"): CompiledSchema | undefined => {
    const schema = options[io];
    return schema && compileSchema(schema, { io, what: `${io} of tool "${name}"`, validator });
  };
  const extension = extensions?.tool(name, options);
  assertTask(name, options, extension);
  if (options.ui !== undefined && !extension?.listed?.["_meta"]) throw needsError(name, "ui", "apps");
  const input = compile("input");
  const requirements = { scopes: options.scopes ?? [], inputSchema: input?.jsonSchema };
  return { ...tool, input, output: compile("output"), extension, maxContentBlocks, invalidArguments, requirements };
}

/** @throws McpUsageError if a tool needs an extension that is missing */
export function assertTask(name: string, { task }: ToolOptions, extension: ToolExtension | undefined): void {
  if (task && !extension) throw needsError(name, "task", "tasks");
}

function needsError(tool: string, option: string, extension: string): McpUsageError {
  return new McpUsageError(`Tool "${tool}": "${option}" needs ${extension}() of tenon/ext/${extension} among the server's extensions`);
}

export function listTools(tools: Registry<ServedTool>, context: RequestContext): JsonObject {
  return tools.page(context.params["cursor"], "tools", describeTool, context);
}

export function describeTool({ key: name, definition: { options, input, output, extension } }: RegistryEntry<ServedTool>): JsonObject {
  const { title, description, annotations, icons, _meta } = options;
  // JSON omits undefined members.
  return {
    name,
    title,
    description,
    inputSchema: input?.jsonSchema ?? ANY_OBJECT,
    outputSchema: output?.jsonSchema,
    annotations,
    icons,
    _meta,
    ...extension?.listed,
  };
}
