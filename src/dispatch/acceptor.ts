/** Something that serves connections: a server, as transports and in-process clients see it. */
import type { Dispatcher } from "./dispatcher.ts";

export interface Acceptor {
  /** Serves one connection until it ends. Rejects when it cannot begin. */
  accept(dispatcher: Dispatcher): Promise<void>;
}

export function isAcceptor(value: unknown): value is Acceptor {
  return typeof value === "object" && value !== null && "accept" in value && typeof value.accept === "function";
}
