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
  if (typeof source !== "object" || source === null) throw new TypeError(`${NEEDS}this is ${kindOf(source)}`);
  if (hasStream(source)) return overStreams(checkedPair(source));
  if (!("run" in source || "receive" in source)) throw new TypeError(whatIsMissing(source));
  if ("run" in source) assertMethods(source, "dispatcher", ["run", "request", "notify", "close"]);
  else assertMethods(source, "transport", ["receive", "send", "close"]);
  return "run" in source ? undefined : source;
}

const NEEDS = "A session needs a dispatcher, a transport or a pair of streams { read, write }: ";

function whatIsMissing(source: object): string {
  if ("read" in source && "write" in source) return wrongHalf("read", "MessageReader", kindOf(source.read));
  const wrapped = ["dispatcher", "transport"].find((name) => name in source);
  if (wrapped !== undefined) return `${NEEDS}pass the ${wrapped} itself, not { ${wrapped} }`;
  return `${NEEDS}this is an object with neither "run", "receive" nor "read" and "write"`;
}

function assertMethods(source: object, what: string, methods: readonly string[]): void {
  for (const name of methods) {
    const method: unknown = (source as Record<string, unknown>)[name]; // any member, to be looked at
    if (typeof method === "function") continue;
    throw new TypeError(`A ${what} has the method "${name}": this one is ${method === undefined ? "missing" : kindOf(method)}`);
  }
}

function checkedPair(source: TransportStreams): TransportStreams {
  if (["run", "receive", "dispatcher", "transport"].some((name) => name in source))
    throw new TypeError("Pass a pair of streams or a dispatcher, not both");
  const { read, write } = source;
  if (!read || !write) throw new TypeError("A pair of streams is both: { read, write }");
  if (typeof read !== "object") throw new TypeError(wrongHalf("read", "MessageReader", kindOf(read)));
  if (typeof write !== "object") throw new TypeError(wrongHalf("write", "MessageWriter", kindOf(write)));
  if (!(Symbol.asyncIterator in read)) throw new TypeError(wrongHalf("read", "MessageReader", 'an object without "Symbol.asyncIterator"'));
  if (!("send" in write)) throw new TypeError(wrongHalf("write", "MessageWriter", 'an object without "send"'));
  return source;
}

function wrongHalf(name: string, type: string, actual: string): string {
  return `Member "${name}" of a pair of streams must be a ${type}, not ${actual}`;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
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
