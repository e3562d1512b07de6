/** `serveHttp({ workers })` in the primary process: the endpoint of all workers. */
import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { isMainThread } from "node:worker_threads";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import { assertDuration } from "../../base/number-options.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { HttpEndpoint, ServeHttpOptions } from "../http/http-endpoint.ts";
import { closeListener } from "../http/http-server.ts";
import { listen } from "../http/listen.ts";
import { urlOf } from "../http/listen-options.ts";
import { PrimaryStores } from "./primary-stores.ts";
import { onEndSignals } from "./signals.ts";
import { serveInWorker, workerNumber } from "./worker.ts";
import { Workers } from "./workers.ts";

/** Milliseconds that `drain()` gives running requests by default. */
const DRAIN_MS = 25_000;
/** Variables that runners of tests set. A test that started its file again would run its tests again. */
const TEST_VARIABLES = ["VITEST", "JEST_WORKER_ID", "NODE_TEST_CONTEXT"];

let isServing = false;

/** Serves with the processes that the options ask for; undefined if that is this one alone. @throws McpUsageError, or what {@link serveHttp} throws */
export async function serveWithWorkers(server: Acceptor, options: ServeHttpOptions): Promise<HttpEndpoint | undefined> {
  if (workerNumber() !== undefined) return serveInWorker(server, options);
  const count = processesFor(options);
  return count === 1 ? undefined : serveWorkers(server, options, count);
}

/** How many processes serve. A test and a thread are one process, and so is a program that asks for one. */
function processesFor({ workers = 1 }: ServeHttpOptions): number {
  if (!isMainThread || TEST_VARIABLES.some((name) => process.env[name] !== undefined)) return 1;
  return workers === "all" ? availableParallelism() : workers;
}

/** Starts `count` workers that run this program. @throws McpUsageError if the runtime has none; the error of the first worker that cannot serve */
async function serveWorkers(server: Acceptor, options: ServeHttpOptions, count: number): Promise<HttpEndpoint> {
  assertPrimary(options);
  isServing = true;
  const report = (error: unknown): void => reportTo(options, error);
  try {
    const port = await portFor(options);
    const workers = new Workers({ count, port, stores: new PrimaryStores(report), key: randomBytes(32), report });
    await workers.start();
    return endpointOf(workers, server, options, port);
  } catch (error) {
    isServing = false;
    throw error;
  }
}

function endpointOf(workers: Workers, server: Acceptor, options: ServeHttpOptions, port: number): HttpEndpoint {
  const { host = "127.0.0.1", path = "/mcp", drainDelay = 0 } = options;
  const end = async (...how: Parameters<Workers["end"]>): Promise<void> => {
    await workers.end(...how);
    stop();
    isServing = false;
  };
  const drain = async (ms = DRAIN_MS): Promise<void> => end("drain", assertDuration("drain", ms), drainDelay);
  const stop = onEndSignals((signal, isHandled) => {
    workers.signal(signal);
    if (!isHandled) void drain().then(() => process.kill(process.pid, signal));
  });
  return {
    url: urlOf(host, port, path),
    port,
    drain,
    close: () => end("close"),
    async [Symbol.asyncDispose]() {
      await end("close");
      await server.close?.();
    },
  };
}

/** The port of the options, or one that is free. @throws Node's error for a host without an address */
async function portFor({ port = 3000, host = "127.0.0.1" }: ServeHttpOptions): Promise<number> {
  if (port !== 0) return port;
  const listener = createServer();
  await listen(listener, 0, host);
  const free = (listener.address() as AddressInfo).port; // it listens on a port
  await closeListener(listener);
  return free;
}

/** @throws McpUsageError */
function assertPrimary({ httpSse }: ServeHttpOptions): void {
  const runtime = ["bun", "deno"].find((name) => process.versions[name] !== undefined);
  if (runtime !== undefined)
    throw new McpUsageError(`Option "workers" needs Node, and this is ${runtime}: start several processes with the same "stores"`);
  if (cluster.isWorker)
    throw new McpUsageError('Option "workers": this process is a worker of node:cluster already, so leave the option out');
  if (isServing) throw new McpUsageError('Option "workers": a program serves one endpoint with workers, and this is the second');
  if (process.argv[1] === undefined) throw new McpUsageError('Option "workers": the program must be a file, which the workers run too');
  if (httpSse === true)
    throw new McpUsageError(
      'Option "workers": a connection of "httpSse" belongs to one process, so that its messages would come to others',
    );
}

/** A worker that ends must not go unnoticed, so it is reported without `onError` too. */
function reportTo({ onError }: ServeHttpOptions, error: unknown): void {
  const known = error instanceof Error ? error : new Error(String(error));
  if (onError) onError(known);
  // oxlint-disable-next-line no-console -- the operator must hear of it
  else console.error(`tenon: ${known.message}`);
}
