/** One way to open a connection to a target, whatever the target is. */
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { JsonRpcDispatcherOptions } from "../dispatch/json-rpc-dispatcher.ts";
import type { CardDiscoveryOptions } from "./http/card-discovery-options.ts";
import type { HeaderNames } from "../protocol/methods.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { ReadingTerms } from "../session/connection-reading.ts";

export interface RouteOptions extends JsonRpcDispatcherOptions, ReadingTerms {
  /** The param that HTTP mirrors in `Mcp-Name`, for methods that are not in the method table. */
  headerNames?: HeaderNames;
  /** For a server in this process: see `ConnectOptions`. */
  raiseExceptions?: boolean;
}

export interface Failure {
  readonly error: unknown;
  /** Whether the server closed the connection when it was asked for its revision. */
  readonly closedByProbe: boolean;
  /** The option `revision` of `ConnectOptions`. */
  readonly revision: ProtocolVersion | "stateful" | undefined;
}

/** What discovery takes from the options of `connect()`. */
export interface DiscoverSettings {
  readonly discover?: boolean | CardDiscoveryOptions;
  readonly signal?: AbortSignal;
}

export interface Route {
  /** Whether the server is known to need the handshake of the stateful revisions. */
  readonly skipsProbe: boolean;
  open(options: RouteOptions, signal?: AbortSignal): Promise<Dispatcher>;
  /** Whether a failed probe says nothing about the revision: see `NegotiateOptions`. */
  readonly isOutage?: (error: unknown) => boolean;
  onRevisionAgreed?(stateless: boolean): void;
  /** The route to try after that failure; undefined if it is final. */
  fallbackAfter?(failure: Failure): Route | undefined;
  /** The route to a server that the target names elsewhere, when no other route is left; undefined if there is none. */
  discover?(error: unknown, options: DiscoverSettings): Promise<Route | undefined>;
}
