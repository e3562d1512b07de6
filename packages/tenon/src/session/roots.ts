/** What the URI of a root may be: a `file:` URI (MCP, Roots). Both sides check it: a client before it sends one, a server before it uses one. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { Root } from "../protocol/sampling.ts";

/** Most characters of a URI in a message. */
const MAX_SHOWN = 200;

/** @throws McpError -32602 if one of them is no `file:` URI, with its text */
export function assertRoots(roots: readonly Root[]): readonly Root[] {
  // What is malformed otherwise, the codec refuses.
  const other = Array.isArray(roots) ? (roots as readonly Root[]).find(isElsewhere) : undefined;
  if (other === undefined) return roots;
  throw new McpError(ErrorCode.InvalidParams, `The root ${JSON.stringify(other.uri.slice(0, MAX_SHOWN))} is no "file:" URI`);
}

function isElsewhere({ uri }: Root): boolean {
  return typeof uri === "string" && (!/^file:/i.test(uri) || !URL.canParse(uri));
}
