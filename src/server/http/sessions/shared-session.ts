/**
 * What a session takes from the nodes that serve it together. Absent if the endpoint has no `stores`: then the session belongs to this
 * process. `nodes/` implements it.
 */
import type { ConnectionMemory } from "../../../dispatch/connection-facts.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { Streams, StreamsOwner } from "./streams.ts";

/** Aborts the handlers of requests, because no response of theirs can be sent any more. */
export type AbortRequests = (ids: readonly RequestId[], reason: string) => void;

export interface SharedSession {
  /** What all nodes know of the client. */
  readonly memory: ConnectionMemory;
  /** The id of a request to the client. It names this node, because the response may arrive at another one. */
  nextId(): number;
  /** The streams of the session at this node. */
  createStreams(owner: StreamsOwner, abort: AbortRequests): Streams;
  /** Keeps the session from expiring while this node uses it. Called every few seconds. */
  touch(): void;
}
