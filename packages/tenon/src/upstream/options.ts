/** The options of one server among several: how it connects, and the callbacks that answer its questions. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { OptionKeys } from "../base/known-options.ts";
import { connectOptionKeys } from "../client/option-keys.ts";
import type { ServerMessage } from "../client/inbox.ts";
import type { ConnectOptions, ServerRequestContext } from "../client/options.ts";
import type { ErrorData } from "../jsonrpc/mcp-error.ts";
import type { ElicitRequestParams, ElicitResult } from "../protocol/elicitation.ts";
import type { LoggingMessageNotificationParams } from "../protocol/lifecycle.ts";
import type { Deviation } from "../wire/deviations.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, Root } from "../protocol/sampling.ts";

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
  /** Called once for each connection and kind of deviation with the first one that was read (docs/project/deviations.md). */
  onDeviation?: (deviation: Deviation, server: string) => void;
}

/** Options of one server. They replace the options of the group. */
export interface ServerOptions extends Omit<ConnectOptions, keyof GroupCallbacks | "onError" | "clock" | "signal">, GroupCallbacks {
  /**
   * Milliseconds a server has to connect and list its components, and to list them again after a change. Default 30 000. A server
   * with `auth` gets five minutes more to connect, because a user may have to log in; a program gets `timeouts.start` more (60 000 by
   * default), because it may have to be downloaded.
   */
  connectTimeout?: number;
  /** Whether a server that was lost or did not connect is tried again. Default true, if its target can be opened again. */
  reconnect?: boolean;
}

/** The options of one server by name, for the check of what users pass. */
export function serverOptionKeys(): OptionKeys<ServerOptions> {
  const { onError: _onError, clock: _clock, signal: _signal, ...keys } = connectOptionKeys();
  return { ...keys, connectTimeout: 1, reconnect: 1 };
}
