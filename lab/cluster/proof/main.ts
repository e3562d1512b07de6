/**
 * The proof: an engine, three nodes behind HAProxy, clients of both families, and faults. Ends with the history, which the
 * checker reads.
 *
 * A fault is drawn from a seed: the kill of a node, a node that stands still, the kill of the engine, or a cut between a node and
 * the engine or the balancer. Of as many faults in a row as there are kinds, each is another one. In a rolling restart each node
 * in turn is drained and replaced instead, and no call may fail.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../simulation/random.ts";
import { startEngine, type Engine } from "../../../packages/tenon/test/stores/engines.ts";
import { freePort } from "../../../scripts/free-port.mjs";
import { programOf } from "../../../packages/tenon/test/support/needs.ts";
import { untilAborted } from "../until-aborted.ts";
import { balancerConfig, downIn } from "./balancer.ts";
import type { Effect, Fault, History } from "./history.ts";
import { Link } from "../../../packages/tenon/test/support/link.ts";
import type { Subject } from "./subject.ts";
import { Workers } from "./workers.ts";
import { Workload } from "./workload.ts";

export interface ProofOptions {
  /** `workers`: the workers of one program, of which one is killed at a time. */
  readonly engine: "redis" | "postgres" | "nats" | "workers";
  /** How many faults there are. */
  readonly kills: number;
  /** Whether each fault is a drain, of one node after the other. */
  readonly rolling: boolean;
  /** The kinds of faults, if not all. */
  readonly only: readonly (typeof FAULTS)[number][] | undefined;
  readonly seed: number;
  /** The program of a node. */
  readonly program: string;
  /** Milliseconds of calm before the first fault and after each. */
  readonly calm: number;
  readonly log: (line: string) => void;
  /** Ends the run, and all processes that it has started. */
  readonly signal: AbortSignal;
}

/** Milliseconds: after the last fault, that a node stands still or is cut off, and that a node or engine is away. */
const [END, STILL, AWAY] = [8_000, 4_000, 1_500];
/** Milliseconds that a client waits for a response, and that clients have to end. */
const [TIMEOUT, PATIENCE] = [30_000, 60_000];
/** What a proof draws its faults from. */
export const FAULTS = ["kill", "stop", "engine", "link", "balancer"] as const;
type Harm = (typeof FAULTS)[number] | "drain";
const CLIENTS = ["stateful", "stateful", "stateless", "stateless"] as const;

