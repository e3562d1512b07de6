// `examples/cluster` as its README says: one command starts it, a client counts at its nodes, and a node is killed by hand. Needs
// a build.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { assertRedisInstalled } from "../stores/engines.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** How far the client counts: 8 seconds, so that its node is killed in the middle on a slow machine too. */
const TO = 40;

/** A program of the example that runs, and the lines that it has printed. */
class Running {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly #output: Interface;
  readonly #ended: Promise<unknown>;
  #complaints = "";

  constructor(program: string, args: readonly string[], env: Record<string, string> = {}) {
    const { REDIS_URL: _given, ...others } = process.env;
    this.child = spawn(process.execPath, [join("examples/cluster", program), ...args], {
      cwd: root,
      env: { ...others, NODE_OPTIONS: "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#output = createInterface({ input: this.child.stdout! }).on("line", (line) => this.lines.push(line));
    this.child.stderr!.on("data", (text) => (this.#complaints += String(text)));
    this.#ended = once(this.child, "close");
  }

  /** What the pattern captures in the first line that it matches. */
  async line(pattern: RegExp): Promise<string[]> {
    for (;;) {
      const match = this.lines.map((line) => pattern.exec(line)).find((found) => found !== null);
      if (match) return match.slice(1);
      if (this.child.exitCode !== null) throw new Error(`The program ended with ${this.child.exitCode}: ${this.#complaints}`);
      await Promise.race([once(this.#output, "line"), this.#ended]);
    }
  }

  /** Resolves with the exit code and what it complained about when the program has ended. */
  async end(signal?: NodeJS.Signals): Promise<[code: number | null, complaints: string]> {
    if (signal !== undefined) this.child.kill(signal);
    await this.#ended;
    return [this.child.exitCode, this.#complaints];
  }
}

/** Starts the example with its one command. Its processes keep their files in `folder`. */
function startExample(folder: string): Running {
  const example = new Running("start.mjs", [], { PORT: "0", TMPDIR: folder });
  // In order, so that its nodes and its Redis end with it although a test has failed.
  onTestFinished(() => void example.end("SIGTERM"));
  return example;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-example-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a count goes on at another node when its own is killed, and the example ends without a trace [X2]", async (context) => {
  assertRedisInstalled(context);
  const folder = temporaryFolder();
  const example = startExample(folder);
  const pids = new Map<string, number>();
  for (const name of ["Oslo", "Rome", "Bern"])
    pids.set(name, Number((await example.line(new RegExp(`^${name} .*kill -9 (\\d+)$`)))[0]));
  const [url] = await example.line(/^All nodes together: (\S+)\. /);

  await expect.poll(async () => (await fetch(new URL("/readyz", url))).status, { timeout: 100_000 }).toBe(200);
  const client = new Running("client.mjs", [url!, "1", String(TO)]);
  const [killed] = await client.line(/^ {2}1 counted at (\w+)$/);
  process.kill(pids.get(killed!)!, "SIGKILL");
  expect(await client.end()).toEqual([0, ""]);

  const counts = client.lines.slice(0, -1).map((line) => /^ {2}(\d+) counted at (\w+)$/.exec(line)!.slice(1));
  expect(counts.map(([number]) => Number(number))).toEqual(Array.from({ length: TO }, (_, index) => index + 1));
  const last = counts.at(-1)![1]!;
  expect([...pids.keys()].filter((name) => name !== killed)).toContain(last);
  expect(client.lines.at(-1)).toBe(`counted to ${TO} at ${last}`);

  await example.line(new RegExp(`^${killed} has ended, and starts again`));
  expect(await example.end("SIGTERM")).toEqual([0, ""]);
  expect([...pids.values()].filter(isAlive)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});
