/**
 * Replaces `node/login/oauth-loopback.ts` on platforms where no program can listen: browsers and workers.
 *
 * `package.json` maps `#oauth-loopback` to one of the two.
 */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { LoopbackOptions, Redirection } from "./redirection.ts";

/** @throws McpUsageError always */
export function loopback(_options?: LoopbackOptions): Redirection {
  throw new McpUsageError(
    'This platform cannot listen for the user: pass option "callbackUrl", and call finish() where the user comes back',
  );
}
