// Where an agent works: a folder with what its task gives, and packages that are installed once for all folders, from tarballs as users
// get them. Without skills the package has no `skills/`, and the folder no `AGENTS.md`.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../../scripts/places.mjs";
import { taskFolder } from "./tasks.mjs";

/** What tasks use beside Tenon, at the versions of this repository. */
const BESIDE = ["zod", "typescript", "@types/node", "express", "@types/express", "@modelcontextprotocol/sdk"];
/** It runs TypeScript, as the pages show it. The repository has no use for it. */
const TSX = "tsx@4.23.15";

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed:\n${stderr || stdout}`);
  return stdout;
}

/** Installs Tenon from its tarballs, and what tasks use. Needs a build. */
export function installTenon(folder, { skills }) {
  const at = join(folder, "installed");
  mkdirSync(at, { recursive: true });
  const packed = ["tenon", "tenon-cli"].map((only) =>
    run(process.execPath, [join(repository, "scripts/pack.mjs"), "--only", only, "--to", folder], repository).trim(),
  );
  const { devDependencies } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  writeFileSync(join(at, "package.json"), JSON.stringify({ name: "installed", private: true }));
  const names = [...packed, ...BESIDE.map((name) => `${name}@${devDependencies[name]}`), TSX];
  run("npm", ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", ...names], at);
  if (!skills) rmSync(join(at, "node_modules/tenon/skills"), { recursive: true });
  return { skills, modules: join(at, "node_modules"), agents: skills ? agentsFile(at) : undefined };
}

/** The text for agents that `tenon init` writes. */
function agentsFile(at) {
  run(process.execPath, ["node_modules/tenon/bin/tenon.mjs", "init", "written", "--yes"], at);
  return readFileSync(join(at, "written", "AGENTS.md"), "utf8").replaceAll("src/server.ts", "server.ts");
}

/** Prepares the folder of one turn. */
export function placeWork(task, folder, { modules, agents }) {
  const given = join(taskFolder(task), "given");
  if (existsSync(given)) cpSync(given, folder, { recursive: true });
  symlinkSync(modules, join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name: task, private: true, type: "module" }, undefined, 2)}\n`);
  cpSync(join(repository, "packages/tenon-cli/templates/tsconfig.json"), join(folder, "tsconfig.json"));
  if (agents !== undefined) writeFileSync(join(folder, "AGENTS.md"), agents);
}
