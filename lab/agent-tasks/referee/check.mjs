// Tests what lies in the folder of a task: first the compiler, with the tsconfig that the pages give, then the task's test, in a process
// of its own, so that an answer which hangs or breaks it fails nothing else.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { end } from "./end.mjs";

const program = fileURLToPath(new URL("run-test.mjs", import.meta.url));
/** Milliseconds of a test, however busy the machine is. */
const LIMIT = 120_000;

/** Resolves to why the answer is red, or to `undefined` if it is green. */
export async function check(task, folder) {
  const compiler = join(folder, "node_modules/typescript/bin/tsc");
  const compiled = spawnSync(process.execPath, [compiler, "--noEmit", "--pretty", "false"], { cwd: folder, encoding: "utf8" });
  // TS18003: no file to compile; the task has no TypeScript in its answer
  if (compiled.status !== 0 && !compiled.stdout.includes("TS18003")) return `it does not compile: ${compiled.stdout.trim()}`;
  const child = spawn(process.execPath, [program, task, folder], { stdio: ["ignore", "ignore", "pipe"], detached: true });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  const timer = setTimeout(() => end(child), LIMIT);
  const [code, signal] = await new Promise((resolve) => child.on("close", (...how) => resolve(how)));
  clearTimeout(timer);
  if (signal !== null) return `the test did not end within ${LIMIT / 1_000} s`;
  return code === 0 ? undefined : said.trim();
}
