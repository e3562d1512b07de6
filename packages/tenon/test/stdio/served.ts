// Runs the fixture server in a process of its own, made from `src` as it is now, and talks to it in lines.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { onTestFinished } from "vitest";

const root = new URL("../../../../", import.meta.url);

/**
 * Bundles a fixture server into a directory that `remove` deletes. @param name of a file in `fixtures`, or where another file is
 */
export async function buildServed(name: string | URL = "served"): Promise<{ file: string; remove: () => void }> {
  const entry = typeof name === "string" ? new URL(`fixtures/${name}.ts`, import.meta.url) : name;
  const cache = fileURLToPath(new URL("node_modules/.cache/", root));
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(`${cache}served-`);
  const file = `${directory}/served.mjs`;
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["source"],
    external: ["cross-spawn", "ajv", "re2js"],
    absWorkingDir: fileURLToPath(root),
    logLevel: "error",
  });
  return { file, remove: () => rmSync(directory, { recursive: true }) };
}

interface Line {
  id?: number;
  method?: string;
  result?: { content?: { text: string }[]; isError?: boolean };
  error?: { code: number; message: string };
}

/** A served process: what it wrote, line by line, and how it ended. */
export class Served {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: Line[] = [];
  stderr = "";
  /** When its output had ended and it had exited. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  /** What waits for something to be there; each looks again whenever something came. */
  readonly #waiting = new Set<() => void>();

  constructor(file: string, options: object = {}) {
    this.child = spawn(process.execPath, [file, JSON.stringify(options)]);
    onTestFinished(() => void this.child.kill("SIGKILL"));
    this.child.stderr.on("data", (chunk) => {
      this.stderr += String(chunk);
      this.#changed();
    });
    this.child.stdin.on("error", () => undefined);
    this.ended = new Promise((resolve) => this.child.on("close", (code, signal) => resolve({ code, signal })));
    this.write({
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    });
    this.write({ method: "notifications/initialized" });
  }

  /** Reads its output from now on; what is no JSON makes the test fail. */
  read(): this {
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      this.lines.push(JSON.parse(line) as Line);
      this.#changed();
    });
    return this;
  }

  write(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  call(id: number, name: string, meta?: object): void {
    this.write({ id, method: "tools/call", params: { name, arguments: {}, ...(meta && { _meta: meta }) } });
  }

  /** The text a call was answered with, once it was. */
  async answer(id: number): Promise<string | undefined> {
    return (await this.#answered(id)).result?.content?.[0]?.text;
  }

  /** The error a call was answered with, once it was. */
  async failure(id: number): Promise<Line["error"]> {
    return (await this.#answered(id)).error;
  }

  #answered(id: number): Promise<Line> {
    return this.#until(() => this.lines.find((one) => one.id === id && one.method === undefined));
  }

  /** Resolves once `text` was written to stderr. */
  async says(text: string): Promise<void> {
    await this.#until(() => this.stderr.includes(text) || undefined);
  }

  #until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = look();
        if (found === undefined) return;
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }

  #changed(): void {
    for (const check of [...this.#waiting]) check();
  }
}
