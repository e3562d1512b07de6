/** The error of a caller whom a server, or its authorization server, refuses. It concerns no other caller. */
import { AuthorizationError } from "../../auth/authorization-error.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";

/** The error for the caller if the cause is an authorization that failed; undefined otherwise. It names no URL of the company's network. */
export function refusalOf(error: unknown, server: string): McpError | undefined {
  const cause = authorizationErrorIn(error);
  if (cause === undefined) return undefined;
  const code = cause.error === undefined ? "" : `, ${cause.error}`;
  const message = `Server "${server}" is not available to this caller: its authorization failed (${cause.hop}${code})`;
  const data = { server, reason: "login", hop: cause.hop, ...(cause.error !== undefined && { error: cause.error }) };
  return new McpError(ErrorCode.InternalError, message, data, { cause: error });
}

export function authorizationErrorIn(error: unknown): AuthorizationError | undefined {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++)
    if (cause instanceof AuthorizationError) return cause;
  return undefined;
}
