/** Failures that only a group can have. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { ServerState } from "./status.ts";

/** The server that has what was asked for is not connected. Nothing was sent. `data` is `{ server, state }`. */
export class ServerUnavailableError extends McpError {
  override name = "ServerUnavailableError";
  readonly server: string;
  readonly state: ServerState;

  constructor(server: string, state: ServerState, cause: Error | undefined) {
    const why = cause === undefined ? "" : `: ${cause.message}`;
    super(ErrorCode.ConnectionClosed, `Server "${server}" is not connected (${state})${why}`, { server, state }, { cause });
    this.server = server;
    this.state = state;
  }
}
