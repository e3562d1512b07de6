/** Starts a program that listens on a port, and ends it with the test. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished } from "vitest";

export interface Program {
  /** Sends a signal; resolves with the exit code, or with the signal if that ended the program. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** Resolves when the program accepts connections. The program gets the port in the variable PORT too. */
export async function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  { cwd, port, env }: { readonly cwd: string; readonly port: number; readonly env?: Record<string, string> },
): Promise<Program> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: "", PORT: String(port), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exited;
  });
  await expect.poll(async () => (child.exitCode === null ? accepts(port) : output)).toBe(true);
  return {
    end: async (signal) => {
      child.kill(signal);
      const [code, endedBy] = await exited;
      return code ?? endedBy!;
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => (socket.destroy(), resolve(true))).once("error", () => resolve(false));
  });
}
