/** Failures of a tool that the model reads. Other errors of a tool are masked before they leave the process. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { CallToolResult } from "../../protocol/tools.ts";

/** What a {@link ToolError} has besides its text. */
export interface ToolErrorOptions extends ErrorOptions {
  /** Further content, after the text. */
  content?: readonly ContentBlock[];
  /** Any JSON value. It is not checked against the output schema. */
  structuredContent?: unknown;
  /** Metadata for programs, such as a code, sent unchanged as `_meta` of the result. It must contain no secrets. */
  _meta?: JsonObject;
}

/**
 * Throw it in a tool to return a result with `isError`, whose text the model reads. Its `cause` never leaves the process.
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { McpServer, ToolError } from "tenon/server";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("divide", {}, () => {
 *   throw new ToolError("Division by zero: give another divisor");
 * });
 * await using client = await connect(server);
 * console.log((await client.callTool("divide")).text); // Division by zero: give another divisor
 * ```
 */
export class ToolError extends Error {
  override name = "ToolError";
  /** What follows the text. */
  readonly content: readonly ContentBlock[];
  /** Data for programs; absent if there is none. */
  readonly structuredContent?: unknown;
  /** Metadata for programs; absent if there is none. */
  readonly _meta?: JsonObject;

  /** `text` is for the model: what went wrong, and what to do instead. It must contain no secrets. */
  constructor(text: string, options: ToolErrorOptions = {}) {
    super(text, options);
    this.content = options.content ?? [];
    if (options.structuredContent !== undefined) this.structuredContent = options.structuredContent;
    if (options._meta !== undefined) this._meta = options._meta;
  }

  /** The result for the client: the text and the content, with `isError`. */
  toResult(): CallToolResult {
    const content: ContentBlock[] = [{ type: "text", text: this.message }, ...this.content];
    const { structuredContent, _meta } = this;
    return { content, ...(structuredContent !== undefined && { structuredContent }), isError: true, ...(_meta !== undefined && { _meta }) };
  }

  /** @internal */
  get "~resultForModel"(): CallToolResult {
    return this.toResult();
  }
}

/** What the client gets if the arguments of a tool do not match its input schema: a result with `isError`, or a protocol error (-32602). */
export type InvalidArgumentsResponse = "result" | "error";

/**
 * The arguments of a call do not match the tool's input schema (-32602). The server's option `invalidArguments` decides `reportedAs`: a
 * result that the model can read, or a protocol error.
 */
export class InvalidToolInputError extends McpError {
  override name = "InvalidToolInputError";

  readonly tool: string;
  readonly reportedAs: InvalidArgumentsResponse;

  constructor(tool: string, reason: string, reportedAs: InvalidArgumentsResponse) {
    super(ErrorCode.InvalidParams, `Invalid arguments for tool "${tool}": ${reason}`);
    this.tool = tool;
    this.reportedAs = reportedAs;
  }

  /** @internal */
  get "~resultForModel"(): CallToolResult | undefined {
    return this.reportedAs === "result" ? failedResult(this.message) : undefined;
  }
}

/** @throws RangeError if a program without types passes another value */
export function assertInvalidArguments(value: InvalidArgumentsResponse): void {
  if (value === "result" || value === "error") return;
  throw new RangeError(`Option "invalidArguments" must be "result" or "error", not ${JSON.stringify(value)}`);
}

/** The result that a failure gives to the model; undefined if it has none. Works with errors of another copy of the package too. */
export function resultForModel(failure: unknown): CallToolResult | undefined {
  return (failure as { readonly "~resultForModel"?: CallToolResult } | null | undefined)?.["~resultForModel"]; // any value may be thrown
}

export function failedResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
