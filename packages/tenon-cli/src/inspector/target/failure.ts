/** Errors as the page shows them: what the server said, and never a stack. */
import { AuthorizationError } from "tenon/auth";
import { McpError } from "tenon/client";
import type { Failure } from "../entries.ts";

/** An operation of the page that cannot be done. The message says why, and the page shows it. */
export class OperationError extends Error {
  override name = "OperationError";
}

export function toFailure(error: unknown): Failure {
  if (McpError.isMcpError(error)) {
    const { code, message, data } = error.toErrorData();
    return { code, message: withCause(message, error), ...(data !== undefined && { data }) };
  }
  if (error instanceof AuthorizationError) return { code: error.code, message: error.message };
  return { message: error instanceof Error ? error.message : String(error) };
}

/** Adds the innermost reason, such as `connect ECONNREFUSED`, unless the message has it. */
function withCause(message: string, error: Error): string {
  let reason = "";
  for (let { cause } = error; cause instanceof Error; cause = cause.cause) reason = cause.message;
  return reason === "" || message.includes(reason) ? message : `${message} (${reason})`;
}
