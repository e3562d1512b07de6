/** What a tool's arguments or its output that do not fit their schema are answered with. Loaded with the first of these. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { describeIssues, type SchemaIssue } from "../schema/standard-schema.ts";
import { InvalidToolInputError } from "./tool-error.ts";

/** @throws InvalidToolInputError that says what is wrong */
export function refuseInput(tool: string, issues: readonly SchemaIssue[], answer: "result" | "error"): never {
  throw new InvalidToolInputError(tool, describeIssues(issues), answer);
}

/** @throws McpError -32603; what is wrong stays on this side, as the cause */
export function refuseOutput(tool: string, issues: readonly SchemaIssue[]): never {
  const cause = new Error(describeIssues(issues));
  const message = `Tool "${tool}" returned structured content that does not match its output schema`;
  throw new McpError(ErrorCode.InternalError, message, undefined, { cause });
}
