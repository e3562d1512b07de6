// The tasks, as they lie in ../tasks: a folder each, with `prompt.md`, `test.mjs`, what the agent is given (`given/`), and recorded
// answers: `answer/` solves the task, and each folder of `wrong/` has the mistake that it is named by.
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const tasks = fileURLToPath(new URL("../tasks/", import.meta.url));
const COMMON = readFileSync(new URL("../prompt.md", import.meta.url), "utf8");

/** The name of the recorded answer that solves its task. */
export const ANSWER = "answer";

export const taskFolder = (task) => join(tasks, task);

/** The names of all tasks, or of those that are listed. @throws Error if a task does not exist */
export function choose(only) {
  const all = readdirSync(tasks).sort();
  if (only === undefined) return all;
  const names = only.split(",");
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`there is no task ${unknown.join(", ")}; --list prints them`);
  return names;
}

/** What the agent reads: the task, and what holds for all tasks. */
export const promptOf = (task) => `${readFileSync(join(taskFolder(task), "prompt.md"), "utf8").trim()}\n\n${COMMON}`;

/** The recorded answers of a task by their names: the right one first. */
export function recordedAnswers(task) {
  const wrong = join(taskFolder(task), "wrong");
  return [ANSWER, ...(existsSync(wrong) ? readdirSync(wrong).sort() : [])];
}

/** Puts a recorded answer into a folder, in the place of an agent. */
export function placeAnswer(task, answer, folder) {
  cpSync(join(taskFolder(task), answer === ANSWER ? ANSWER : join("wrong", answer)), folder, { recursive: true });
}
