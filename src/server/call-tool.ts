/**
 * Calling a tool: looks it up, checks the arguments once, runs the handler, and checks what it returned once.
 *
 * All of it is synchronous if the schema and the handler are.
 */
import { andThen, isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError, McpError } from "../jsonrpc/mcp-error.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import { describeIssues, type SchemaIssue, type Validation } from "../schema/standard-schema.ts";
import type { RequestContext } from "../session/request-context.ts";
import { unsendable } from "../session/unsendable.ts";
import { isWholeResult, toStructured, toToolResult } from "./content.ts";
import type { Registry } from "./registry.ts";
import { InvalidToolInputError } from "./tool-error.ts";
import type { ServedTool } from "./tools.ts";

/** @throws McpError -32602 for an unknown tool; what the handler throws passes through */
export function callTool(tools: Registry<ServedTool>, context: RequestContext): MaybePromise<CallToolResult> {
  const name = context.params["name"] as string; // checked by the codec
  const tool = tools.get(name);
  if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
  const given = context.params["arguments"] ?? {};
  if (tool.input === undefined) return run(name, tool, given, context);
  const checked = tool.input.validate(given);
  return isPromise(checked) ? checked.then((verdict) => start(name, tool, verdict, context)) : start(name, tool, checked, context);
}

function start(name: string, tool: ServedTool, checked: Validation, context: RequestContext): MaybePromise<CallToolResult> {
  const { issues } = checked;
  if (issues) throw new InvalidToolInputError(name, describeIssues(issues), context.codec.invalidToolInput);
  return run(name, tool, checked.value, context);
}

function run(name: string, tool: ServedTool, input: unknown, context: RequestContext): MaybePromise<CallToolResult> {
  const { extension } = tool;
  return extension ? extension.call(context, (within) => runNow(name, tool, input, within)) : runNow(name, tool, input, context);
}

function runNow(name: string, tool: ServedTool, input: unknown, context: RequestContext): MaybePromise<CallToolResult> {
  const returned = (tool.handler as (input: unknown, context: RequestContext) => unknown)(input, context); // typed where it was registered
  return isPromise(returned) ? returned.then((value) => finish(name, tool, value)) : finish(name, tool, returned);
}

function finish(name: string, { output, maxContentBlocks }: ServedTool, returned: unknown): MaybePromise<CallToolResult> {
  if (output === undefined) return withinLimit(serialisable(name, toToolResult, returned), maxContentBlocks);
  const whole = isWholeResult(returned) ? withinLimit(returned, maxContentBlocks) : undefined;
  // The schema is about complete results, and not about failures.
  if (whole && (whole.isError === true || (whole.resultType ?? "complete") !== "complete")) return whole;
  return andThen(output.validate(whole ? whole.structuredContent : returned), (checked) => accepted(name, whole, checked));
}

/** The codec walks through every block, and nothing else runs meanwhile. @throws LimitExceededError -32603 */
function withinLimit(result: CallToolResult, max: number): CallToolResult {
  const { content } = result as { content?: unknown }; // a handler without types may return anything
  if (!Array.isArray(content) || content.length <= max) return result;
  throw new LimitExceededError("maxContentBlocks", max, content.length, ErrorCode.InternalError);
}

/** What the server sends is what comes out of the schema: the published form describes that. */
function accepted(name: string, whole: CallToolResult | undefined, checked: Validation): CallToolResult {
  const { issues } = checked;
  if (issues) throw outputMismatch(name, issues);
  if (whole === undefined) return serialisable(name, toStructured, checked.value);
  return checked.value === whole.structuredContent ? whole : { ...whole, structuredContent: checked.value };
}

/** -32603 for the client; what is wrong stays here, as the cause. */
function outputMismatch(tool: string, issues: readonly SchemaIssue[]): McpError {
  const message = `Tool "${tool}" returned structured content that does not match its output schema`;
  return new McpError(ErrorCode.InternalError, message, undefined, { cause: new Error(describeIssues(issues)) });
}

/** @throws McpError -32603 that names the tool, for a value that has no JSON form */
function serialisable(name: string, convert: (value: unknown) => CallToolResult, value: unknown): CallToolResult {
  try {
    return convert(value);
  } catch (cause) {
    throw unsendable(`Tool "${name}"`, cause);
  }
}
