/** Replaces `node/files/view-files.ts` on runtimes without files. `package.json` maps `#view-files` to one of the two. */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";

const REFUSAL = "This runtime has no files: give the view as a string or a function";

/** Refuses every file. @throws McpUsageError always */
export function readViewFile(_file: URL, _maxBytes: number): Promise<string> {
  return Promise.reject(new McpUsageError(REFUSAL));
}

/** Refuses every script. @throws McpUsageError always */
export function bundleView(_script: URL): Promise<string> {
  return Promise.reject(new McpUsageError(REFUSAL));
}
