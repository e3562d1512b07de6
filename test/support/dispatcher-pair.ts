/**
 * Two dispatchers that are joined, of either kind, on one virtual clock: what holds for dispatchers is tested over both.
 */
import { createDirectPair } from "../../src/dispatch/direct-dispatcher.ts";
import type { Dispatcher } from "../../src/dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../../src/dispatch/json-rpc-dispatcher.ts";
import { createMemoryPair } from "../../src/transport/memory.ts";
import { VirtualClock } from "./virtual-clock.ts";

export type PairKind = "direct" | "JSON-RPC";
export const PAIR_KINDS: readonly PairKind[] = ["direct", "JSON-RPC"];

export interface DispatcherPair {
  readonly client: Dispatcher;
  readonly server: Dispatcher;
  readonly clock: VirtualClock;
  /** What each end reported, oldest first. */
  readonly clientErrors: Error[];
  readonly serverErrors: Error[];
}

export function createPair(kind: PairKind, client: JsonRpcDispatcherOptions = {}, server: JsonRpcDispatcherOptions = {}): DispatcherPair {
  const clock = new VirtualClock();
  const clientErrors: Error[] = [];
  const serverErrors: Error[] = [];
  const ofClient = { clock, onError: (error: Error) => void clientErrors.push(error), ...client };
  const ofServer = { clock, onError: (error: Error) => void serverErrors.push(error), ...server };
  const [a, b] = kind === "direct" ? createDirectPair(ofClient, ofServer) : joinByMemory(ofClient, ofServer);
  return { client: a, server: b, clock, clientErrors, serverErrors };
}

function joinByMemory(client: JsonRpcDispatcherOptions, server: JsonRpcDispatcherOptions): [Dispatcher, Dispatcher] {
  const [a, b] = createMemoryPair();
  return [new JsonRpcDispatcher(a, client), new JsonRpcDispatcher(b, server)];
}
