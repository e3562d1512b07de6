// A program that a test has started, in a group of processes of its own, so that all of it ends.
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { end } from "../referee/end.mjs";

/** Milliseconds until a program that does not answer, say or end what it should has failed. */
const LIMIT = 20_000;

export class Program {
  stdout = "";
  stderr = "";
  #child;
  #ended;

  constructor(command, args, { cwd, env }) {
    this.#child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#child.stdout.setEncoding("utf8").on("data", (text) => (this.stdout += text));
    this.#child.stderr.setEncoding("utf8").on("data", (text) => (this.stderr += text));
    this.#ended = new Promise((resolve) => this.#child.on("error", () => resolve(-1)).on("close", (code) => resolve(code)));
  }

  /** Resolves to the exit code. */
  async ended() {
    const code = await Promise.race([this.#ended, pause(LIMIT, "limit", { ref: false })]);
    if (code === "limit") throw new Error(`the program did not end within ${LIMIT / 1_000} s; it printed: ${this.stdout}`);
    return code;
  }

  /** Waits until something holds. */
  async until(holds, what) {
    for (const until = performance.now() + LIMIT; performance.now() < until; await pause(20)) if (await holds()) return;
    throw new Error(`${what} within ${LIMIT / 1_000} s; the program printed: ${this.stdout}${this.stderr}`);
  }

  /** Waits until an HTTP server answers, with any status. */
  async answers(url) {
    const isHere = async () => {
      if (this.#child.exitCode !== null)
        throw new Error(`the server ended with exit code ${this.#child.exitCode}: ${this.stderr}`);
      const response = await fetch(url).catch(() => undefined);
      await response?.body?.cancel();
      return response !== undefined;
    };
    await this.until(isHere, `nothing answered at ${url}`);
  }

  /** Sends a signal to the program alone, as a supervisor does. */
  signal(name) {
    this.#child.kill(name);
  }

  async end() {
    end(this.#child);
    await this.#ended;
  }
}
