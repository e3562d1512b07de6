/** The error of what does not exist for a caller: the same text, whether no server has it or the policy denies it. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";
import type { Kind } from "../../upstream/listing.ts";

/** The servers of what was denied, for the audit log. The client does not learn of it. */
const deniedAt = new WeakMap<McpError, string>();

/** What a caller gets for an entry that does not exist, or that it may not use. @param name as the client wrote it */
export function unlistedError(kind: Kind, name: string): McpError {
  if (kind !== "tool" && kind !== "prompt") return new ResourceNotFoundError(name);
  return new McpError(ErrorCode.InvalidParams, `Unknown ${kind}: ${name}`);
}

/** The same error, of which the audit log says that the policy has denied it. */
export function deniedError(kind: Kind, name: string, server: string): McpError {
  const error = unlistedError(kind, name);
  deniedAt.set(error, server);
  return error;
}

/** The server of what the policy has denied; undefined for any other error. */
export function deniedServerIn(error: unknown): string | undefined {
  return error instanceof McpError ? deniedAt.get(error) : undefined;
}
