// The `bin` of the package tenon: it starts the command of the project, else the one beside it, else npm does. Needs no build.
import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { outsideFolder, packageFolder, root, write } from "./packed.ts";

vi.setConfig({ testTimeout: 60_000 });

// our own file
const { version } = JSON.parse(readFileSync(join(packageFolder("tenon"), "package.json"), "utf8")) as { version: string };

/** A program that says who it is and what it got, and that ends with 7, or with the signal that it waits for. */
const program = (name: string): string => `#!/usr/bin/env node
console.log(JSON.stringify({ name: ${JSON.stringify(name)}, words: process.argv.slice(2) }));
if (process.argv.includes("wait")) setInterval(() => undefined, 1000);
else process.exitCode = 7;
`;

const commandOf = (name: string): Readonly<Record<string, string | object>> => ({
  "package.json": {
    name: "tenon-cli",
    version,
    type: "module",
    bin: { "tenon-cli": "./main.js" },
    exports: { "./package.json": "./package.json" },
  },
  "main.js": program(name),
});

/** A machine with a project, Tenon installed elsewhere, and a program in the place of npm. */
function machine(): { path: string; project: string; beside: string } {
  const { path, remove } = outsideFolder();
  onTestFinished(remove);
  const tenon = join(path, "elsewhere/node_modules/tenon");
  mkdirSync(tenon, { recursive: true });
  for (const name of ["bin", "package.json"]) cpSync(join(packageFolder("tenon"), name), join(tenon, name), { recursive: true });
  symlinkSync(join(root, "node_modules/cross-spawn"), join(dirname(tenon), "cross-spawn"));
  write(path, { "programs/package.json": { type: "module" }, "project/package.json": { private: true } });
  write(path, { "programs/npm": program("npm") });
  chmodSync(join(path, "programs/npm"), 0o755);
  return { path, project: join(path, "project"), beside: dirname(tenon) };
}

/** Runs `tenon` in the project; `signal` is sent when the program has said what it got. */
async function run(
  path: string,
  words: readonly string[],
  signal?: NodeJS.Signals,
): Promise<{ said: unknown; code: number | null; by: string | null }> {
  const bin = join(path, "elsewhere/node_modules/tenon/bin/tenon.mjs");
  const env = { PATH: [join(path, "programs"), dirname(process.execPath), process.env["PATH"]].join(delimiter) };
  const child = spawn(process.execPath, [bin, ...words], {
    cwd: join(path, "project"),
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (signal !== undefined) child.kill(signal);
  });
  return new Promise((resolve) => {
    child.on("close", (code, by) => resolve({ said: JSON.parse(stdout), code, by }));
  });
}

test("the command of the project is started, with its words and its exit code", async () => {
  const { path, project, beside } = machine();
  write(join(project, "node_modules/tenon-cli"), commandOf("the project's"));
  write(join(beside, "tenon-cli"), commandOf("the one beside"));
  const said = { name: "the project's", words: ["list", "a b.ts", "--json"] };
  expect(await run(path, ["list", "a b.ts", "--json"])).toEqual({ said, code: 7, by: null });
});

test("without one in the project, the command beside the package is started", async () => {
  const { path, beside } = machine();
  write(join(beside, "tenon-cli"), commandOf("the one beside"));
  expect(await run(path, ["--help"])).toEqual({ said: { name: "the one beside", words: ["--help"] }, code: 7, by: null });
});

test("without any, npm runs the command at the version of the package, and asks as it does", async () => {
  const { path } = machine();
  const words = ["exec", `--package=tenon-cli@${version}`, "--", "tenon-cli", "call", "a b.ts", "--arg", "x=1"];
  expect(await run(path, ["call", "a b.ts", "--arg", "x=1"])).toEqual({ said: { name: "npm", words }, code: 7, by: null });
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends what npm runs, and this process in the same way", async (signal) => {
  const { path } = machine();
  expect(await run(path, ["wait"], signal)).toMatchObject({ code: null, by: signal });
});
