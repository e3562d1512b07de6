/** A run of the proof or of the figures that is ended by a signal ends its engine and its nodes, and leaves no files. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { assertHas } from "../support/needs.ts";

/** Milliseconds that a busy machine may need to start an engine and nodes. */
const PATIENCE = 120_000;
/** A node, an engine and a program that bundles. */
const FEW = 3;

test.for([
  ["cluster-figures", "SIGTERM", 143],
  ["cluster-figures", "SIGINT", 130],
  ["cluster", "SIGTERM", 143],
] as const)(
  "%s ends what it has started when it gets %s",
  { timeout: 2 * PATIENCE },
  async ([name, signal, code], context: TestContext) => {
    assertHas(context, "linux", "redis", ...(name === "cluster" ? (["haproxy"] as const) : []));
    const script = fileURLToPath(new URL(`../../../../lab/cluster/${name}.mjs`, import.meta.url));
    const run = spawn(process.execPath, [script, "--engine", "redis"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void run.kill("SIGKILL"));
    for await (const line of createInterface(run.stdout)) if (line.startsWith("engine redis")) break;
    run.stdout.resume();
    await expect.poll(() => childrenOf(run.pid!).length, { timeout: PATIENCE }).toBeGreaterThanOrEqual(FEW);
    const started = childrenOf(run.pid!);
    const ended = once(run, "exit");
    run.kill(signal);
    expect(await ended).toEqual([code, null]);
    // The program that bundles ends by itself, a little later.
    await expect.poll(() => started.filter(isRunning), { timeout: PATIENCE }).toEqual([]);
  },
);

function childrenOf(pid: number): number[] {
  const lists = readdirSync(`/proc/${pid}/task`).map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8"));
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

/** A process that has ended may be listed until its parent asks for its exit code. */
function isRunning(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, "utf8"));
}
