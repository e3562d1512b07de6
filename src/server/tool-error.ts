/**
 * Failures of a tool that the model is meant to read.
 *
 * Everything else a tool throws is masked before it leaves the process; these are what a tool says on purpose.
 */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { CallToolResult } from "../protocol/tools.ts";

/** What a {@link ToolError} says beside its text. */
export interface ToolErrorOptions extends ErrorOptions {
  /** Further content, after the text. */
  content?: readonly ContentBlock[];
  /** Any JSON value. It is not checked against the output schema. */
  structuredContent?: unknown;
}

/** Thrown by a tool, it becomes a result with `isError` whose text the model reads. Its `cause` stays here. */
export class ToolError extends Error {
  override name = "ToolError";
  /** What follows the text. */
  readonly content: readonly ContentBlock[];
  /** Data for programs; absent where there is none. */
  readonly structuredContent?: unknown;

  /** `text` is what the model reads: what went wrong, and what to do instead. Must hold no secrets. */
  constructor(text: string, options: ToolErrorOptions = {}) {
    super(text, options);
    this.content = options.content ?? [];
    if (options.structuredContent !== undefined) this.structuredContent = options.structuredContent;
  }

  /** What the client gets: the text and the content, with `isError`. */
  toResult(): CallToolResult {
    const content: ContentBlock[] = [{ type: "text", text: this.message }, ...this.content];
    const { structuredContent } = this;
    return structuredContent === undefined ? { content, isError: true } : { content, structuredContent, isError: true };
  }

  /** @internal */
  get "~resultForModel"(): CallToolResult {
    return this.toResult();
  }
}

/**
 * The arguments of a call do not fit the tool's input schema (-32602). `reportedAs` is what the revision makes of it: a
 * result the model can learn from (SEP-1303), or a protocol error.
 */
export class InvalidToolInputError extends McpError {
  override name = "InvalidToolInputError";

  readonly tool: string;
  readonly reportedAs: "result" | "error";

  constructor(tool: string, reason: string, reportedAs: "result" | "error") {
    super(ErrorCode.InvalidParams, `Invalid arguments for tool "${tool}": ${reason}`);
    this.tool = tool;
    this.reportedAs = reportedAs;
  }

  /** @internal */
  get "~resultForModel"(): CallToolResult | undefined {
    return this.reportedAs === "result" ? failedResult(this.message) : undefined;
  }
}

/** What a failure says to the model; undefined where it says nothing to it. Of another copy of the package too. */
export function resultForModel(failure: unknown): CallToolResult | undefined {
  return (failure as { readonly "~resultForModel"?: CallToolResult } | null | undefined)?.["~resultForModel"]; // of any value
}

/** The result of a tool that failed, for those reasons. */
export function failedResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
