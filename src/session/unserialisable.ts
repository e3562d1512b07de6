/** A result that cannot be written as JSON: a cycle, a BigInt, a getter that throws. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";

/** -32603, naming who made it; what was wrong stays here as the `cause` (F12). */
export function unserialisable(who: string, cause: unknown): McpError {
  return new McpError(ErrorCode.InternalError, `${who} returned something that has no JSON form`, undefined, { cause });
}
