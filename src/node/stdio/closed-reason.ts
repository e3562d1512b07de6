/** The reason of a closed connection as the one error its calls fail with. */
import { ConnectionClosedError, LimitExceededError } from "../../jsonrpc/mcp-error.ts";

/** Says what ended the connection; an error that says so already is kept, and a limit is named with its fields. */
export function toClosedReason(what: string, cause?: unknown): ConnectionClosedError {
  if (cause instanceof ConnectionClosedError) return cause;
  const why = cause instanceof Error ? cause.message : what;
  const fields = cause instanceof LimitExceededError ? cause.data : undefined;
  return new ConnectionClosedError(`Connection closed: ${why}`, fields, cause === undefined ? undefined : { cause });
}
