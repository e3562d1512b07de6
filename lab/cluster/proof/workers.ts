/**
 * What a proof of workers harms: one program with three workers, of which one is killed at a time. There is no engine and no
 * balancer, because the primary process has what the workers share.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../scripts/free-port.mjs";
import type { Effect, Fault } from "./history.ts";
import type { Subject } from "./subject.ts";

/** Milliseconds that the others serve before the next fault. */
const AWAY = 1_500;

export class Workers implements Subject {
  readonly #program: string;
  readonly #ledger: string;
  readonly #signal: AbortSignal;
  /** The processes of the workers, in the order in which they began to serve. */
  readonly #pids: number[] = [];
  #child: ChildProcess | undefined;
  readonly downs: readonly Fault[] = [];

  constructor(folder: string, { program, signal }: { readonly program: string; readonly signal: AbortSignal }) {
    this.#program = program;
    this.#ledger = join(folder, "ledger");
    this.#signal = signal;
  }

  async start(): Promise<string> {
    writeFileSync(this.#ledger, "");
    const port = await freePort();
    const child = spawn(process.execPath, [this.#program, String(port), this.#ledger], { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    const said = new EventEmitter();
    createInterface(child.stdout).on("line", (line) => {
      const [what, pid] = line.split(" ");
      if (what === "worker") this.#pids.push(Number(pid));
      else said.emit("ready"); // several lines may come at once
    });
    const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`The program ended with ${code}`)));
    ended.catch(() => undefined); // it ends with the proof
    await Promise.race([once(said, "ready", { signal: this.#signal }), ended]);
    return `http://127.0.0.1:${port}/mcp`;
  }

  /** Kills the worker that has served longest, one of another age in each round, and waits for its successor. */
  async harm(_what: string, index: number): Promise<string> {
    const [pid] = this.#pids.splice(index % this.#pids.length, 1);
    const before = this.#pids.length;
    process.kill(pid!, "SIGKILL");
    await sleep(AWAY, undefined, { signal: this.#signal });
    while (this.#pids.length === before) await sleep(50, undefined, { signal: this.#signal });
    return `worker ${pid}`;
  }

  get effects(): Effect[] {
    const lines = readFileSync(this.#ledger, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Effect); // the workers wrote it
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL"); // Node ends the workers of a primary process that has ended
    await exit;
  }
}
