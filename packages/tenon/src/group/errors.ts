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
 * The definition of a tool or a prompt, or the text of a page, has changed since it was approved, or the approval of a tool does not cover
 * its page and its execution. It cannot be used until the user approves it again. Nothing was sent, except to read a page. `data` is
 * `{ tool, server }`, with `prompt` or `page` in the place of `tool` for the others.
 */
export class DefinitionChangedError extends McpError {
  override name = "DefinitionChangedError";
  /** Its name in the group, or the URI of a page. */
  readonly tool: string;
  /** The server that has it, by its name in the group. */
  readonly server: string;

  /** @internal */
  constructor({ name, server, kind, reason }: ChangedDefinition) {
    super(ErrorCode.InvalidRequest, REASONS[reason](`${kind} ${JSON.stringify(name)}`), { [kind]: name, server });
    this.tool = name;
    this.server = server;
  }
}

interface ChangedDefinition {
  readonly name: string;
  readonly server: string;
  readonly kind: "tool" | "prompt" | "page";
  readonly reason: HeldReason;
}

const REASONS: { readonly [Reason in HeldReason]: (what: string) => string } = {
  changed: (what) => `The definition of ${what} has changed since it was approved (option "pinTools")`,
  "not covered": (what) =>
    `The approval of ${what} was stored by an earlier version of Tenon, which did not look at the page and the execution of a tool: approve it again (option "pinTools")`,
};
