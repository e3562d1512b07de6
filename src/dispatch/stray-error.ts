/** An error response without an id: it belongs to no call that can be named. Reported, never answered (CF-06). */
import { McpError, type ErrorData } from "../jsonrpc/mcp-error.ts";

export class StrayErrorResponse extends McpError {
  override name = "StrayErrorResponse";

  constructor(error: ErrorData) {
    super(error.code, error.message, error.data);
  }
}
