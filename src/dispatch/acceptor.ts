/**
 * What can serve a connection: the seam between an edge, which opens connections, and whatever answers on them.
 *
 * An `McpServer` is one; so is a gateway. An edge needs to know no more of either.
 */
import type { HeaderNames } from "../protocol/methods.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Requirements } from "../transport/transport-context.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** What `serveStdio`, `serveHttp`, `createFetchHandler` and `connect` take: an `McpServer`, or something of your own in its place. */
export interface Acceptor {
  /**
   * Serves one connection until it ends, and resolves then. Called once for each connection, many at the same time. Rejects where it
   * cannot be served at all, before anything was read.
   */
  accept(dispatcher: Dispatcher): Promise<void>;
  /**
   * Begins to serve before there is a connection: opens what all connections share, and lets work in the background begin. An edge
   * that waits for connections calls it, as `serveHttp` does; elsewhere the first connection begins. Idempotent. Rejects as `accept` does.
   */
  begin?(): Promise<void>;
  /** Ends all connections and frees what they share. Called by an edge only where the process ends with its connection. */
  close?(): Promise<void>;
  /** What HTTP repeats in `Mcp-Name` for methods that are not in the method table (O13). Default: nothing. */
  readonly headerNames?: HeaderNames | undefined;
  /**
   * What a request requires before any of it runs; the edge refuses a request that does not meet it. Params have not been checked.
   * Default: no request requires anything.
   */
  requirementsOf?(method: string, params: JsonObject): Requirements | undefined;
}

export function isAcceptor(value: unknown): value is Acceptor {
  return typeof value === "object" && value !== null && "accept" in value && typeof value.accept === "function";
}
