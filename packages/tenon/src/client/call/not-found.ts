/** Rebuilds the error of a resource that does not exist, where its code alone does not say so. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";

/**
 * Stateless revisions have no code for a missing resource: they send -32602 with the URI in `data` (MCP 2026-07-28, Resources, Error
 * Handling). Returns such an error as a `ResourceNotFoundError` with the server's own code and data, and any other error unchanged.
 */
export function reviveNotFound(error: unknown, method: string, { uri }: JsonObject): unknown {
  if (method !== "resources/read" || !McpError.isMcpError(error) || error.code !== ErrorCode.InvalidParams) return error;
  const { code, message, data } = error;
  if (!isJsonObject(data) || typeof uri !== "string" || data["uri"] !== uri) return error;
  return Object.assign(new ResourceNotFoundError(uri, message), { code, data });
}
