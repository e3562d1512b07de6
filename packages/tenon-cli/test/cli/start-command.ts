/**
 * Runs the built command as people do: in a process of its own, from another folder. Needs a build. Most tests need no process:
 * run-command.ts.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const MAIN: string = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** The path of a file in `fixtures/`. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Called with what has come so far, and with what sends a signal to the command. */
export type OnOutput = (text: string, kill: (signal: NodeJS.Signals) => void) => void;

export interface RunOptions {
  /** Beside `PATH`; there are no other variables. */
  env?: Record<string, string>;
  /** The folder to run in. Default: that of the tests. */
  cwd?: string;
  /** What is piped into a command that runs in the process of the test. Default: nothing. */
  input?: string;
  onStderr?: OnOutput;
  onStdout?: OnOutput;
}

/** Milliseconds after which a command that still runs is killed; it then has no exit code. */
const LIMIT = 100_000;

/** Runs `tenon` to its end. */
export function startCommand(args: readonly string[], options?: RunOptions): Promise<Ended> {
  return startNode([MAIN, ...args], options);
}

/** Runs a program on this Node to its end. */
export function startNode(args: readonly string[], { env = {}, cwd, onStderr, onStdout }: RunOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], ...env },
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT,
    killSignal: "SIGKILL",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    onStdout?.(stdout, (signal) => child.kill(signal));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    onStderr?.(stderr, (signal) => child.kill(signal));
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
