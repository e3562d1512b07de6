/**
 * The primary process of `serveHttp({ workers })`: starts the workers, starts one again that has ended, and ends all.
 *
 * It serves no request itself. Node hands each new connection to the next worker.
 */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { unref } from "../../base/clock.ts";
import { waits, type Waits } from "../../base/waits.ts";
import { messageIn, wrapped, type WorkersState, type FromWorker, type StoreCall, type ToWorker } from "./messages.ts";
import type { PrimaryStores, WorkerCalls } from "./primary-stores.ts";
import { WORKER_VARIABLE } from "./worker.ts";

/** The pauses before a worker is started again, in milliseconds. */
const PAUSES = { first: 100, longest: 30_000 };
/** Milliseconds that a worker must serve until the next pause is the first one again. */
const STEADY_MS = 60_000;
/** Milliseconds that a worker has to end after it was told to close, or after the time to drain. */
const GRACE_MS = 5_000;

export interface WorkersOptions {
  readonly count: number;
  /** The port that all workers listen on. Not 0: Node would give another one once no worker is left. */
  readonly port: number;
  readonly stores: PrimaryStores;
  readonly key: Uint8Array;
  readonly report: (error: Error) => void;
}

/** One of the workers: a place that one process after the other takes. */
interface Place {
  readonly number: number;
  readonly pauses: Waits;
  worker: Worker | undefined;
  isServing: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class Workers {
  readonly #options: WorkersOptions;
  readonly #places: readonly Place[];
  #begun = false;
  #leaving = false;
  #onServing: () => void = () => undefined;
  #onFailure: (error: Error) => void = () => undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    const numbers = Array.from({ length: options.count }, (_, index) => index + 1);
    this.#places = numbers.map((number) => ({ number, pauses: waits(PAUSES), worker: undefined, isServing: false, timer: undefined }));
  }

  /** Starts all workers. Resolves when they serve. @throws the error of the first that cannot; then all have ended */
  async start(): Promise<void> {
    // `advanced`: the arguments of stores have members that are undefined.
    cluster.setupPrimary({ serialization: "advanced" });
    const started = new Promise<void>((resolve, reject) => {
      this.#onServing = resolve;
      this.#onFailure = reject;
    });
    for (const place of this.#places) this.#fork(place);
    try {
      await started;
    } catch (error) {
      await this.end("close");
      throw error;
    }
  }

  get #state(): WorkersState {
    const serving = this.#places.filter(({ isServing }) => isServing).length;
    return { workers: this.#places.length, serving, begun: this.#begun, leaving: this.#leaving };
  }

  #fork(place: Place): void {
    const worker = cluster.fork({ [WORKER_VARIABLE]: String(place.number) });
    const calls = this.#options.stores.forWorker((topic, message) => send(worker, { kind: "tell", topic, message }));
    place.worker = worker;
    closeUntaken(worker);
    worker.on("message", (received) => this.#received(place, worker, calls, messageIn<FromWorker>(received)));
    worker.on("error", this.#options.report);
    worker.once("exit", (code, signal) => {
      calls.end();
      this.#ended(place, worker, signal === null ? `code ${code}` : signal);
    });
  }

  #received(place: Place, worker: Worker, calls: WorkerCalls, message: FromWorker | undefined): void {
    const { key, port } = this.#options;
    if (message?.kind === "hello") send(worker, { kind: "welcome", key, port, workers: this.#state });
    else if (message?.kind === "failed") this.#onFailure(Object.assign(new Error(message.message), message.code && { code: message.code }));
    else if (message?.kind === "serving") this.#serves(place);
    else if (message !== undefined) run(worker, calls, message.calls);
  }

  #serves(place: Place): void {
    place.isServing = true;
    place.timer = setTimeout(() => place.pauses.reset(), STEADY_MS);
    unref(place.timer);
    this.#begun ||= this.#places.every(({ isServing }) => isServing);
    this.#tellWorkers();
    if (this.#begun) this.#onServing();
  }

  #ended(place: Place, { process: { pid } }: Worker, how: string): void {
    clearTimeout(place.timer);
    place.worker = undefined;
    place.isServing = false;
    if (this.#leaving) return;
    if (!this.#begun) return this.#onFailure(new Error(`Worker ${place.number} ended with ${how} before it served: its output says why`));
    this.#tellWorkers();
    const pause = Math.round(place.pauses.next());
    this.#options.report(new Error(`Worker ${place.number} (process ${pid}) ended with ${how}: another begins in ${pause} ms`));
    place.timer = setTimeout(() => this.#fork(place), pause);
  }

  #tellWorkers(): void {
    const workers = this.#state;
    for (const worker of this.#running) send(worker, { kind: "workers", workers });
  }

  get #running(): Worker[] {
    return this.#places.flatMap(({ worker }) => worker ?? []);
  }

  signal(signal: NodeJS.Signals): void {
    for (const worker of this.#running) send(worker, { kind: "signal", signal });
  }

  /**
   * Ends all workers, and starts none again.
   * @param ms the time that running requests have to end, for a drain
   * @param delay milliseconds before a drain refuses requests
   */
  async end(how: "drain" | "close", ms?: number, delay = 0): Promise<void> {
    this.#leaving = true;
    for (const { timer } of this.#places) clearTimeout(timer);
    this.#tellWorkers();
    const patience = delay + (ms ?? 0) + GRACE_MS;
    await Promise.all(this.#running.map((worker) => ended(worker, { kind: "end", how, ms }, patience)));
  }
}

/**
 * Closes the connection that a worker was handed and had not taken when it ended. Node would keep it open, and its client would wait for a response.
 * Node hands a worker one connection after the other, so the last one is enough; to close one that was taken does nothing.
 */
function closeUntaken(worker: Worker): void {
  const handOver = worker.process.send.bind(worker.process) as (...sent: unknown[]) => boolean; // with the arguments that Node gives it
  let last: { close(): void } | undefined;
  worker.process.send = (...sent: unknown[]): boolean => {
    const handle = sent[1] as { close?(): void } | undefined; // a connection, or nothing
    if (typeof handle?.close === "function") last = handle as { close(): void };
    return handOver(...sent);
  };
  worker.once("exit", () => last?.close());
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(wrapped(message), undefined, undefined, () => undefined);
}

function run(worker: Worker, calls: WorkerCalls, list: readonly StoreCall[]): void {
  for (const call of list) void calls.run(call).then((outcome) => send(worker, { kind: "outcomes", outcomes: [outcome] }));
}

/** Tells a worker to end, and kills it if it has not within `ms` milliseconds. */
async function ended(worker: Worker, message: ToWorker, ms: number): Promise<void> {
  if (worker.isDead()) return;
  const exit = once(worker, "exit");
  send(worker, message);
  const timer = setTimeout(() => worker.process.kill("SIGKILL"), ms);
  await exit;
  clearTimeout(timer);
}
