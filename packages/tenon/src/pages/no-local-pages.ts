/** Pages for users of this machine, on runtimes without sockets: there are none. */
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { OpenLocalPages } from "./local-pages.ts";

/** @throws McpUsageError always */
export const openLocalPages: OpenLocalPages = () =>
  Promise.reject(
    new McpUsageError('This runtime cannot open a page on this machine: serve over HTTP, with the option "url" of userPages()'),
  );

/** @throws McpUsageError always */
export const showPage = (): Promise<void> =>
  Promise.reject(new McpUsageError('This runtime cannot open a browser: set the option "open" of userPages()'));
