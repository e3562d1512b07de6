/** Connects to a target with its wire tapped: a program, a URL, or a server in this process. */
import { DEFAULT_START_TIMEOUT, defaultFetch, finishesWithin, systemClock, isPromise } from "tenon/internal";
import {
  type Client,
  type ConnectOptions,
  ConnectionClosedError,
  type HttpServerParameters,
  type ProgramParameters,
  connect,
} from "tenon/client";
import {
  acceptorOf,
  JsonRpcDispatcher,
  type Servable,
  type Transport,
  createMemoryPair,
  type Incoming,
  type MaybePromise,
  type Outgoing,
  type SendOptions,
} from "tenon";
import { spawnServer } from "tenon/node";
import { tappedFetch } from "./tapped-fetch.ts";
import type { WireLog } from "./wire-log.ts";

export type Inspectable = HttpServerParameters | ProgramParameters | Servable;

/** @throws what `connect` throws */
export async function openTarget(target: Inspectable, log: WireLog, options: ConnectOptions): Promise<Client> {
  if ("url" in target) return connect({ ...target, fetch: tappedFetch(target.fetch ?? defaultFetch, log) }, options);
  const { auth: _, ...rest } = options;
  try {
    return await connect(await dispatcherOf(target, log, rest), rest);
  } catch (error) {
    // A server that ends at the question for its revision is stateful, and is started once more.
    if (!(error instanceof ConnectionClosedError) || options.revision !== undefined || !("command" in target)) throw error;
    return connect(await dispatcherOf(target, log, rest), { ...rest, revision: "stateful" });
  }
}

async function dispatcherOf(target: ProgramParameters | Servable, log: WireLog, options: ConnectOptions): Promise<JsonRpcDispatcher> {
  const { signal, onError = () => undefined, clock, timeout } = options;
  const own = { onError, respondToMalformed: false, ...(clock && { clock }), ...(timeout !== undefined && { timeout }) };
  if (!("command" in target)) return new JsonRpcDispatcher(new TappedTransport(inProcess(target, own), log), own);
  const { restart: _, ...program } = target;
  const server = await spawnServer(program, { onError, ...(signal && { signal }) });
  const dispatcher = new JsonRpcDispatcher(new TappedTransport(server, log), own);
  // Time limits count from the first output, because the program may have to be downloaded before.
  void dispatcher.pauses.during(finishesWithin(systemClock, target.timeouts?.start ?? DEFAULT_START_TIMEOUT, server.started));
  return dispatcher;
}

function inProcess(server: Servable, options: { onError: (error: Error) => void }): Transport {
  const [near, far] = createMemoryPair();
  const dispatcher = new JsonRpcDispatcher(far, options);
  acceptorOf(server)
    .accept(dispatcher)
    .catch((error: unknown) => dispatcher.close(error));
  return near;
}

/** A transport that writes what passes through it into a wire log. */
class TappedTransport implements Transport {
  readonly kind: string;
  readonly #inner: Transport;
  readonly #log: WireLog;

  constructor(inner: Transport, log: WireLog) {
    this.kind = inner.kind;
    this.#inner = inner;
    this.#log = log;
  }

  send(message: Outgoing, options?: SendOptions): MaybePromise<void> {
    this.#log.add(message, { sent: true });
    return this.#inner.send(message, options);
  }

  receive(): MaybePromise<Incoming> {
    const next = this.#inner.receive();
    return isPromise(next) ? next.then((incoming) => this.#received(incoming)) : this.#received(next);
  }

  close(reason?: unknown): Promise<void> {
    return this.#inner.close(reason);
  }

  #received(incoming: Incoming): Incoming {
    this.#log.add(incoming, { sent: false });
    return incoming;
  }
}
