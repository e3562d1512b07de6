/** Replaces `node/files/folder-tree.ts` on runtimes without a file system. `package.json` maps `#folder-tree` to one of the two. */
import type { FileTree } from "../../base/file-tree.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";

/** Refuses every folder. @throws McpUsageError always */
export function folderTree(_root: string, _options?: { readonly hidden?: boolean }): FileTree {
  throw new McpUsageError("This runtime has no folders: give skills() an object of paths and contents");
}
