/** Opaque cursors of `tasks/list`. They do not identify the owner. */
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import type { TaskPlace } from "../store/task-store.ts";

export function encodePlace({ createdAt, id }: TaskPlace): string {
  return btoa(`after:${createdAt}:${id}`);
}

/** @throws McpError -32602 if {@link encodePlace} did not make the cursor */
export function decodePlace(cursor: unknown): TaskPlace {
  if (typeof cursor === "string") {
    try {
      const [, createdAt, id] = /^after:(\d{1,15}(?:\.\d{1,15})?):([\w-]{1,64})$/.exec(atob(cursor)) ?? [];
      if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
    } catch {
      // The cursor is not base64.
    }
  }
  throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
}
