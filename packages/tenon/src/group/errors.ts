/** Failures that only a group can have. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { HeldReason } from "./catalog/components.ts";
import type { ServerState } from "./servers/server-state.ts";

/** The server of the component is not connected. Nothing was sent. `data` is `{ server, state }`. */
export class ServerUnavailableError extends McpError {
  override name = "ServerUnavailableError";
  /** Its name in the group. */
  readonly server: string;
  /** Its state at the time of the call. */
  readonly state: ServerState;

  /** @internal */
  constructor(server: string, state: ServerState, cause: Error | undefined) {
    const why = cause === undefined ? "" : `: ${cause.message}`;
    super(ErrorCode.ConnectionClosed, `Server "${server}" is not connected (${state})${why}`, { server, state }, { cause });
    this.server = server;
    this.state = state;
  }
}

/**
 * The definition of a tool has changed since it was approved, or its approval does not cover its page and its execution. The tool cannot be
 * called until the user approves it again. Nothing was sent. `data` is `{ tool, server }`.
 */
export class DefinitionChangedError extends McpError {
  override name = "DefinitionChangedError";
  /** Its name in the group. */
  readonly tool: string;
  /** The server that has it, by its name in the group. */
  readonly server: string;

  /** @internal */
  constructor(tool: string, server: string, reason: HeldReason) {
    super(ErrorCode.InvalidRequest, REASONS[reason](JSON.stringify(tool)), { tool, server });
    this.tool = tool;
    this.server = server;
  }
}

const REASONS: { readonly [Reason in HeldReason]: (tool: string) => string } = {
  changed: (tool) => `The definition of tool ${tool} has changed since it was approved (option "pinTools")`,
  "not covered": (tool) =>
    `The approval of tool ${tool} was stored by an earlier version of Tenon, which did not look at the page and the execution of a tool: approve it again (option "pinTools")`,
};
