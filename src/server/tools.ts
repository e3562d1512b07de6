/** Tools: how they are described, registered and listed. Calling one is `call-tool.ts`. */
import type { OptionKeys } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { Icon } from "../protocol/base.ts";
import type { InputRequiredResult } from "../protocol/input-required.ts";
import type { CallToolResult, ToolAnnotations } from "../protocol/tools.ts";
import { compileSchema, type CompiledSchema } from "../schema/compile.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { AnySchema, InferInput, InferOutput } from "../schema/standard-schema.ts";
import type { ServerExtensions, ToolExtension } from "../session/extension.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { TaskToolOptions } from "../session/tasks.ts";
import type { Requirements } from "../transport/transport-context.ts";
import type { Entry, Registry } from "./registry.ts";

/** How a tool is described, and what is checked around it (TY-54). */
export interface ToolOptions<
  Input extends AnySchema | undefined = AnySchema | undefined,
  Output extends AnySchema | undefined = AnySchema | undefined,
> {
  /** The name people see. */
  title?: string;
  /** What the tool does and when to use it, for the model. */
  description?: string;
  /** What the arguments look like: any Standard Schema or a JSON Schema, an object at its root. Default: anything. */
  input?: Input;
  /**
   * What the result looks like. The handler's return value is checked against it, by the compiler and at run time; for one that does not
   * fit the caller gets -32603 and `onError` the reasons. Default: anything.
   */
  output?: Output;
  /**
   * Scopes that the client's token must have, beside those of the endpoint (docs/servers/authorization.md). Enforced over HTTP, where
   * there are tokens. What needs them is listed all the same: a client has to know what it could ask for. Default: none.
   */
  scopes?: readonly string[];
  /** Hints for clients, such as that it changes nothing. They believe them as far as they trust the server (K1.5). */
  annotations?: ToolAnnotations;
  /** What clients may show. */
  icons?: readonly Icon[];
  /** Free-form, in lists; passed on as it is. */
  _meta?: JsonObject;
  /** Whether calls become tasks, where the client knows those. Needs the tasks extension: see docs/servers/tasks.md. Default false. */
  task?: boolean | TaskToolOptions;
}

export const TOOL_OPTIONS: OptionKeys<ToolOptions> = {
  title: 1,
  description: 1,
  input: 1,
  output: 1,
  scopes: 1,
  annotations: 1,
  icons: 1,
  _meta: 1,
  task: 1,
};

/** The arguments a handler gets, after defaults and transforms of the schema. */
export type ToolInput<Input extends AnySchema | undefined> = Input extends AnySchema ? InferOutput<Input> : JsonObject;
/** Data: any object or list, but for an object with a list named `content`, which has to be a `CallToolResult`, and for a promise. */
export type ToolData = object & {
  /** No list: a list named `content` makes a result of the object. */
  readonly content?: Primitive | NoList;
  /** No function: a function named `then` makes a promise of the object. */
  readonly then?: Primitive | NoFunction;
};
/** A value that is no object. */
type Primitive = string | number | boolean | bigint | null | undefined;
/** An object that is no list. */
type NoList = (JsonObject | object) & {
  /** What the compiler says to a list. */
  readonly [Symbol.iterator]?: "a list named content makes this a result: it has to be a CallToolResult";
};
/** An object that is no function. */
type NoFunction = (JsonObject | object) & {
  /** Functions have it. */
  readonly apply?: undefined;
};
/** What a tool may return: anything that has a JSON form, content, or a whole result. */
export type ToolReturn = Primitive | void | ToolData;
/** What a handler may return. */
export type ToolOutput<Output extends AnySchema | undefined> =
  | CallToolResult
  | InputRequiredResult
  | (Output extends AnySchema ? InferInput<Output> : ToolReturn);

/**
 * Runs a tool. A {@link ToolError} it throws is read by the model, an `McpError` goes to the client as it is, anything else is masked
 * and told to `onError` with an id (R11). It may run again from the start where it asks the client: see docs/servers/asking.md.
 */
export type ToolHandler<Input extends AnySchema | undefined, Output extends AnySchema | undefined, Lifespan = unknown> = (
  input: ToolInput<Input>,
  context: RequestContext<Lifespan>,
) => MaybePromise<ToolOutput<Output>>;

/** A tool as it is served. */
export interface ServedTool {
  readonly options: ToolOptions;
  readonly handler: (input: never, context: never) => unknown;
  readonly input: CompiledSchema | undefined;
  readonly output: CompiledSchema | undefined;
  readonly extension: ToolExtension | undefined;
  /** Most blocks in the content of its result. */
  readonly maxContentBlocks: number;
  readonly requirements: Requirements;
}

/** The names we register (K1.3); names of others are never judged. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const ANY_OBJECT = { type: "object" };

/** What a server has that its tools are made with. */
export interface ToolDependencies {
  readonly validator: JsonSchemaValidator;
  /** The extensions in use, which may make something of a tool. */
  readonly extensions: ServerExtensions | undefined;
  readonly maxContentBlocks: number;
}

/**
 * @throws RangeError if the name is not 1 to 128 of `A-Za-z0-9_.-`; TypeError for a schema that cannot be used; McpUsageError if
 * the tool needs an extension that is not there
 */
export function defineTool(
  name: string,
  tool: Pick<ServedTool, "options" | "handler">,
  { validator, extensions, maxContentBlocks }: ToolDependencies,
): ServedTool {
  if (!TOOL_NAME.test(name)) throw new RangeError(`Tool name ${JSON.stringify(name)} must be 1 to 128 of A-Z a-z 0-9 _ . -`);
  const { options } = tool;
  const compile = (io: "input" | "output"): CompiledSchema | undefined => {
    const schema = options[io];
    return schema && compileSchema(schema, { io, what: `${io} of tool "${name}"`, validator });
  };
  const extension = extensions?.tool(name, options);
  if (options.task && !extension)
    throw new McpUsageError(`Tool "${name}": "task" needs tasks() of tenon/ext/tasks among the server's extensions`);
  const input = compile("input");
  const requirements = { scopes: options.scopes ?? [], inputSchema: input?.jsonSchema };
  return { ...tool, input, output: compile("output"), extension, maxContentBlocks, requirements };
}

export function listTools(tools: Registry<ServedTool>, context: RequestContext): JsonObject {
  return tools.page(context.params["cursor"], "tools", describe);
}

function describe({ key: name, definition: { options, input, output, extension } }: Entry<ServedTool>): JsonObject {
  const { title, description, annotations, icons, _meta } = options;
  // A member that is undefined is not listed: JSON has none.
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
