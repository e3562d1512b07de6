/** The options of a group: how it connects to its servers, its callbacks, and its limits. */
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

/** What a callback of the group knows of the question that it answers. */
export interface GroupRequestContext extends ServerRequestContext {
  /** The name of the asking server in the group. It is the configured name, not the one that the server declares. */
  readonly server: string;
}

/** The callbacks of a group. They also get the server's name in the group. */
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
   * Declares `roots` and answers with them: the same list for every server, or the result of a function.
   * @deprecated in the protocol as of 2026-07-28, where it still works: give directories as arguments, or as configuration.
   */
  roots?: readonly Root[] | ((context: GroupRequestContext) => MaybePromise<readonly Root[] | ErrorData>);
  /**
   * Called with log messages of the servers.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  onLog?: (message: LoggingMessageNotificationParams, server: string) => MaybePromise<void>;
  /** Called with every notification of the servers, after the callback for its kind. */
  onMessage?: (message: ServerMessage, server: string) => MaybePromise<void>;
}

/** Options of one server. They replace the options of the group. */
export interface ServerOptions
  extends
    Omit<ConnectOptions, keyof GroupCallbacks | "onError" | "clock" | "skipMalformedItems" | "signal">,
    GroupCallbacks,
    Partial<Pick<GroupTimes, "connectTimeout">> {
  /** Whether a server that was lost or did not connect is tried again. Default true, if its target can be opened again. */
  reconnect?: boolean;
}

/** Options of a group. Options of a connection apply to each server that does not replace them. All times are in milliseconds. */
export interface GroupOptions
  extends Omit<ServerOptions, "auth" | "limits">, GroupListeners, Partial<GroupTimes>, Pick<ConnectOptions, "clock"> {
  /** What bounds the group, and each of its connections. Default: see each limit. */
  limits?: Partial<GroupLimits & ClientLimits>;
  /**
   * Names components in the group. Default: `server__tool` and `server__prompt`, at most 64 letters, digits, `_` and `-`;
   * `server__` before the URIs of resources and the templates of resource templates. `(name) => name` keeps names unchanged. If
   * two servers get the same name, the second is refused, whatever the hook.
   */
  nameHook?: NameHook;
  /**
   * Security: holds a tool back if its definition has changed since it was first listed (`true`), or since an earlier group
   * stored its {@link ClientSessionGroup.toolPins}. A tool that is held back is not in the maps and cannot be called before
   * {@link ClientSessionGroup.approveTool}. Default false: changed definitions are accepted and announced.
   */
  pinTools?: boolean | ToolPins;
  /**
   * A stack that closes the group's sessions too, such as an `AsyncDisposableStack`. The group defers each session to it, and
   * never disposes the stack.
   */
  stack?: { defer(dispose: () => Promise<void>): void };
}
