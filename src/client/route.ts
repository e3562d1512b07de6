/** How a connection to a target is opened, whatever the target is. */
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { JsonRpcDispatcherOptions } from "../dispatch/json-rpc-dispatcher.ts";
import type { HeaderNames } from "../protocol/methods.ts";
import type { ConnectOptions } from "./options.ts";

export interface OpenOptions extends JsonRpcDispatcherOptions {
  /** What HTTP repeats in `Mcp-Name` for methods that are not in the method table. */
  headerNames?: HeaderNames;
  /** Of a server in this process: see {@link ConnectOptions}. */
  raiseExceptions?: boolean;
}

/** One way to open a connection to a target. */
export interface Opener {
  /** Whether the server is known to want the handshake of the stateful revisions. */
  readonly skipsProbe: boolean;
  open(options: OpenOptions, signal?: AbortSignal): Promise<Dispatcher>;
  /** Whether a failed probe says nothing about the revision: see `NegotiateOptions`. */
  readonly isOutage?: (error: unknown) => boolean;
  /** The revision was found out. */
  agreed?(stateless: boolean): void;
  /** What to try when this one ended with `error`; undefined where that is final. */
  instead?(error: unknown, revision: ConnectOptions["revision"]): Opener | undefined;
}
