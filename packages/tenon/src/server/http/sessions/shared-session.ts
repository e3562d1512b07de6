/**
 * What a session takes from the nodes that serve it together. Absent if the endpoint has no `stores`: then the session belongs to this
 * process. `nodes/` implements it.
 */
import type { ConnectionMemory } from "../../../dispatch/connection-facts.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { OpenedStream } from "../exchange/reply.ts";
import type { HttpRequest } from "../http-message.ts";
import type { ResponseMode } from "../options.ts";
import type { Streams, StreamsOwner } from "./streams.ts";

/** What the streams of a session can do with its requests. */
export interface SessionRequests {
  /** Aborts the handlers of requests, because no response of theirs can be sent any more. */
  abort(ids: readonly RequestId[], reason: string): void;
  repeat(lost: LostRequest): void;
}

/** A request that another node has lost. */
export interface LostRequest {
  readonly incoming: Incoming;
  readonly mode: ResponseMode;
  /** The request of the client that has come back, whose rights count. */
  readonly request: HttpRequest;
  /** Takes the response. */
  readonly stream: OpenedStream;
}

export interface SharedSession {
  /** What all nodes know of the client. */
  readonly memory: ConnectionMemory;
  /** The id of a request to the client. It names this node, because the response may arrive at another one. */
  nextId(): number;
  createStreams(owner: StreamsOwner, requests: SessionRequests): Streams;
  /** Keeps the session from expiring while this node uses it. Called every few seconds. */
  touch(): void;
}
