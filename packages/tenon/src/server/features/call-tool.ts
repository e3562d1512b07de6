/**
 * Calls a tool: finds it, checks the arguments once, runs the handler, checks the returned value once, and converts it to a result.
 *
 * All of this is synchronous if the schema and the handler are.
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { hasExactNumbers } from "../../jsonrpc/exact-numbers.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { CallToolResult } from "../../protocol/tools.ts";
import { describeIssues, type SchemaIssue, type Validation } from "../../schema/standard-schema.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { unsendableResultError } from "../../wire/errors.ts";
import type { Registry } from "./registry.ts";
import { InvalidToolInputError } from "./tool-error.ts";
import type { ServedTool } from "./tools.ts";
import { unknownName } from "./versions.ts";

/** @param extended whether extensions may wrap the handler @throws McpError -32602 for an unknown tool; and whatever the handler throws */
export function callTool(tools: Registry<ServedTool>, context: RequestContext, extended = true): MaybePromise<CallToolResult> {
  const name = context.params["name"] as string; // checked by the codec
  const found = tools.requested(name, context.params, context);
  const tool = extended || found === undefined ? found : { ...found, extension: undefined };
  if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, unknownName("tool", name, context.params));
  const args = context.params["arguments"] ?? {};
  const { input } = tool;
  if (input === undefined) return run(name, tool, args, context);
  const { validateFor } = input;
  const checked = validateFor === undefined ? input.validate(args) : validateFor(args, context as never); // the context that it expects
  return isPromise(checked) ? checked.then((verdict) => start(name, tool, verdict, context)) : start(name, tool, checked, context);
}

function start(name: string, tool: ServedTool, checked: Validation, context: RequestContext): MaybePromise<CallToolResult> {
  if (checked.issues) throw new InvalidToolInputError(name, describeIssues(checked.issues), tool.invalidArguments);
  const { value } = checked;
  const args = context.params["arguments"];
  // A copy has lost the digits that numbers cannot hold.
  if (!hasExactNumbers || value === args) return run(name, tool, value, context);
  return import("./lost-digits.ts").then(({ lostDigits }) => {
    const lost = lostDigits(args, value);
    if (lost !== undefined) throw new InvalidToolInputError(name, lost, tool.invalidArguments);
    return run(name, tool, value, context);
  });
}

function run(name: string, tool: ServedTool, input: unknown, context: RequestContext): MaybePromise<CallToolResult> {
  const { extension } = tool;
  if (extension === undefined) return runNow(name, tool, input, context);
  // The result of a task passes no layer of the server.
  return extension.call(context, (within) => {
    const result = runNow(name, tool, input, within);
    return tool.spill === undefined ? result : keepLong(name, tool, result, context);
  });
}

async function keepLong(
  name: string,
  tool: ServedTool,
  running: MaybePromise<CallToolResult>,
  context: RequestContext,
): Promise<CallToolResult> {
  const [result, { spilled }] = await Promise.all([running, import("./spill-layer.ts")]);
  return spilled(name, tool, result, context) as MaybePromise<CallToolResult>; // a result in, a result out
}

function runNow(name: string, tool: ServedTool, input: unknown, context: RequestContext): MaybePromise<CallToolResult> {
  if (tool.forward !== undefined) return tool.forward(context) as MaybePromise<CallToolResult>; // the result of a tool
  const { options } = tool;
  if ((options.once ?? options.confirm) === undefined) return runHandler(name, tool, input, context);
  return import("../../effects/run-effects.ts").then(({ runEffects }) =>
    runEffects({ name, options, input, context }, () => runHandler(name, tool, input, context)),
  );
}

function runHandler(name: string, tool: ServedTool, input: unknown, context: RequestContext): MaybePromise<CallToolResult> {
  const returned = (tool.handler as (input: unknown, context: RequestContext) => unknown)(input, context); // typed where it was registered
  return isPromise(returned) ? returned.then((value) => finish(name, tool, value)) : finish(name, tool, returned);
}

function finish(name: string, { output, maxContentBlocks }: ServedTool, returned: unknown): MaybePromise<CallToolResult> {
  if (output === undefined) return checkContentLimit(convertResult(name, toToolResult, returned), maxContentBlocks);
  const whole = isWholeResult(returned) ? checkContentLimit(returned, maxContentBlocks) : undefined;
  // The output schema describes complete results only, not failures.
  if (whole && (whole.isError === true || (whole.resultType ?? "complete") !== "complete")) return whole;
  const checked = output.validate(whole ? whole.structuredContent : returned);
  return isPromise(checked) ? checked.then((verdict) => applyOutputSchema(name, whole, verdict)) : applyOutputSchema(name, whole, checked);
}

