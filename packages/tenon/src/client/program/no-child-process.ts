/**
 * Replaces `node/processes/child-process.ts` on platforms without child processes: browsers and workers.
 *
 * `package.json` maps `#child-process` to one of the two.
 */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { ServerProcess, SpawnServerOptions, StdioServerParameters } from "../../transport/stdio-server-parameters.ts";

/** @throws McpUsageError always: connect to a URL instead */
export function spawnServer(parameters: StdioServerParameters, _options?: SpawnServerOptions): Promise<ServerProcess> {
  const message = `Cannot start "${parameters.command}": this platform has no child processes. Connect to the URL of a server instead.`;
  return Promise.reject(new McpUsageError(message));
}
