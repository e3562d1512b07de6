/**
 * Two dispatchers that are joined, of either kind, on one virtual clock: what holds for dispatchers is tested over both.
 */
import { createDirectPair } from "../../src/dispatch/direct-dispatcher.ts";
import type { Dispatcher, InboundRequest, OnNotification, OnRequest, RawResult } from "../../src/dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../../src/dispatch/json-rpc-dispatcher.ts";
import type { McpError } from "../../src/jsonrpc/mcp-error.ts";
import { createMemoryPair } from "../../src/transport/memory.ts";
import { expect } from "vitest";
import { VirtualClock } from "./virtual-clock.ts";
import { deferred, type Deferred } from "./gate.ts";

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

export function createPair(
  kind: PairKind,
  client: JsonRpcDispatcherOptions = {},
  server: JsonRpcDispatcherOptions = {},
): DispatcherPair {
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

/** Milliseconds after which a connection with nothing to do has no timer left. */
export const IDLE = 250;

/** What a call on a connection that has ended fails with. */
export const CLOSED: object = { code: -32000, message: "Connection closed" };

export const ignoreNotification: OnNotification = () => undefined;
export const echo: OnRequest = (request) => request.encode({ echo: request.params ?? null });

export interface ConnectOptions {
  readonly client?: JsonRpcDispatcherOptions;
  readonly server?: JsonRpcDispatcherOptions;
  /** Default: {@link echo}. */
  readonly onClientRequest?: OnRequest;
  /** Of both ends. */
  readonly onNotification?: OnNotification;
}

export interface RunningPair extends DispatcherPair {
  /** What `run` returned, the server's first. */
  readonly ended: Promise<void>[];
}

/** A running pair whose server answers with `onRequest`. */
export function connect(kind: PairKind, onRequest: OnRequest, options: ConnectOptions = {}): RunningPair {
  const pair = createPair(kind, options.client, options.server);
  const onNotification = options.onNotification ?? ignoreNotification;
  const ended = [pair.server.run(onRequest, onNotification), pair.client.run(options.onClientRequest ?? echo, onNotification)];
  return { ...pair, ended };
}

export interface WaitingPair extends RunningPair {
  /** What the server's handlers were given, and what ends each of them. */
  readonly requests: InboundRequest[];
  readonly answers: Deferred<RawResult>[];
}

/** A running pair whose server's handlers wait for the test. */
export function connectWaiting(kind: PairKind, options: ConnectOptions = {}): WaitingPair {
  const requests: InboundRequest[] = [];
  const answers: Deferred<RawResult>[] = [];
  const onRequest: OnRequest = (request) => {
    requests.push(request);
    const answer = deferred<RawResult>();
    answers.push(answer);
    return answer.promise;
  };
  return { ...connect(kind, onRequest, options), requests, answers };
}

/** The reason a promise rejects with; fails where it does not. */
export function failure(promise: Promise<unknown>): Promise<McpError> {
  return promise.then(
    (value) => expect.fail(`resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason as McpError, // what calls fail with, unless a test says otherwise
  );
}
