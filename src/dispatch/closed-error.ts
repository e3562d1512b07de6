/** How the calls of a connection end with it. */
import { ConnectionClosedError, type McpError } from "../jsonrpc/mcp-error.ts";

/** The error every call of a closed connection fails with; a transport's own keeps its details. */
export function toClosedError(reason: unknown): McpError {
  if (reason instanceof ConnectionClosedError) return reason;
  return new ConnectionClosedError("Connection closed", undefined, reason === undefined ? undefined : { cause: reason });
}
