/** The client of a host of views: it asks the process of the page, which sends each request to that one server. */
import { type CallOptions, ErrorCode, McpError } from "tenon/client";
import type { AppClient } from "tenon/ext/apps/host";
import type { CallToolResult, ListResourcesResult, ReadResourceResult, Tool } from "tenon";
import type { ViewResponse } from "../../entries.ts";
import { perform } from "../data/api.ts";
import { listOf } from "../data/store.ts";

/** Requests of views reach the server of that number, and no other. */
export function appClient(target: number): AppClient {
  const ask = async (method: string, name: string, params: object, { signal }: CallOptions = {}): Promise<unknown> => {
    const call = crypto.randomUUID();
    const cancel = (): void => void perform("cancel", { call }).catch(() => undefined); // the call may have ended
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const { result, failure } = await perform<ViewResponse>("view", { target, call, method, name, params });
      if (failure === undefined) return result;
      const { code, message, data } = failure;
      throw new McpError(typeof code === "number" ? code : ErrorCode.InternalError, message, { data });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  };
  return {
    // The page has read all pages of the list, and reads it again when it changes.
    listTools: () => Promise.resolve({ tools: (listOf(target, "tools")?.items ?? []) as readonly unknown[] as Tool[] }),
    callTool: (name, args = {}, options) => ask("tools/call", name, args, options) as Promise<CallToolResult>, // the process has decoded it
    readResource: (uri, options) => ask("resources/read", uri, {}, options) as Promise<ReadResourceResult>,
    listResources: (params = {}, options) => ask("resources/list", "resources/list", params, options) as Promise<ListResourcesResult>,
  };
}
