// How the scoreboard measures: it runs the commands that users run, and reads what they print or write.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export const project = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a command. Resolves with its output, without colours, and whether it succeeded. */
export function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: project, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    child.on("close", (status) => resolve({ output: stripVTControlCharacters(output), ok: status === 0 }));
  });
}
export const script = (name, ...args) => run("npm", ["run", "--silent", name, "--", ...args]);
export const read = (path) => JSON.parse(readFileSync(join(project, path), "utf8"));
export const row = (figure, target, value, met) => ({ figure, target, value: String(value), met });
export const last = (output) => output.trim().split("\n").at(-1);
