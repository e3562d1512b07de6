/**
 * Stands in for `node/login/oauth-loopback.ts` where nothing can listen on this machine: browsers and workers.
 *
 * `package.json` maps `#oauth-loopback` to one of the two.
 */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { OpenPage, Redirection } from "./redirection.ts";

/** @throws McpUsageError always */
export function loopback(_options?: { readonly port?: number; readonly open?: OpenPage | undefined }): Redirection {
  throw new McpUsageError(
    'Nothing can listen for the user on this platform: pass option "callbackUrl" and call finish() where they come back',
  );
}
