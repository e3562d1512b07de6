/** Several nodes of one server, each a process, behind a client that asks them in turn, as a balancer without affinity does. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Fetch } from "tenon/client";
import type { Engine } from "./engines.ts";

interface Node {
  readonly child: ChildProcess;
  readonly port: number;
  /** Aborts when a balancer would cut the connections to it. */
  readonly cut: AbortController;
}

const PROGRAM = fileURLToPath(new URL("fixtures/node.mjs", import.meta.url));

export class NodeProcesses {
  readonly #nodes: Node[];
  readonly #file: string;
  #turn = 0;

  private constructor(nodes: Node[], file: string) {
    this.#nodes = nodes;
    this.#file = file;
  }

  /** Starts nodes that share what they keep. They end with the test. */
  static async start(
    engine: Engine,
    space: string,
    { count = 3, program = PROGRAM }: { count?: number; program?: string } = {},
  ): Promise<NodeProcesses> {
    const folder = mkdtempSync(join(tmpdir(), "tenon-nodes-"));
    const file = join(folder, "effects");
    writeFileSync(file, "");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const nodes = await Promise.all(
      Array.from({ length: count }, () => startNode([program, engine.name, engine.url, space, file])),
    );
    return new NodeProcesses(nodes, file);
  }

  /** What handlers did, in order: the name of the effect, without the process. */
  get effects(): string[] {
    return this.#lines().map((line) => line.slice(0, line.lastIndexOf(" ")));
  }

  /** How many processes did something. */
  get busyNodes(): number {
    return new Set(this.#lines().map((line) => line.slice(line.lastIndexOf(" ")))).size;
  }

  /** Sends each request to the next node that lives. */
  readonly fetch: Fetch = (input, init) => {
    const living = this.#nodes.filter(
      ({ child, cut }) => child.exitCode === null && child.signalCode === null && !cut.signal.aborted,
    );
    const { port, cut } = living[this.#turn++ % living.length]!;
    const url = new URL(input);
    url.port = String(port);
    return fetch(url, { ...init, signal: init.signal ? AbortSignal.any([init.signal, cut.signal]) : cut.signal });
  };

  /** Where a client connects to; the port is that of no node. */
  readonly url = "http://127.0.0.1:1/mcp";

  /** Kills the node that did the last effect. */
  async killBusiest(): Promise<void> {
    await killed(this.#busiest.child);
  }

  /**
   * Stops the process of the node that did the last effect, as if its machine stood still. Its connections are cut, as a balancer
   * does, and it gets no more requests. It goes on with `goOn`.
   */
  pauseBusiest(): { readonly url: string; readonly goOn: () => void } {
    const { child, port, cut } = this.#busiest;
    child.kill("SIGSTOP");
    cut.abort(new TypeError("The connection was cut"));
    return { url: `http://127.0.0.1:${port}/mcp`, goOn: () => void child.kill("SIGCONT") };
  }

  get #busiest(): Node {
    const pid = Number(this.#lines().at(-1)!.split(" ").at(-1));
    return this.#nodes.find(({ child }) => child.pid === pid)!;
  }

  #lines(): string[] {
    return readFileSync(this.#file, "utf8").split("\n").slice(0, -1);
  }
}

async function startNode(args: readonly string[]): Promise<Node> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => killed(child)); // also if another node does not start
  for await (const line of createInterface(child.stdout)) {
    const { port } = JSON.parse(line) as { port: number }; // our own program
    return { child, port, cut: new AbortController() };
  }
  throw new Error(`A node ended with ${child.exitCode}`);
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
