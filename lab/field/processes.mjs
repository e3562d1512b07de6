// Programs of the field, each with a time limit and an end: what a run starts has a mark in its environment, so that whatever is
// left of it is found and ended, whoever its parent is (Linux). Elsewhere the group of the process is ended.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const MARK = "TENON_FIELD";
/** Milliseconds that a program has to end after its client has closed. */
const GRACE = 6_000;

/** The processes with a mark in their environment: ids, and how they were called. */
function marked(mark) {
  if (process.platform !== "linux") return [];
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    try {
      const has = readFileSync(`/proc/${id}/environ`, "latin1").includes(`${MARK}=${mark}`);
      const called = readFileSync(`/proc/${id}/cmdline`, "latin1").replaceAll("\0", " ").trim();
      return has && called !== "" ? [{ id: Number(id), called }] : []; // one that has ended and is not reaped has no line
    } catch {
      return []; // it has ended, or is not ours
    }
  });
}

function kill(id) {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Waits until nothing with the mark runs; ends what is left after the grace. Resolves with what was left. */
async function settled(mark) {
  for (const until = Date.now() + GRACE; Date.now() < until && marked(mark).length > 0;) await pause(100);
  const left = marked(mark);
  for (const { id } of left) kill(id);
  return left.map(({ called }) => called);
}

/** What a program gets of this environment: nothing of the user's but where programs are, and a folder of its own as home. */
const environment = (folder, mark) => ({
  PATH: process.env["PATH"],
  HOME: folder,
  TMPDIR: folder,
  LANG: "C.UTF-8",
  NO_COLOR: "1",
  DO_NOT_TRACK: "1",
  [MARK]: mark,
});

/**
 * Runs a module in a process of its own, with a folder that is new and goes with it. The module gets a task as its message, and
 * sends parts of what it found; they are put together.
 *
 * @param module the file
 * @param makeTask the task, from the folder and the environment for programs
 * @param options the time limit, and a signal that ends everything
 */
export async function runInProcess(module, makeTask, { limit, signal }) {
  const mark = randomUUID();
  const base = join(tmpdir(), "tenon-field");
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, "home-"));
  const env = environment(folder, mark);
  const child = fork(module, {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, [MARK]: mark },
  });
  const found = {};
  let printed = "";
  child.stderr.on("data", (bytes) => (printed = (printed + bytes).slice(-4_000)));
  child.on("message", (part) => Object.assign(found, part));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.send(makeTask(folder, env));
  const { pid } = child;
  const stop = () => pid !== undefined && kill(-pid);
  signal.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(() => {
    found.limit = `not done after ${limit / 1_000} s`;
    stop();
  }, limit);
  child.once("disconnect", () => setTimeout(stop, 2_000).unref()); // all was told
  const code = await ended;
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
  const left = await settled(mark);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (code !== 0 && found.limit === undefined && found.closed === undefined)
    found.fault ??= `the process ended with ${code}: ${printed}`;
  return { ...found, left };
}
