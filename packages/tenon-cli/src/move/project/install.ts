/** Runs the project's package manager. */
import { spawn } from "node:child_process";
import { clean } from "tenon/internal";
import { CannotConnectError } from "../../failure.ts";
import type { Shell } from "../../shell.ts";
import type { Manager } from "./project.ts";

const COMMANDS: Readonly<Record<Manager, readonly string[]>> = {
  npm: ["install", "--no-audit", "--no-fund", "--prefer-offline"],
  pnpm: ["install", "--no-frozen-lockfile", "--prefer-offline"],
  yarn: ["install"],
  bun: ["install"],
};
/** Most characters of its output that are shown after a failure. */
const SHOWN = 2_000;

/** Installs what package.json names. @throws CannotConnectError with the end of the output, if the manager fails */
export async function install(manager: Manager, folder: string, shell: Pick<Shell, "env">, signal: AbortSignal): Promise<void> {
  const { code, output } = await run(manager, COMMANDS[manager], { folder, shell, signal });
  if (code === 0) return;
  const end = clean(output).trimEnd().slice(-SHOWN);
  throw new CannotConnectError(`${manager} install failed. Its output ends so:\n${end}`, end);
}

/** Whether the project's pnpm reads overrides in its workspace file: from 10 on. */
export async function readsWorkspaceFile(folder: string, shell: Pick<Shell, "env">, signal: AbortSignal): Promise<boolean> {
  const { output } = await run("pnpm", ["--version"], { folder, shell, signal });
  return Number.parseInt(output, 10) >= 10;
}

interface Where {
  readonly folder: string;
  readonly shell: Pick<Shell, "env">;
  readonly signal: AbortSignal;
}

function run(command: string, args: readonly string[], { folder, shell, signal }: Where): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    // A shell finds the `.cmd` files of Windows. No word of a user is in the line.
    const child = spawn([command, ...args].join(" "), { cwd: folder, env: { ...shell.env, CI: "1" }, signal, shell: true });
    let output = "";
    const keep = (chunk: Buffer): void => void (output = (output + chunk.toString("utf8")).slice(-100_000));
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", reject).on("close", (code) => resolve({ code, output }));
  });
}
