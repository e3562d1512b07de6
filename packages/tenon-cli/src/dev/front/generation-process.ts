/**
 * One generation, seen from the front: its process, its connections, and how it ends.
 *
 * A process that crashes, loops or exits fails its own requests, and nothing else.
 */
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { KeptValue, ListName, Loaded, LoadOrder, Order, Report, Sender } from "../channel.ts";
import { Upstream, type Downstream } from "./upstream.ts";

/** Milliseconds until the author's file must have loaded. */
const LOAD_MS = 10_000;
/** Milliseconds for the values of `kept()`: a generation that is busy for longer loses them. */
const KEEP_MS = 1_000;
/** Milliseconds for a generation to end by itself, its `onReload()` callbacks included. */
const END_MS = 5_000;

/** The author's file could not be loaded. The message is what to show. */
export class LoadError extends Error {
  override name = "LoadError";
}

type KeptReport = Extract<Report, { kind: "kept" }>;

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

export class Generation {
  /** How its process ended. */
  readonly ended: Promise<string>;
  hasEnded = false;
  /** Called when the last request has ended. */
  onIdle: (() => void) | undefined;
  /** Files that the author's code has imported, and URLs of packages. */
  files: readonly string[] = [];
  packages: readonly string[] = [];
  onFiles: (() => void) | undefined;
  #loading: Waiter<Loaded> | undefined;
  #keeping: ((kept: KeptReport | undefined) => void) | undefined;
  readonly #child: ChildProcess;
  readonly #connections = new Map<number, Upstream>();
  #nextConnection = 1;
  #running = 0;

  constructor() {
    const execArgv = process.execArgv.filter((word) => !word.startsWith("--inspect"));
    this.#child = fork(fileURLToPath(import.meta.resolve("#dev-generation")), [], {
      serialization: "advanced",
      execArgv,
      // stdout of the front carries the protocol.
      stdio: ["ignore", 2, 2, "ipc"],
    });
    this.#child.on("message", (report: Report) => this.#take(report));
    this.ended = new Promise((resolve) => {
      this.#child.on("error", (error) => resolve(error.message));
      this.#child.on("exit", (code, signal) => resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`));
    });
    void this.ended.then((how) => this.#hasEnded(how));
  }

  /** Imports packages while it waits. */
  warm(packages: readonly string[]): void {
    if (packages.length > 0) this.order({ kind: "warm", packages });
  }

  order(order: Order): void {
    if (this.#child.connected) this.#child.send(order, undefined, undefined, () => undefined); // `ended` reports what fails
  }

  #take(report: Report): void {
    if (report.kind === "message") this.#connections.get(report.connection)?.receive(report.text, report.related);
    else if (report.kind === "closed") this.#connections.get(report.connection)?.end("The server has closed the connection");
    else if (report.kind === "loaded") this.#loading?.resolve(report.loaded);
    else if (report.kind === "failed") this.#loading?.reject(new LoadError(report.message));
    else if (report.kind === "kept") this.#keeping?.(report);
    else {
      this.files = report.files;
      this.packages = report.packages;
      this.onFiles?.();
    }
  }

  #hasEnded(how: string): void {
    this.hasEnded = true;
    this.#loading?.reject(new LoadError(`The process that loads the file has gone: ${how}.`));
    this.#keeping?.(undefined);
    for (const upstream of [...this.#connections.values()]) upstream.end(`The process of the server has gone during this call: ${how}`);
  }

  // ---- its life ----

  /** @throws LoadError with what to show */
  async load(order: LoadOrder): Promise<Loaded> {
    const timer = setTimeout(() => {
      this.#loading?.reject(new LoadError(`The file did not load within ${LOAD_MS} ms: does it wait at its top level, or loop?`));
    }, LOAD_MS);
    try {
      return await new Promise<Loaded>((resolve, reject) => {
        this.#loading = { resolve, reject };
        if (this.hasEnded) reject(new LoadError("The process that was to load the file has gone."));
        this.order({ kind: "load", order });
      });
    } finally {
      clearTimeout(timer);
      this.#loading = undefined;
    }
  }

  /** Copies the values of `kept()`. Undefined if the generation does not respond in time. */
  async keep(): Promise<{ values: readonly KeptValue[]; warnings: readonly string[] } | undefined> {
    if (this.hasEnded) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const report = await new Promise<KeptReport | undefined>((resolve) => {
      this.#keeping = resolve;
      timer = setTimeout(resolve, KEEP_MS, undefined);
      this.order({ kind: "keep" });
    });
    clearTimeout(timer);
    this.#keeping = undefined;
    return report;
  }

  announce(lists: readonly ListName[], resources: readonly string[]): void {
    if (lists.length + resources.length > 0) this.order({ kind: "announce", lists, resources });
  }

  /** Fails what still runs with `reason`, lets the callbacks of the author run, and ends the process. */
  async end(reason: string): Promise<void> {
    if (this.hasEnded) return;
    for (const upstream of [...this.#connections.values()]) upstream.end(reason);
    this.order({ kind: "end" });
    const timer = setTimeout(() => this.kill(), END_MS);
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  // ---- its connections ----

  open(sender: Sender, downstream: Downstream): Upstream {
    const connection = this.#nextConnection++;
    const upstream = new Upstream(downstream, {
      write: (text, from) => this.order({ kind: "message", connection, text, sender: from }),
      close: () => {
        this.order({ kind: "close", connection });
        this.#connections.delete(connection);
      },
      began: () => void this.#running++,
      settled: () => {
        if (--this.#running === 0) this.onIdle?.();
      },
    });
    this.#connections.set(connection, upstream);
    this.order({ kind: "open", connection, sender });
    if (this.hasEnded) upstream.end("The process of the server has gone");
    return upstream;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }
}
