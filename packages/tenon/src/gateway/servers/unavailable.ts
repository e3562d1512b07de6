/** The error of a caller whose server cannot take the call. It names the server and a reason, and nothing of the company's network. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";

/** Why a server is not available: it cannot be reached, its connections are in use, or the caller may not have one. */
type Reason = "down" | "busy" | "limit";

/** Makes the error. @param why ends the sentence `Server "x" is not available: …` */
export function unavailableError(
  server: string,
  reason: Reason,
  why: string,
  later: { retryAfterMs?: number; cause?: unknown } = {},
): McpError {
  const { retryAfterMs, cause } = later;
  const data = { server, reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return new McpError(ErrorCode.InternalError, `Server "${server}" is not available: ${why}`, data, { cause });
}
