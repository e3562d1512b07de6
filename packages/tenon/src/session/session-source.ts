/** What a session can be opened over, and the dispatcher that it becomes: there is one engine for all of them. */
import type { Incoming } from "../jsonrpc/incoming.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../dispatch/json-rpc-dispatcher.ts";
import type { TransportStreams } from "../transport/session-message.ts";
import type { Transport } from "../transport/transport.ts";

/** A dispatcher that does not run yet, an open transport, or a pair of streams. The session that takes it closes it. */
export type SessionSource = Dispatcher | Transport | TransportStreams;

export function isSessionSource(value: object): value is SessionSource {
  return "run" in value || "receive" in value || hasStream(value);
}

/**
 * Makes a dispatcher of a source. A dispatcher keeps its own options; the others get these.
 * @throws TypeError if it is a pair of streams and something else, or half a pair
 */
export function toDispatcher(source: SessionSource, options: JsonRpcDispatcherOptions): Dispatcher {
  const transport = toTransport(source);
  return transport === undefined ? (source as Dispatcher) : new JsonRpcDispatcher(transport, options); // the only kind left
}

/** Ends a source, whether it was opened or not. Idempotent. */
export function closeSource(source: SessionSource, reason?: unknown): Promise<void> {
  return (toTransport(source) ?? (source as Dispatcher)).close(reason); // the only kind left
}

/** The transport of a source; undefined for a dispatcher, which does not show it. @throws TypeError as above */
export function toTransport(source: SessionSource): Transport | undefined {
  const members: Record<string, unknown> = Object(source); // a program without types may pass anything
  if (hasStream(members)) {
    if (["run", "receive", "dispatcher", "transport"].some((name) => name in members))
      throw new TypeError("Pass a pair of streams or a dispatcher, not both");
    if (!members.read?.[Symbol.asyncIterator] || !members.write?.send)
      throw new TypeError("A pair of streams must have both: { read, write }");
    return overStreams(members);
  }
  const isDispatcher = "run" in members;
  const methods = isDispatcher ? ["run", "request", "notify", "close"] : ["receive", "send", "close"];
  const missing = methods.find((name) => typeof members[name] !== "function");
  if (missing) throw new TypeError(`Pass a pair of streams, a dispatcher or a transport: this value has no method "${missing}"`);
  return isDispatcher ? undefined : (source as Transport); // it has the methods
}

/** Streams are objects: a transport may have methods of these names. */
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
