/** What a group is told: how it connects to its servers, what it answers them, and its limits. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { ErrorData } from "../jsonrpc/mcp-error.ts";
import type { ElicitRequestParams, ElicitResult } from "../protocol/elicitation.ts";
import type { LoggingMessageNotificationParams } from "../protocol/lifecycle.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, Root } from "../protocol/sampling.ts";
import type { ServerMessage } from "../client/inbox.ts";
import type { ConnectOptions, ServerRequestContext } from "../client/options.ts";
import type { ClientLimits } from "../client/session-options.ts";
import type { GroupListeners } from "./group-events.ts";
import type { GroupLimits, GroupTimes } from "./limits.ts";
import type { NameHook } from "./catalog/naming.ts";
import type { ToolPins } from "./catalog/tool-pins.ts";

/** A server's request that a callback of the group answers. */
export interface GroupRequestContext extends ServerRequestContext {
  /** The name of the server that asks, as the group calls it: what was configured, not what the server says of itself. */
  readonly server: string;
}

/** What every callback is told besides: the name of the server, as the group calls it. */
export interface GroupCallbacks {
  /** Answers elicitation; declares the capability. */
  onElicit?: (params: ElicitRequestParams, context: GroupRequestContext) => MaybePromise<ElicitResult | ErrorData>;
  /**
   * Answers sampling; declares the capability.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to ask a model themselves.
   */
  onSample?: (
    params: CreateMessageRequestParams,
    context: GroupRequestContext,
  ) => MaybePromise<CreateMessageResult | CreateMessageResultWithTools | ErrorData>;
  /**
   * Declares `roots` and answers with them: the same for every server, or what a function says.
   * @deprecated in the protocol as of 2026-07-28, where it still works: give directories as arguments, or as configuration.
   */
  roots?: readonly Root[] | ((context: GroupRequestContext) => MaybePromise<readonly Root[] | ErrorData>);
  /**
   * Log messages of the servers.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  onLog?: (message: LoggingMessageNotificationParams, server: string) => MaybePromise<void>;
  /** Every notification of the servers, after those with a callback of their own. */
  onMessage?: (message: ServerMessage, server: string) => MaybePromise<void>;
}

/** How one server is connected to. What is left out is as the group has it. */
export interface ServerOptions
  extends
    Omit<ConnectOptions, keyof GroupCallbacks | "onError" | "clock" | "skipMalformedItems" | "signal">,
    GroupCallbacks,
    Partial<Pick<GroupTimes, "connectTimeout">> {
  /** Whether a server that was lost, or did not connect, is tried again. Default true, where its target can be opened again. */
  reconnect?: boolean;
}

/** Options of a group; those of a connection hold for each server that has none of its own. All times are in milliseconds. */
export interface GroupOptions
  extends Omit<ServerOptions, "auth" | "limits">, GroupListeners, Partial<GroupTimes>, Pick<ConnectOptions, "clock"> {
  /** What bounds the group, and each of its connections. Default: see each limit. */
  limits?: Partial<GroupLimits & ClientLimits>;
  /**
   * Names components in the group. Default: `server__tool` and `server__prompt`, at most 64 letters, digits, `_` and `-`;
   * `server__` before the URIs of resources and the templates of resource templates. `(name) => name` keeps names as
   * they are. Two servers that come to the same name are refused, whatever the hook (SG-21).
   */
  nameHook?: NameHook;
  /**
   * Whether a tool is held back when its definition is not the one that was seen first: `true`, or what an earlier group
   * had in {@link ClientSessionGroup.toolPins}. A tool that is held back is not in the maps, and calling it is refused, until
   * {@link ClientSessionGroup.approveTool}. Default false: changes are told, and otherwise taken as they come.
   */
  pinTools?: boolean | ToolPins;
  /**
   * Where sessions are closed as well: each is deferred to this stack, which is yours and never disposed by the group.
   * An `AsyncDisposableStack` is one (SG-02).
   */
  stack?: { defer(dispose: () => Promise<void>): void };
}
