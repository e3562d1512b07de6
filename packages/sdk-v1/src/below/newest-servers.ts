/**
 * How a transport of a 1.x client reaches a server on the newest revision. A transport that says nothing here has only the handshake, as in
 * 1.x: HTTP+SSE, which is of 2024-11-05, the two ends in memory, and transports of the owner.
 */
import type { Transport } from "mcp-sdk-v1/shared/transport.js";
import type { Client, ConnectOptions } from "tenon/client";

/** Connects on a revision without a handshake. Resolves with undefined if the server speaks none: then the handshake follows. */
export type OpenNewest = (options: ConnectOptions) => Promise<Client | undefined>;

const openers = new WeakMap<Transport, OpenNewest>();

/** Says how a transport connects on the newest revision. */
export function speaksNewest(transport: Transport, open: OpenNewest): void {
  openers.set(transport, open);
}

/** Undefined if the transport has the handshake only. */
export function newestOf(transport: Transport): OpenNewest | undefined {
  return openers.get(transport);
}
