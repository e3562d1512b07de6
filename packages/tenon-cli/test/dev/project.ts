/** A project in a temporary folder, whose files the tests save as an author does. Needs a build. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { DevEvent } from "../../src/dev/page/events.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const MAIN = join(ROOT, "packages/tenon-cli/dist/main.js");

export interface Project {
  readonly folder: string;
  /** Saves a file in place. */
  save(name: string, text: string): void;
  /** Saves a file as editors do: writes another one and renames it. */
  replace(name: string, text: string): void;
  /** The words that start `tenon`. */
  command(...words: string[]): { command: string; args: string[]; cwd: string; stderr: "pipe" };
}

export function project(files: Readonly<Record<string, string>>): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-dev-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(ROOT, "packages/tenon"), join(folder, "node_modules/tenon"));
  symlinkSync(join(ROOT, "node_modules/zod"), join(folder, "node_modules/zod"));
  const save = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries({ "package.json": '{ "type": "module" }', ...files })) save(name, text);
  return {
    folder,
    save,
    replace: (name, text) => {
      save(`${name}~`, text);
      renameSync(join(folder, `${name}~`), join(folder, name));
    },
    command: (...words) => ({ command: process.execPath, args: [MAIN, ...words], cwd: folder, stderr: "pipe" }),
  };
}

/** What `--json` prints: the events of the command, and the URL. */
type Printed = DevEvent | { readonly kind: "listening"; readonly url: string } | { readonly kind: "page"; readonly url: string };
type PrintedOf<Kind> = Extract<Printed, { kind: Kind }>;

/** Reads events, and lets a test wait for the next one of a kind. */
export class Events {
  readonly all: Printed[] = [];
  /** Lines that are no events: what the author's code prints. */
  readonly other: string[] = [];
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  read(stream: Readable): void {
    createInterface({ input: stream }).on("line", (line) => this.take(line));
  }

  take(line: string): void {
    if (line.startsWith('{"at"')) this.all.push(JSON.parse(line) as Printed);
    else this.other.push(line);
    for (const wake of [...this.#waiting]) wake();
  }

  /** The next event of a kind, after those that were taken already. */
  async next<Kind extends Printed["kind"]>(kind: Kind): Promise<PrintedOf<Kind>> {
    for (;;) {
      const at = this.all.findIndex((event, index) => index >= this.#taken && event.kind === kind);
      if (at !== -1) {
        this.#taken = at + 1;
        return this.all[at] as PrintedOf<Kind>;
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }
}

export interface Running {
  readonly url: string;
  readonly events: Events;
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts `tenon dev` over HTTP, on any free port. */
export async function startHttp(project: Project, file: string, words: readonly string[] = ["dev"]): Promise<Running> {
  const [name, ...more] = words as [string, ...string[]];
  const { command: program, args, cwd } = project.command(name, file, "--http", "--port", "0", "--json", ...more);
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const events = new Events();
  events.read(child.stdout);
  events.read(child.stderr);
  const { url } = await events.next("listening");
  return { url, events, pid: child.pid!, ended, kill: (signal) => child.kill(signal) };
}
