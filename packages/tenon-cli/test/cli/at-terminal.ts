/**
 * Runs the built command at a real terminal: a pseudo-terminal of `script` (util-linux), with keys that are typed when it asks.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { MAIN } from "./start-command.ts";

/** What is typed once the screen shows that: never before what was typed last. */
export type Typed = readonly [shown: string, keys: string];

export interface AtTerminal {
  code: number | null;
  /** Everything the terminal was sent. */
  screen: string;
  /** What went to stdout, which is a file. */
  stdout: string;
}

export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";
const LIMIT = 90_000;

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Runs `tenon` to its end with stdin and stderr at the terminal. */
export function tenonAtTerminal(args: readonly string[], typing: readonly Typed[]): Promise<AtTerminal> {
  return nodeAtTerminal([MAIN, ...args], typing);
}

/** The same for any program of Node. */
export function nodeAtTerminal(
  args: readonly string[],
  typing: readonly Typed[],
  cwd?: string,
  path: string | undefined = process.env["PATH"],
): Promise<AtTerminal> {
  const folder = mkdtempSync(join(tmpdir(), "terminal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const output = join(folder, "stdout");
  const command = [process.execPath, ...args].map(quote).join(" ");
  // The settings of the terminal are shown before and after: what was changed has to be put back.
  const line = `stty -a; ${command} > ${quote(output)}; code=$?; stty -a; exit $code`;
  const child = spawn("script", ["--quiet", "--return", "--flush", "--command", line, "/dev/null"], {
    env: { PATH: path, TERM: "xterm", SHELL: "/bin/sh" },
    cwd,
    timeout: LIMIT,
    killSignal: "SIGKILL",
  });
  const left = [...typing];
  let screen = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    for (let next = left[0]; next !== undefined; next = left[0]) {
      const at = screen.indexOf(next[0], seen);
      if (at < 0) return;
      seen = at + next[0].length;
      left.shift();
      child.stdin.write(next[1]);
    }
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code) => {
      child.stdin.destroy();
      resolve({ code, screen, stdout: readFileSync(output, "utf8") });
    });
  });
}

/** What a terminal of that width shows of a command that asks nothing. */
export function screenOf(args: readonly string[], columns: number): string {
  const command = [process.execPath, MAIN, ...args].map(quote).join(" ");
  return execFileSync("script", ["--quiet", "--return", "--command", `stty cols ${columns}; ${command}`, "/dev/null"], {
    env: { PATH: process.env["PATH"], TERM: "xterm", SHELL: "/bin/sh", NO_COLOR: "1" },
    encoding: "utf8",
    timeout: LIMIT,
    stdio: ["ignore", "pipe", "inherit"],
  });
}
