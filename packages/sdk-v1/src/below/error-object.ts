/** The errors of Tenon as JSON-RPC has them. */
import type { JSONRPCErrorResponse } from "mcp-sdk-v1/types.js";
import { McpError } from "tenon/internal/embedding";

export const isProtocolError = (error: Error): error is McpError => McpError.isMcpError(error);

export function errorObjectOf(error: unknown): JSONRPCErrorResponse["error"] {
  if (error instanceof McpError) return { code: error.code, message: error.message, ...(error.data !== undefined && { data: error.data }) };
  return { code: -32603, message: error instanceof Error ? error.message : String(error) };
}
