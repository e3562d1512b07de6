/** What a session can be opened over, and the dispatcher it becomes: there is one engine, whatever is handed over. */
import type { Incoming } from "../jsonrpc/incoming.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../dispatch/json-rpc-dispatcher.ts";
import type { TransportStreams } from "../transport/session-message.ts";
import type { Transport } from "../transport/transport.ts";

/** A dispatcher that is not running yet, an open transport, or a pair of streams. Whoever takes it over closes it. */
export type SessionSource = Dispatcher | Transport | TransportStreams;

/** Whether a value has the shape of one. */
export function isSessionSource(value: object): value is SessionSource {
  return "run" in value || "receive" in value || hasStream(value);
}

/**
 * A dispatcher keeps the options it was made with; the others are given these.
 * @throws TypeError for both a pair of streams and something else, or for half a pair (checklist CS-02, CS-03)
 */
export function toDispatcher(source: SessionSource, options: JsonRpcDispatcherOptions): Dispatcher {
  const transport = toTransport(source);
  return transport === undefined ? (source as Dispatcher) : new JsonRpcDispatcher(transport, options); // it is nothing else
}

/** Ends a source that nobody has opened, or that somebody has: idempotent, as closing either is. */
export function closeSource(source: SessionSource, reason?: unknown): Promise<void> {
  return (toTransport(source) ?? (source as Dispatcher)).close(reason); // it is nothing else
}

/** What carries the messages of a source; undefined for a dispatcher, which keeps that to itself. @throws TypeError as above */
export function toTransport(source: SessionSource): Transport | undefined {
  const given: Record<string, unknown> = Object(source); // what a program without types passes may be anything
  if (hasStream(given)) {
    if (["run", "receive", "dispatcher", "transport"].some((name) => name in given))
      throw new TypeError("Pass a pair of streams or a dispatcher, not both");
    if (!given.read?.[Symbol.asyncIterator] || !given.write?.send) throw new TypeError("A pair of streams is both: { read, write }");
    return overStreams(given);
  }
  const isDispatcher = "run" in given;
  const methods = isDispatcher ? ["run", "request", "notify", "close"] : ["receive", "send", "close"];
  const missing = methods.find((name) => typeof given[name] !== "function");
  if (missing) throw new TypeError(`Pass a pair of streams or a dispatcher or a transport: this has no method "${missing}"`);
  return isDispatcher ? undefined : (source as Transport); // it has the methods
}

/** Streams are objects: a transport may well have methods of these names. */
function hasStream(value: object): value is TransportStreams {
  return ("read" in value && typeof value.read === "object") || ("write" in value && typeof value.write === "object");
}

/** The transport over a pair of streams, loaded with the first message: few sessions have one. */
function overStreams(streams: TransportStreams): Transport {
  let opened: Transport | undefined;
  let opening: Promise<Transport> | undefined;
  const open = (): Promise<Transport> =>
    (opening ??= import("../transport/stream-transport.ts").then(({ StreamTransport }) => (opened = new StreamTransport(streams))));
  return {
    kind: "streams",
    send: async (message, options) => (await open()).send(message, options),
    receive: async (): Promise<Incoming> => (await open()).receive(),
    close: async (reason) => (await open()).close(reason),
    get lastMetadata() {
      return opened?.lastMetadata;
    },
    get lastContext() {
      return opened?.lastContext;
    },
  };
}
