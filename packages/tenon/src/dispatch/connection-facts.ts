/**
 * What a server must know of a stateful connection to serve it in another process, as JSON.
 *
 * An edge whose sessions are shared by several processes keeps it. Other edges have no such memory, and connections end with the process.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** What the client has told so far. */
export interface ConnectionFacts {
  /** The params of `initialize`. */
  readonly clientParams: JsonObject;
  readonly version: string;
  readonly logLevel?: string;
  readonly subscriptions?: readonly string[];
}

/** Changes facts; undefined before the handshake. */
export type FactsChange = (facts: ConnectionFacts | undefined) => ConnectionFacts;

/** Keeps the facts of one connection for other processes. */
export interface ConnectionMemory {
  /** Names the connection in all processes. */
  readonly id: string;
  /** Calls `listener` with the facts that are known, and again when another process has changed them. */
  follow(listener: (facts: ConnectionFacts) => void): void;
  /** Resolves when the changed facts are kept. `change` runs again if another process has changed them meanwhile. */
  keep(change: FactsChange): MaybePromise<void>;
}
