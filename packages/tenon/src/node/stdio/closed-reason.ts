/** Makes the error of calls on a connection that was closed. */
import { ConnectionClosedError, LimitExceededError } from "../../jsonrpc/mcp-error.ts";

/** Makes a ConnectionClosedError from the reason. Keeps a ConnectionClosedError, and the data of a limit. */
export function toClosedReason(what: string, cause?: unknown): ConnectionClosedError {
  if (cause instanceof ConnectionClosedError) return cause;
  const why = cause instanceof Error ? cause.message : what;
  const fields = cause instanceof LimitExceededError ? cause.data : undefined;
  return new ConnectionClosedError(`Connection closed: ${why}`, fields, cause === undefined ? undefined : { cause });
}
