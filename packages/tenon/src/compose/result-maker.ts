/** Makes another result of what a tool returned. Failures and questions of the tool pass unchanged. */
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import { describeIssues, isStandardSchema, type AnySchema } from "../schema/standard-schema.ts";
import { toStructured, toToolResult } from "../server/features/call-tool.ts";
import type { RequestContext } from "../session/request-context.ts";

/** Makes the result from the data of the tool. */
export type ResultMaker = (data: never, context: RequestContext) => unknown;
type UntypedHandler = (input: unknown, context: RequestContext) => unknown;

/** The handler whose result is made by `make`. `output` is the schema of the original tool. */
export function withResult(handler: UntypedHandler, make: ResultMaker, output: AnySchema | undefined): UntypedHandler {
  const next = make as (data: unknown, context: RequestContext) => unknown; // its type follows from the tool's
  return (input, context) =>
    andThen(handler(input, context), (returned) => {
      const result = output === undefined ? toToolResult(returned) : toResultWithSchema(returned);
      if (result.isError === true || (result.resultType ?? "complete") !== "complete") return result;
      return andThen(checkedData(result, output), (data) => next(data, context));
    });
}

/** With an output schema everything but a complete result is data, a text included. */
function toResultWithSchema(returned: unknown): CallToolResult {
  const result = toToolResult(returned);
  return result === returned ? result : toStructured(returned);
}

/** The data that a caller of the original tool would get. @throws McpError -32603 if they do not match its schema */
function checkedData(result: CallToolResult, output: AnySchema | undefined): MaybePromise<unknown> {
  const data = result.structuredContent ?? textOf(result);
  if (output === undefined || !isStandardSchema(output)) return data;
  return andThen(output["~standard"].validate(data), (checked) => {
    if (checked.issues === undefined) return checked.value;
    const cause = new Error(describeIssues(checked.issues));
    throw new McpError(ErrorCode.InternalError, "The tool returned structured content that does not match its output schema", undefined, {
      cause,
    });
  });
}

/** All text blocks, joined by line breaks. */
function textOf({ content }: CallToolResult): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
