/**
 * Tools: registering them, listing them, and calling one.
 *
 * Schemas are compiled when a tool is registered; a call looks its tool up, checks the arguments once, runs the
 * handler, and checks what it returned once. All of it synchronous where schema and handler are.
 */
import { Late } from "../base/late.ts";
import { andThen, isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError, McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { Icon } from "../protocol/base.ts";
import type { InputRequiredResult } from "../protocol/input-required.ts";
import type { CallToolResult, ToolAnnotations } from "../protocol/tools.ts";
import { compileSchema, type CompiledSchema } from "../schema/compile.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { AnySchema, InferInput, InferOutput, Validation } from "../schema/standard-schema.ts";
import type { ServerExtensions, ToolExtension } from "../session/extension.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { TaskToolOptions } from "../session/tasks.ts";
import { unsendable } from "../session/unsendable.ts";
import { isWholeResult, toStructured, toToolResult, type ToolReturn } from "./content.ts";
import type { Features } from "./features.ts";
import type { Entry } from "./registry.ts";

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
   * Scopes that the client's token must have, beside those of the endpoint (docs/auth-server.md). Enforced over HTTP, where
   * there are tokens. What needs them is listed all the same: a client has to know what it could ask for. Default: none.
   */
  scopes?: readonly string[];
  /** Hints for clients, such as that it changes nothing. They believe them as far as they trust the server (K1.5). */
  annotations?: ToolAnnotations;
  /** What clients may show. */
  icons?: readonly Icon[];
  /** Free-form, in lists; passed on as it is. */
  _meta?: JsonObject;
  /** Whether calls become tasks, where the client knows those. Needs the tasks extension: see docs/tasks.md. Default false. */
  task?: boolean | TaskToolOptions;
}

/** The arguments a handler gets, after defaults and transforms of the schema. */
export type ToolInput<Input extends AnySchema | undefined> = Input extends AnySchema ? InferOutput<Input> : JsonObject;
/** What a handler may return. */
export type ToolOutput<Output extends AnySchema | undefined> =
  | CallToolResult
  | InputRequiredResult
  | (Output extends AnySchema ? InferInput<Output> : ToolReturn);

/**
 * Runs a tool. A {@link ToolError} it throws is read by the model, an `McpError` goes to the client as it is, anything else is masked
 * and told to `onError` with an id (R11). It may run again from the start where it asks the client: see docs/asking.md.
 */
export type ToolHandler<Input extends AnySchema | undefined, Output extends AnySchema | undefined, Lifespan = unknown> = (
  input: ToolInput<Input>,
  context: RequestContext<Lifespan>,
) => MaybePromise<ToolOutput<Output>>;

/** A tool as it is served. */
export interface ToolDefinition {
  readonly options: ToolOptions;
  readonly handler: (input: never, context: never) => unknown;
  readonly input: CompiledSchema | undefined;
  readonly output: CompiledSchema | undefined;
  readonly extension: ToolExtension | undefined;
}

/** The names we register (K1.3); names of others are never judged. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const ANY_OBJECT = { type: "object" };

const mismatch: Late<typeof import("./mismatch.ts")> = /* @__PURE__ */ new Late(() => import("./mismatch.ts"));

/**
 * @param extensions those in use, which may make something of the tool
 * @throws RangeError for a name that is not 1–128 of `A-Za-z0-9_.-`; TypeError for a schema that cannot be used
 */
export function defineTool(
  name: string,
  options: ToolOptions,
  handler: ToolDefinition["handler"],
  validator: JsonSchemaValidator,
  extensions: ServerExtensions | undefined,
): ToolDefinition {
  if (!TOOL_NAME.test(name)) throw new RangeError(`Tool name ${JSON.stringify(name)} must be 1 to 128 of A-Z a-z 0-9 _ . -`);
  const compile = (io: "input" | "output"): CompiledSchema | undefined => {
    const schema = options[io];
    return schema && compileSchema(schema, { io, what: `${io} of tool "${name}"`, validator });
  };
  const extension = extensions?.tool(name, options);
  if (options.task && !extension)
    throw new McpUsageError(`Tool "${name}": "task" needs tasks() of tenon/ext/tasks among the server's extensions`);
  return { options, handler, input: compile("input"), output: compile("output"), extension };
}

export function listTools({ tools }: Features, context: RequestContext): JsonObject {
  return tools.page(context.params["cursor"], "tools", describe);
}

function describe({ key: name, definition: { options, input, output, extension } }: Entry<ToolDefinition>): JsonObject {
  const { title, description, annotations, icons, _meta } = options;
  // JSON has no undefined members: those that are not there are not listed.
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

/** @throws McpError -32602 for an unknown tool, -32020 for headers that say other arguments; what the handler throws passes through */
export function callTool({ tools }: Features, context: RequestContext): MaybePromise<CallToolResult> {
  const name = context.params["name"] as string; // checked by the codec
  const tool = tools.get(name);
  if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
  const given = context.params["arguments"] ?? {};
  if (tool.input === undefined) return run(name, tool, given, context);
  context.checkArguments(tool.input.jsonSchema);
  const checked = tool.input.validate(given);
  return isPromise(checked) ? checked.then((verdict) => start(name, tool, verdict, context)) : start(name, tool, checked, context);
}

function start(name: string, tool: ToolDefinition, checked: Validation, context: RequestContext): MaybePromise<CallToolResult> {
  const { issues } = checked;
  if (issues) return andThen(mismatch.get(), ({ refuseInput }) => refuseInput(name, issues, context.codec.invalidToolInput));
  return run(name, tool, checked.value, context);
}

function run(name: string, tool: ToolDefinition, input: unknown, context: RequestContext): MaybePromise<CallToolResult> {
  const { extension } = tool;
  return extension ? extension.call(context, (within) => runNow(name, tool, input, within)) : runNow(name, tool, input, context);
}

function runNow(name: string, tool: ToolDefinition, input: unknown, context: RequestContext): MaybePromise<CallToolResult> {
  const returned = (tool.handler as (input: unknown, context: RequestContext) => unknown)(input, context); // typed where it was registered
  return isPromise(returned) ? returned.then((value) => finish(name, tool, value)) : finish(name, tool, returned);
}

function finish(name: string, { output }: ToolDefinition, returned: unknown): MaybePromise<CallToolResult> {
  if (output === undefined) return serialisable(name, toToolResult, returned);
  const whole = isWholeResult(returned) ? returned : undefined;
  // Failures and results of other kinds are not what the schema is about.
  if (whole && (whole.isError === true || (whole.resultType ?? "complete") !== "complete")) return whole;
  return andThen(output.validate(whole ? whole.structuredContent : returned), (checked) => accepted(name, whole, checked));
}

/** What is sent is what comes out of the schema: that is what its published form describes. */
function accepted(name: string, whole: CallToolResult | undefined, checked: Validation): MaybePromise<CallToolResult> {
  const { issues } = checked;
  if (issues) return andThen(mismatch.get(), ({ refuseOutput }) => refuseOutput(name, issues));
  if (whole === undefined) return serialisable(name, toStructured, checked.value);
  return checked.value === whole.structuredContent ? whole : { ...whole, structuredContent: checked.value };
}

/** @throws McpError -32603 that names the tool, for a value that has no JSON form (F12) */
function serialisable(name: string, convert: (value: unknown) => CallToolResult, value: unknown): CallToolResult {
  try {
    return convert(value);
  } catch (cause) {
    throw unsendable(`Tool "${name}"`, cause);
  }
}
