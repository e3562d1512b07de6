/** The errors of calls whose user has to open a page first, or has refused what a page asked. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { CallToolResult } from "../protocol/tools.ts";

/** A model reads it as the result of a tool; other methods fail with JSON-RPC -32603, and `data.reason`. */
export class PageError extends McpError {
  override name = "PageError";

  /** @param url the page that the user has to open */
  constructor(text: string, url?: string) {
    super(ErrorCode.InternalError, text, { reason: url === undefined ? "refused" : "page", ...(url !== undefined && { url }) });
  }

  /** @internal */
  get "~resultForModel"(): CallToolResult {
    return { content: [{ type: "text", text: this.message }], isError: true };
  }
}
