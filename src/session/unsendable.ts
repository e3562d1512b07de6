/** A result that cannot be sent: a cycle, a BigInt, a getter that throws; or one that no peer could read. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { UnreadableResultError } from "../wire/errors.ts";

/** -32603, naming who made it; what was wrong stays here as the `cause` (F12). */
export function unsendable(who: string, cause: unknown): McpError {
  const message =
    cause instanceof UnreadableResultError ? `${who} returned a malformed result` : `${who} returned something that has no JSON form`;
  return new McpError(ErrorCode.InternalError, message, undefined, { cause });
}