/** @throws Error if the engine or HAProxy is not installed; the reason of `signal` if it aborts */
export async function prove(options: ProofOptions): Promise<{ readonly history: History }> {
  const unknown = options.only?.find((what) => !FAULTS.includes(what));
  if (unknown !== undefined) throw new TypeError(`"${unknown}" is no fault: ${FAULTS.join(", ")}`);
  const engine = options.engine === "workers" ? undefined : await startEngine(options.engine);
  if (engine === undefined && options.engine !== "workers") throw new Error(`${options.engine} is not installed`);
  const folder = mkdtempSync(join(tmpdir(), "tenon-cluster-"));
  const cluster = engine === undefined ? new Workers(folder, options) : new Cluster(engine, folder, options);
  try {
    return { history: await untilAborted(historyOf(cluster, options), options.signal) };
  } finally {
    await cluster.stop();
    await engine?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function historyOf(cluster: Subject, options: ProofOptions): Promise<History> {
  const url = await cluster.start();
  const workload = new Workload({ url, fetch, pause: 50, timeout: TIMEOUT });
  let isOver = false;
  const clients = CLIENTS.map((family) => workload.run(family, () => isOver));
  const faults = await nemesis(cluster, options);
  isOver = true;
  await Promise.race([Promise.allSettled(clients), sleep(PATIENCE, undefined, { ref: false })]);
  return { operations: [...workload.operations.values()], effects: cluster.effects, faults: [...faults, ...cluster.downs] };
}

async function nemesis(
  cluster: Subject,
  { engine, kills, rolling, only = engine === "workers" ? ["kill"] : FAULTS, seed, calm, log, signal }: ProofOptions,
): Promise<Fault[]> {
  const random = new Random(seed);
  const faults: Fault[] = [];
  let left: Harm[] = [];
  for (let count = 0; count < kills; count++) {
    await sleep(calm, undefined, { signal });
    if (left.length === 0) left = rolling ? ["drain"] : [...only];
    const what = random.pick(left);
    left = left.filter((other) => other !== what);
    const node = rolling ? count % 3 : random.between(0, 2);
    const began = performance.now();
    const target = await cluster.harm(what, node);
    faults.push({ what, target, began, ended: performance.now() });
    log(`${what} ${target}`);
  }
  await sleep(END);
  return faults;
}

/** A node as the balancer sees it: its process, and the links by which it reaches the engine and is reached. */
interface Member {
  readonly port: number;
  readonly engine: Link;
  readonly balancer: Link;
  child?: ChildProcess;
}

class Cluster implements Subject {
  readonly #engine: Engine;
  readonly #folder: string;
  readonly #program: string;
  readonly #signal: AbortSignal;
  readonly #members: Member[] = [];
  #balancer: ChildProcess | undefined;
  /** The node that is drained right now. */
  #draining: string | undefined;
  /** When the balancer found a node down. */
  readonly downs: Fault[] = [];

  constructor(engine: Engine, folder: string, { program, signal }: ProofOptions) {
    this.#engine = engine;
    this.#folder = folder;
    this.#program = program;
    this.#signal = signal;
  }

  /** Resolves with the URL of the balancer when all nodes are ready. */
  async start(): Promise<string> {
    writeFileSync(this.#ledger, "");
    const enginePort = Number(new URL(this.#engine.url).port);
    for (let count = 0; count < 3; count++) {
      const port = await freePort();
      this.#members.push({ port, engine: await Link.to(enginePort), balancer: await Link.to(port) });
    }
    await Promise.all(this.#members.map((member, index) => this.#startNode(member, index)));
    const port = await freePort();
    const config = join(this.#folder, "haproxy.cfg");
    const ports = this.#members.map(({ balancer }) => balancer.port);
    writeFileSync(config, balancerConfig(port, ports));
    this.#signal.throwIfAborted();
    this.#balancer = spawn(programOf("haproxy") ?? "haproxy", ["-f", config, "-db"], { stdio: ["ignore", "ignore", "pipe"] });
    createInterface({ input: this.#balancer.stderr! }).on("line", (line) => this.#note(line));
    const failed = once(this.#balancer, "error").then(([error]) => Promise.reject(error as Error)); // HAProxy is not installed
    await Promise.race([this.#answers(port), failed]);
    return `http://127.0.0.1:${port}/mcp`;
  }

  /** Does something to a node or the engine, and undoes it. Resolves with what it was done to. */
  async harm(what: Harm, index: number): Promise<string> {
    const member = this.#members[index]!;
    if (what === "engine") {
      await this.#engine.kill();
      await this.#pause(AWAY);
      await this.#engine.restart();
      return this.#engine.name;
    }
    if (what === "kill" || what === "drain") {
      await (what === "kill" ? ended(member.child!, "SIGKILL") : this.#drained(member, index));
      member.balancer.refuse();
      await this.#pause(AWAY);
      await this.#startNode(member, index);
      await member.balancer.accept();
      this.#draining = undefined;
    } else if (what === "stop") {
      member.child!.kill("SIGSTOP");
      await this.#pause(STILL);
      member.child!.kill("SIGCONT");
    } else {
      member[what === "link" ? "engine" : "balancer"].cut();
      await this.#pause(STILL);
      member[what === "link" ? "engine" : "balancer"].mend();
    }
    return `node ${index}`;
  }

  /** Ends with the run, so that nothing is started again after it. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal });
  }

  /** Tells a node to end, and waits until it has. The balancer finds it down then, which is no fault. */
  async #drained(member: Member, index: number): Promise<void> {
    this.#draining = String(index);
    await ended(member.child!, "SIGTERM");
  }

  #note(line: string): void {
    const node = downIn(line);
    const now = performance.now();
    if (node !== undefined && node !== this.#draining)
      this.downs.push({ what: "down", target: `node ${node}`, began: now, ended: now });
  }

  get effects(): Effect[] {
    const lines = readFileSync(this.#ledger, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Effect); // nodes wrote it
  }

  async stop(): Promise<void> {
    const children = [...this.#members.map(({ child }) => child), this.#balancer].filter((child) => child !== undefined);
    await Promise.all(children.map((child) => ended(child, "SIGKILL")));
    for (const { engine, balancer } of this.#members) [engine, balancer].forEach((link) => link.close());
  }

  get #ledger(): string {
    return join(this.#folder, "ledger");
  }

  async #startNode(member: Member, index: number): Promise<void> {
    this.#signal.throwIfAborted();
    const url = new URL(this.#engine.url);
    url.port = String(member.engine.port);
    const args = [this.#program, this.#engine.name, url.href, String(member.port), this.#ledger, String(index)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    member.child = child;
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

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
