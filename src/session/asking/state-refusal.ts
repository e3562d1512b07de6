/** What a client is told of a `requestState` that does not open: the same, whatever is wrong with it (H5). */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";

const SEALED = /^v1\.[\w-]{8}\.[\w-]+$/;

/** Whether a state has the form of one: what has not is refused before anything is computed. */
export function looksSealed(state: string): boolean {
  return SEALED.test(state);
}

/** @param cause for the operator only */
export function stateRefusal(cause: unknown): McpError {
  return Object.freeze(new McpError(ErrorCode.InvalidParams, "Invalid or expired requestState", undefined, { cause }));
}