/**
 * Limits the blocks of a result, because the codec checks each block and blocks the process meanwhile. @throws LimitExceededError -32603
 */
function checkContentLimit(result: CallToolResult, max: number): CallToolResult {
  const { content } = result as { content?: unknown }; // a handler without types may return anything
  if (!Array.isArray(content) || content.length <= max) return result;
  throw new LimitExceededError("maxContentBlocks", max, content.length, ErrorCode.InternalError);
}

/** Sends the schema's output and not its input, because the published schema describes the output. */
function applyOutputSchema(name: string, whole: CallToolResult | undefined, checked: Validation): CallToolResult {
  const { issues } = checked;
  if (issues) throw outputMismatch(name, issues);
  if (whole === undefined) return convertResult(name, toStructured, checked.value);
  return checked.value === whole.structuredContent ? whole : { ...whole, structuredContent: checked.value };
}

/** The client gets -32603. The reasons stay in `cause`, for the operator. Neither has a stack: no frame is of the tool, which has returned. */
function outputMismatch(tool: string, issues: readonly SchemaIssue[]): McpError {
  const message = `Tool "${tool}" returned structured content that does not match its output schema`;
  const cause = withoutFrames(new Error(describeIssues(issues)));
  return withoutFrames(new McpError(ErrorCode.InternalError, message, undefined, { cause }));
}

function withoutFrames<E extends Error>(error: E): E {
  error.stack = String(error);
  return error;
}

/** @throws McpError -32603 that names the tool, if the value has no JSON form */
function convertResult(name: string, convert: (value: unknown) => CallToolResult, value: unknown): CallToolResult {
  try {
    return convert(value);
  } catch (cause) {
    throw unsendableResultError(`Tool "${name}"`, cause);
  }
}

// ---- what a returned value becomes ----

/** Types whose values become text. */
const PRINTED: ReadonlySet<string> = new Set(["string", "number", "boolean", "bigint"]);
/** The member that a block of each type must have. */
const BLOCKS: ReadonlyMap<unknown, string> = new Map([
  ["text", "text"],
  ["image", "data"],
  ["audio", "data"],
  ["resource", "resource"],
  ["resource_link", "uri"],
]);
const RESULT_MEMBERS: ReadonlySet<string> = new Set(["content", "structuredContent", "isError", "resultType", "_meta"]);

/**
 * Converts a returned value to a result. A complete result stays the same object. A string, number or boolean becomes text; one block or
 * a list of blocks becomes the content; `undefined` becomes empty content. Any other value becomes `structuredContent`, with its JSON as
 * text for clients that read only text.
 *
 * @throws TypeError if the value has no JSON form
 */
export function toToolResult(value: unknown): CallToolResult {
  if (value === undefined) return { content: [] };
  if (isWholeResult(value)) return value;
  if (value === null || PRINTED.has(typeof value)) return { content: [{ type: "text", text: `${value as string | null}` }] }; // or another primitive value
  if (isBlock(value)) return { content: [value] };
  return Array.isArray(value) && value.length > 0 && value.every(isBlock) ? { content: value } : toStructured(value);
}

/** Structured content with its JSON as text. @throws TypeError for a value that has no JSON form */
export function toStructured(structuredContent: unknown): CallToolResult {
  if (structuredContent instanceof Uint8Array) throw new TypeError("A tool returned bytes: return image(), audio() or file() instead");
  const json: string | undefined = JSON.stringify(structuredContent);
  if (json === undefined) throw new TypeError(`A tool returned a ${typeof structuredContent}, which has no JSON form`);
  // A date is an object in memory and a string in JSON. The JSON type decides, because some revisions accept objects only.
  const plain: unknown = isJsonObject(structuredContent) && !json.startsWith("{") ? JSON.parse(json) : structuredContent;
  return { content: [{ type: "text", text: json }], structuredContent: plain };
}

/**
 * Whether a returned value is a complete result: it has a block in `content`, or only members of a result, or the `resultType`
 * `"input_required"`. The codec checks the rest when the result leaves.
 */
function isWholeResult(value: unknown): value is CallToolResult {
  if (!isJsonObject(value)) return false;
  const { content, resultType } = value;
  const first: unknown = Array.isArray(content) ? content[0] : content;
  if (isBlock(first) || resultType === "input_required") return true;
  const alike = isJsonObject(first) ? BLOCKS.has(first["type"]) : content !== first && first === undefined;
  return (alike || "isError" in value || "structuredContent" in value) && Object.keys(value).every((key) => RESULT_MEMBERS.has(key));
}

function isBlock(value: unknown): value is ContentBlock {
  const member = isJsonObject(value) && BLOCKS.get(value["type"]);
  return member ? typeof value[member] === (member === "resource" ? "object" : "string") : false;
}
