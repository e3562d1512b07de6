/**
 * Starts the programs of this folder under the runtimes in `binaries/`, and reads what the subset reports.
 *
 * Tests of a runtime that this platform has no package of are left out.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Target } from "tenon/client";
import { onTestFinished, type TestContext } from "vitest";
import { leaveOut } from "../support/needs.ts";

/** One check of the subset, as `runSubset` yields it. */
export interface Outcome {
  readonly revision: string;
  readonly check: string;
  readonly ok: boolean;
  readonly error?: string;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Milliseconds a program has to start, or to end by itself. */
const BOUND_MS = 100_000;

export type RuntimeName = "node" | "node-22" | "node-24" | "node-26" | "bun" | "deno" | "workerd";
export type Command = readonly [string, ...string[]];

/** What runs a program under each runtime; the one that runs this test needs no package. */
const RUNTIMES: Readonly<Record<RuntimeName, Command>> = {
  node: [process.execPath],
  "node-22": ["node-22/bin/node"],
  "node-24": ["node-24/bin/node"],
  "node-26": ["node-26/bin/node"],
  bun: ["@oven/bun-linux-x64/bin/bun"],
  deno: ["@deno/linux-x64-glibc/deno", "run", "--no-prompt", "--allow-all"],
  workerd: ["@cloudflare/workerd-linux-64/bin/workerd", "serve", "--control-fd=1"],
};

/** The command of a runtime. Leaves the test out where it is not there. */
export function runtime(name: RuntimeName, { skip }: TestContext): Command {
  const [binary, ...args] = RUNTIMES[name];
  const path = name === "node" ? binary : here(`binaries/node_modules/${binary}`);
  if (!existsSync(path)) leaveOut(["runtimes"], { skip });
  return [path, ...args];
}

/** Starts a server, a file of this folder, that prints its port as JSON; resolves with its URL, and ends it with the test. */
export async function startServer([command, ...args]: Command, program: string): Promise<string> {
  const child = spawn(command, [...args, here(program)], { stdio: ["ignore", "pipe", "pipe"], timeout: BOUND_MS });
  onTestFinished(() => end(child));
  const complaints = textOf(child.stderr);
  for await (const line of createInterface(child.stdout)) {
    const { port } = JSON.parse(line) as { port?: number }; // our own programs, and workerd's control messages
    if (port !== undefined) return `http://127.0.0.1:${port}/mcp`;
  }
  throw new Error(`The server ended: ${await complaints}`);
}

/** Runs the subset under a runtime, which must end by itself; resolves with what was reported. */
export async function runClient([command, ...args]: Command, target: Target, revisions: readonly string[]): Promise<Outcome[]> {
  const given = JSON.stringify([target, ...revisions]);
  const child = spawn(command, [...args, here("client.mjs"), given], { stdio: ["ignore", "pipe", "pipe"], timeout: BOUND_MS });
  const [output, complaints, [status, signal]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, "close"),
  ]);
  if (status !== 0) throw new Error(`The client ended with ${status ?? signal}: ${complaints}\n${output}`);
  return output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Outcome);
}

/** The command that runs the server over stdio, for each runtime. */
export function stdioServer([command, ...args]: Command): Target {
  return { command, args: [...args, here("serve-stdio.mjs")] };
}

/** What must be reported: every check of every revision, and nothing wrong. */
export function allWell(checks: readonly string[], revisions: readonly string[]): Outcome[] {
  return revisions.flatMap((revision) => checks.map((check) => ({ revision, check, ok: true })));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}
