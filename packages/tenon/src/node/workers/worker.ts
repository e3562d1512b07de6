/**
 * A worker of `serveHttp({ workers })`: the same program as the primary process, which listens on the port that all workers share.
 *
 * The primary process says when it ends. If it is gone, Node ends the worker.
 */
import cluster from "node:cluster";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import { setWorkerHost } from "../../base/worker-host.ts";
import type { HttpEndpoint, ServeHttpOptions } from "../http/http-endpoint.ts";
import { keepAliveOf, listenHttp } from "../http/http-server.ts";
import { messageIn, wrapped, type WorkersState, type FromWorker, type ToWorker } from "./messages.ts";
import { endsByItself, onEndSignals } from "./signals.ts";
import { StoreChannel } from "./store-channel.ts";
import { workerStores } from "./worker-stores.ts";

export const WORKER_VARIABLE = "TENON_WORKER";

/** The number of this worker; undefined if the process is not a worker. */
export function workerNumber(): number | undefined {
  const number = process.env[WORKER_VARIABLE];
  return cluster.isWorker && number !== undefined ? Number(number) : undefined;
}

/** Serves in this worker. @throws as `listenHttp`; the primary process then ends all workers, if they have not begun */
export async function serveInWorker(server: Acceptor, options: ServeHttpOptions): Promise<HttpEndpoint> {
  const worker = new Worker(server, Number(process.env[WORKER_VARIABLE]));
  return worker.serve(options);
}

type Welcome = ToWorker & { kind: "welcome" };

class Worker {
  readonly #server: Acceptor;
  readonly #number: number;
  readonly #channel: StoreChannel = new StoreChannel((message) => this.#send(message));
  #state: WorkersState | undefined;
  #endpoint: HttpEndpoint | undefined;
  #isEnding = false;
  #onWelcome: (message: Welcome) => void = () => undefined;
  readonly #signals = new Set<NodeJS.Signals>();

  constructor(server: Acceptor, number: number) {
    this.#server = server;
    this.#number = number;
  }

  async serve(options: ServeHttpOptions): Promise<HttpEndpoint> {
    process.on("message", (received) => this.#received(messageIn<ToWorker>(received)));
    process.once("disconnect", () => this.#channel.close());
    onEndSignals((signal, isHandled) => this.#signalled(signal, isHandled));
    const { key, port } = await new Promise<Welcome>((resolve) => {
      this.#onWelcome = resolve;
      this.#send({ kind: "hello" });
    });
    const stores = workerStores(this.#channel);
    setWorkerHost({ number: this.#number, key, stores });
    try {
      const endpoint = await listenHttp(
        this.#server,
        {
          ...options,
          port,
          stores: options.stores ?? stores,
          timeouts: { keepAlive: keepAliveOf(options), ...options.timeouts },
        },
        () => this.#state,
      );
      this.#endpoint = endpoint;
      this.#send({ kind: "serving" });
      return withRelease(endpoint);
    } catch (error) {
      this.#send({ kind: "failed", ...reasonOf(error) });
      throw error;
    }
  }

  #send(message: FromWorker): void {
    // A primary process that has ended ends this one.
    if (process.connected) process.send!(wrapped(message), undefined, undefined, () => undefined);
  }

  #received(message: ToWorker | undefined): void {
    if (message === undefined) return;
    if (message.kind === "welcome" || message.kind === "workers") this.#state = message.workers;
    if (message.kind === "welcome") this.#onWelcome(message);
    else if (message.kind === "end") void this.#end(message.how, message.ms);
    else if (message.kind === "signal") this.#forwarded(message.signal);
    else this.#channel.received(message);
  }

  /** A signal that the primary process has received. A terminal sends it to all processes. */
  #forwarded(signal: NodeJS.Signals): void {
    if (!this.#signals.has(signal)) process.emit(signal, signal);
  }

  #signalled(signal: NodeJS.Signals, isHandled: boolean): void {
    this.#signals.add(signal);
    if (!isHandled) void this.#end("drain", undefined);
  }

  /** Ends the endpoint, the server and the process. A program that handles signals ends by itself. */
  async #end(how: "drain" | "close", ms: number | undefined): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    await (how === "drain" ? this.#endpoint?.drain(ms) : this.#endpoint?.close());
    await this.#server.close?.();
    if (endsByItself()) release();
    else process.exit(0);
  }
}

/** The endpoint as the program of the worker has it: once it has ended, the channel does not keep the process. */
function withRelease(endpoint: HttpEndpoint): HttpEndpoint {
  return {
    ...endpoint,
    drain: (ms) => endpoint.drain(ms).finally(release),
    close: () => endpoint.close().finally(release),
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose]().finally(release),
  };
}

function release(): void {
  process.channel?.unref();
}

function reasonOf(error: unknown): { message: string; code?: string } {
  const { message, code } = error as Error & { code?: unknown }; // what `serveHttp` throws
  return { message, ...(typeof code === "string" && { code }) };
}
