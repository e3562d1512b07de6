/** The three things a session can be opened over, each joined to a dispatcher of the other side. */
import {
  createDirectPair,
  createMemoryPair,
  JsonRpcDispatcher,
  type Dispatcher,
  type JsonRpcDispatcherOptions,
  type SessionSource,
} from "tenon";
import { createContextStreams, StreamTransport, type TransportStreams } from "tenon/compat/python";

export type SourceKind = "a dispatcher" | "a transport" | "a pair of streams";
export const SOURCE_KINDS: readonly SourceKind[] = ["a dispatcher", "a transport", "a pair of streams"];

export interface Source {
  readonly near: SessionSource;
  /** Not running yet. */
  readonly far: Dispatcher;
}

/** `far` is given the options, and so is `near` where it is a dispatcher already. */
export function createSource(kind: SourceKind, options: JsonRpcDispatcherOptions = {}): Source {
  if (kind === "a dispatcher") {
    const [near, far] = createDirectPair(options, options);
    return { near, far };
  }
  if (kind === "a transport") {
    const [near, far] = createMemoryPair();
    return { near, far: new JsonRpcDispatcher(far, options) };
  }
  const [near, far] = createStreamsPair();
  return { near, far: new JsonRpcDispatcher(new StreamTransport(far), options) };
}

/** Two pairs of streams that are one connection. */
export function createStreamsPair(capacity?: number): [TransportStreams, TransportStreams] {
  const [writeNear, readFar] = createContextStreams(capacity);
  const [writeFar, readNear] = createContextStreams(capacity);
  return [
    { read: readNear, write: writeNear },
    { read: readFar, write: writeFar },
  ];
}
