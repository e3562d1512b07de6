// Runs the command of an agent in the folder of a task. The prompt comes on stdin and lies in the file that $TASK_PROMPT names; the
// tests lie elsewhere. What the agent prints is kept beside the folder's files only if it fails.
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { end } from "./end.mjs";
import { promptOf } from "./tasks.mjs";

/** Characters of the agent's output that a failure shows. */
const SHOWN = 2_000;

/** Resolves to what went wrong with the agent itself; to `undefined` if it ended well. */
export async function askAgent(command, task, folder, { skills, limit }) {
  const prompt = promptOf(task);
  const file = `${folder}.prompt.md`;
  writeFileSync(file, prompt);
  const env = { ...process.env, TASK_PROMPT: file, TASK_NAME: task, TASK_SKILLS: skills ? "1" : "" };
  // A group of its own, so that what the agent has started ends with it.
  const child = spawn("sh", ["-c", command], { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (said = (said + text).slice(-SHOWN)));
  child.stdin.on("error", () => {}); // the agent reads the file
  child.stdin.end(prompt);
  const timer = setTimeout(() => end(child), limit);
  const [code, signal] = await new Promise((resolve) => child.on("exit", (...how) => resolve(how)));
  clearTimeout(timer);
  end(child);
  rmSync(file);
  if (signal !== null) return `the agent did not end within ${limit / 1_000} s (--minutes)`;
  return code === 0 ? undefined : `the agent ended with exit code ${code}: ${said.trim()}`;
}
