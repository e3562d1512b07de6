/**
 * A tutorial, done as its reader does it: each file is written under its name, each command is run in the folder
 * where the reader is, and what stays running stays. Blocks say which they are: a title is a file, `sh` is a
 * command, `console output` a command and what it prints, `console running` a program that goes on and what it has
 * printed, and `sh yours` what each reader has of their own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { isShown } from "./doc-blocks.ts";

export type Step =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "command" | "running"; readonly command: string; readonly output: string | undefined };

const FENCE = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm;

export function readSteps(markdown: string): Step[] {
  return [...markdown.matchAll(FENCE)].flatMap(([, language = "", info = "", text = ""]): Step[] => {
    const title = /\[([^\]]+)\]/.exec(info)?.[1];
    if (title !== undefined) return [{ kind: "file", name: title, text }];
    if (language === "console") return shownIn(text, /\brunning\b/.test(info) ? "running" : "command");
    if (language !== "sh" || /\byours\b/.test(info)) return [];
    return [{ kind: "command", command: text, output: undefined }];
  });
}

function shownIn(text: string, kind: "command" | "running"): Step[] {
  const parts = text.split(/^\$ (.*)\n/m).slice(1);
  return parts.flatMap((command, at) => (at % 2 === 0 ? [{ kind, command, output: parts[at + 1] ?? "" } as const] : []));
}

/** What a reader has of their own. */
export interface Reader {
  /** Where the reader begins: an empty folder. */
  readonly folder: string;
  /** Programs, `npm` among them. */
  readonly bin: string;
  /** Free ports, which take the places of those of the tutorial: `{ 3000: 41237 }`. */
  readonly ports: Readonly<Record<string, number>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Does the steps, one after the other. */
export async function follow(steps: readonly Step[], reader: Reader): Promise<void> {
  rmSync(reader.folder, { recursive: true, force: true });
  mkdirSync(reader.folder, { recursive: true });
  const here = (text: string): string => text.replaceAll(/\b\d{4}\b/g, (number) => String(reader.ports[number] ?? number));
  const shell = new Shell(reader);
  for (const step of steps) {
    if (step.kind === "file") write(join(shell.folder, step.name), here(step.text));
    else if (step.kind === "running") await shell.leaveRunning(here(step.command), here(step.output ?? ""));
    else await shell.run(here(step.command), step.output === undefined ? undefined : here(step.output));
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A terminal: the folder and the exported variables of one command are those of the next. */
class Shell {
  readonly #reader: Reader;
  readonly #env: NodeJS.ProcessEnv;
  folder: string;

  constructor(reader: Reader) {
    this.#reader = reader;
    this.folder = reader.folder;
    const { NODE_OPTIONS: _, VITEST: _vitest, ...env } = process.env;
    const home = join(dirname(reader.folder), "home");
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    const own = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), NO_COLOR: "1", NODE_ENV: "development" };
    this.#env = { ...env, ...own, ...reader.env, PATH: `${reader.bin}:${env["PATH"]}` };
  }

  async run(command: string, output: string | undefined): Promise<void> {
    const kept = join(dirname(this.#reader.folder), "shell");
    const variables = `${kept}.env`;
    const script = `[ ! -f '${variables}' ] || . '${variables}'\n${command}\npwd > '${kept}'; export -p > '${variables}'`;
    const typed = [...(output ?? "").matchAll(/\(y\/n\) (\w+)$/gm)].map(([, answer]) => answer!);
    const { code, stdout, stderr } = await this.#ended(script, typed);
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${stdout}\n${stderr}`);
    this.folder = readFileSync(kept, "utf8").trim();
    if (output !== undefined && !isShown(stdout, output)) throw new Error(notShown(command, output, stdout + stderr));
  }

  /** Starts a program that ends with the test; resolves when it has printed what is shown. */
  async leaveRunning(command: string, output: string): Promise<void> {
    const child = this.#start(command);
    let printed = "";
    child.stdout!.on("data", (chunk: Buffer) => (printed += String(chunk)));
    child.stderr!.on("data", (chunk: Buffer) => (printed += String(chunk)));
    onTestFinished(() => endGroup(child));
    const shown = vi.waitUntil(() => isShown(printed, output), { timeout: 60_000, interval: 50 });
    await shown.catch(() => Promise.reject(new Error(notShown(command, output, printed))));
  }

  #start(script: string): ChildProcess {
    return spawn("sh", ["-e", "-c", script], { cwd: this.folder, env: this.#env, stdio: "pipe", detached: true });
  }

  /** @param typed what the reader types, each where the program asks; a terminal shows it */
  #ended(script: string, typed: string[]): Promise<Ended> {
    const child = this.#start(script);
    let [stdout, stderr] = ["", ""];
    child.stdout!.on("data", (chunk: Buffer) => {
      stdout += String(chunk);
      if (!stdout.endsWith("(y/n) ")) return;
      const line = `${typed.shift() ?? ""}\n`;
      stdout += line;
      child.stdin!.write(line);
    });
    child.stderr!.on("data", (chunk: Buffer) => (stderr += String(chunk)));
    if (typed.length === 0) child.stdin!.end();
    return new Promise((resolve) => {
      child.once("close", (code) => resolve({ code, stdout, stderr }));
    });
  }
}

const notShown = (command: string, shown: string, printed: string): string =>
  `${command} is shown with\n${shown}\nand printed\n${printed}`;

/** Ends a program and what it has started. */
function endGroup(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    process.kill(-child.pid!, "SIGTERM");
  });
}
