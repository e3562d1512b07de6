/** A program that serves with workers, as a process of its own: it starts `dist`. It ends with the test. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";

const PROGRAM = fileURLToPath(new URL("fixtures/program.mjs", import.meta.url));
/** Variables by which a program knows that it is a test: then it has one process. */
const OF_TESTS = /^(VITEST|JEST_WORKER_ID|NODE_TEST_CONTEXT)/;

export class Program {
  readonly child: ChildProcess;
  /** The lines that its processes have written. */
  readonly lines: string[] = [];

  private constructor(child: ChildProcess) {
    this.child = child;
    for (const stream of [child.stdout!, child.stderr!]) createInterface(stream).on("line", (line) => this.lines.push(line));
  }

  /** Starts the program; resolves at once. */
  static start(environment: Readonly<Record<string, string>> = {}, file: string = PROGRAM): Program {
    const own = Object.entries(process.env).filter(([name]) => !OF_TESTS.test(name));
    const env = { ...Object.fromEntries(own), ...environment };
    const program = new Program(spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "pipe"] }));
    onTestFinished(() => program.kill());
    return program;
  }

  /** Starts the program. Resolves when the primary process has said that it serves. */
  static async serving(environment: Readonly<Record<string, string>> = {}): Promise<Program> {
    const program = Program.start(environment);
    await program.said(`serves ${program.child.pid} `);
    return program;
  }

  get url(): string {
    return this.#texts("serves ")[0]!.split(" ")[1]!;
  }

  /** The processes that have served, without the primary process, in the order in which they began. */
  get workers(): number[] {
    const pids = this.#texts("serves ").map((text) => Number(text.split(" ")[0]));
    return pids.filter((pid) => pid !== this.child.pid);
  }

  #texts(start: string): string[] {
    return this.lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  }

  /** Resolves when a line begins with a text, or matches. Fails if the program ends without it. */
  async said(what: string | RegExp): Promise<string> {
    const found = (): string | undefined =>
      this.lines.find((line) => (typeof what === "string" ? line.startsWith(what) : what.test(line)));
    await vi.waitUntil(() => found() !== undefined || this.#hasEnded, { timeout: 30_000 });
    const line = found();
    if (line === undefined) throw new Error(`The program ended without ${String(what)}: ${this.lines.join("\n")}`);
    return line;
  }

  get #hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves with its exit code or the signal that ended it. */
  async ended(): Promise<number | string> {
    if (!this.#hasEnded) await once(this.child, "exit");
    return this.child.exitCode ?? this.child.signalCode!;
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended();
  }
}

/** Whether a process is there. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
