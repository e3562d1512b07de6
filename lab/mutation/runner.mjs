// Runs test files of a sandbox in a lane (`lane.mjs`). A lane that does not finish in time is ended with all its processes, and
// the next run gets a new one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endProcesses } from "./end-processes.mjs";
import { Sandbox } from "./sandbox.mjs";

const LANE = fileURLToPath(new URL("lane.mjs", import.meta.url));
const lanes = new Set();
// A signal that ends this process needs no handler: a lane whose runner is gone ends itself.
process.on("exit", () => lanes.forEach(({ pid }) => endProcesses(pid)));

/** What the lane reports, or that it does not. */
function outcomeOf(child, timeout) {
  return new Promise((resolve) => {
    const settle = (outcome) => {
      clearTimeout(timer);
      child.off("message", settle).off("exit", onExit);
      resolve(outcome);
    };
    const onExit = () => settle({ died: true, failures: ["the test process died"], tests: 0 });
    const timer = setTimeout(() => settle({ timedOut: true, failures: [`no end within ${timeout} ms`], tests: 0 }), timeout);
    child.on("message", settle).on("exit", onExit);
  });
}

export class Runner {
  #child;
  #changed = new Set();

  #testTimeout;

  /**
   * @param place the name of a new sandbox, or the sandbox of a runner that has stopped
   * @param testTimeout milliseconds after which a test that hangs has failed
   */
  constructor(place, testTimeout = 120_000) {
    this.sandbox = typeof place === "string" ? new Sandbox(place) : place;
    this.#testTimeout = testTimeout;
  }

  /** Changes a source file for the runs until `restore()`. */
  write(file, text) {
    this.sandbox.write(file, text);
    this.#changed.add(file);
  }

  restore() {
    for (const file of this.sandbox.restore()) this.#changed.add(file);
  }

  /**
   * Runs test files until the first failure.
   * @param options `pattern` selects tests by title; after `timeout` milliseconds the run is given up
   * @returns what failed, how many tests ran, and whether the time was over
   */
  async run(files, { pattern, timeout }) {
    const child = (this.#child ??= await this.#start());
    const changed = [...this.#changed];
    this.#changed.clear();
    child.send({ changed, files, pattern });
    const outcome = await outcomeOf(child, timeout);
    if (outcome.timedOut || outcome.died) this.stop();
    return outcome;
  }

  async #start() {
    const child = spawn(process.execPath, [LANE, this.sandbox.root, String(this.#testTimeout)], {
      cwd: this.sandbox.root,
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    lanes.add(child);
    await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => {
        throw new Error("vitest does not start: run `npx vitest run src/base` to see why");
      }),
    ]);
    return child;
  }

  stop() {
    if (this.#child) {
      endProcesses(this.#child.pid);
      lanes.delete(this.#child);
    }
    this.#child = undefined;
  }
}
