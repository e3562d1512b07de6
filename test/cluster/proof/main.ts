/**
 * The proof: an engine, three nodes behind HAProxy, clients of both families, and faults. Ends with what the checker found.
 *
 * A fault is drawn from a seed: the kill of a node, a node that stands still for three seconds, or the kill of the engine.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../simulation/random.ts";
import { freePort, startEngine, type Engine } from "../../stores/engines.ts";
import { balancerConfig, downIn } from "./balancer.ts";
import { check, type Violation } from "./checker.ts";
import type { Effect, Fault, History } from "./history.ts";
import { Workload } from "./workload.ts";

export interface ProofOptions {
  readonly engine: "redis" | "postgres";
  /** How many faults there are. */
  readonly kills: number;
  readonly seed: number;
  /** The program of a node. */
  readonly program: string;
  readonly log: (line: string) => void;
}

export interface Proof {
  readonly history: History;
  readonly violations: readonly Violation[];
}

/** Milliseconds: before the first fault and after each, after the last, that a node stands still, and that a node or engine is away. */
const [CALM, END, STILL, AWAY] = [5_000, 8_000, 4_000, 1_500];
const CLIENTS = ["stateful", "stateful", "stateless", "stateless"] as const;

/** @throws Error if the engine or HAProxy is not installed */
export async function prove(options: ProofOptions): Promise<Proof> {
  const engine = await startEngine(options.engine);
  if (engine === undefined) throw new Error(`${options.engine} is not installed`);
  const folder = mkdtempSync(join(tmpdir(), "tenon-cluster-"));
  const cluster = new Cluster(engine, folder, options.program);
  try {
    const url = await cluster.start();
    const workload = new Workload({ url, fetch, pause: 50, timeout: 12_000 });
    let isOver = false;
    const clients = CLIENTS.map((family) => workload.run(family, () => isOver));
    const faults = await nemesis(cluster, options);
    isOver = true;
    await Promise.race([Promise.allSettled(clients), sleep(20_000)]);
    const history = { operations: [...workload.operations.values()], effects: cluster.effects, faults: [...faults, ...cluster.downs] };
    return { history, violations: check(history) };
  } finally {
    await cluster.stop();
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function nemesis(cluster: Cluster, { kills, seed, log }: ProofOptions): Promise<Fault[]> {
  const random = new Random(seed);
  const faults: Fault[] = [];
  for (let count = 0; count < kills; count++) {
    await sleep(CALM);
    const what = count % 3 === 2 ? "engine" : random.pick(["kill", "stop"] as const);
    const node = random.between(0, 2);
    const began = performance.now();
    const target = await cluster.harm(what, node);
    faults.push({ what, target, began, ended: performance.now() });
    log(`${what} ${target}`);
  }
  await sleep(END);
  return faults;
}

class Cluster {
  readonly #engine: Engine;
  readonly #folder: string;
  readonly #program: string;
  readonly #nodes: ChildProcess[] = [];
  #ports: number[] = [];
  #balancer: ChildProcess | undefined;
  /** When the balancer found a node down. */
  readonly downs: Fault[] = [];

  constructor(engine: Engine, folder: string, program: string) {
    this.#engine = engine;
    this.#folder = folder;
    this.#program = program;
  }

  /** Resolves with the URL of the balancer when all nodes are ready. */
  async start(): Promise<string> {
    writeFileSync(this.#ledger, "");
    for (let count = 0; count < 4; count++) this.#ports.push(await freePort());
    const [port, ...nodes] = this.#ports as [number, ...number[]];
    this.#ports = nodes;
    await Promise.all(nodes.map((_, index) => this.#startNode(index)));
    const config = join(this.#folder, "haproxy.cfg");
    writeFileSync(config, balancerConfig(port, nodes));
    this.#balancer = spawn("/usr/sbin/haproxy", ["-f", config, "-db"], { stdio: ["ignore", "ignore", "pipe"] });
    createInterface({ input: this.#balancer.stderr! }).on("line", (line) => this.#note(line));
    const failed = once(this.#balancer, "error").then(([error]) => Promise.reject(error as Error)); // HAProxy is not installed
    await Promise.race([this.#answers(port), failed]);
    return `http://127.0.0.1:${port}/mcp`;
  }

  /** Does something to a node or the engine, and undoes it. Resolves with what it was done to. */
  async harm(what: Exclude<Fault["what"], "down">, index: number): Promise<string> {
    const child = this.#nodes[index]!;
    if (what === "engine") {
      await this.#engine.kill();
      await sleep(AWAY);
      await this.#engine.restart();
      return this.#engine.name;
    }
    if (what === "kill") {
      await killed(child);
      await sleep(AWAY);
      await this.#startNode(index);
    } else {
      child.kill("SIGSTOP");
      await sleep(STILL);
      child.kill("SIGCONT");
    }
    return `node ${this.#ports[index]}`;
  }

  #note(line: string): void {
    const node = downIn(line);
    const now = performance.now();
    if (node !== undefined) this.downs.push({ what: "down", target: `node ${node}`, began: now, ended: now });
  }

  get effects(): Effect[] {
    const lines = readFileSync(this.#ledger, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Effect); // nodes wrote it
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#nodes, ...(this.#balancer === undefined ? [] : [this.#balancer])].map(killed));
  }

  get #ledger(): string {
    return join(this.#folder, "ledger");
  }

  async #startNode(index: number): Promise<void> {
    const args = [this.#program, this.#engine.name, this.#engine.url, String(this.#ports[index]), this.#ledger];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#nodes[index] = child;
    for await (const line of createInterface(child.stdout)) if (line === "ready") return;
    throw new Error(`A node ended with ${child.exitCode}`);
  }

  async #answers(port: number): Promise<void> {
    for (;;) {
      const status = await fetch(`http://127.0.0.1:${port}/readyz`).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) return;
      await sleep(50);
    }
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
