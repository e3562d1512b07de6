/** Runs the command in this process: the one place that reads it, sets its exit code and ends it. */
import { homedir } from "node:os";
import { namesProxy } from "tenon/internal";
import { main } from "./command-line.ts";
import { ExitCode } from "./failure.ts";
import type { Shell } from "./shell.ts";

/** The shell of this process. Its streams are opened when they are used. */
const shell: Shell = {
  cwd: process.cwd(),
  env: process.env,
  home: homedir(),
  script: process.argv[1] ?? "",
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  onSignal(name, listener) {
    process.on(name, listener);
    return () => process.off(name, listener);
  },
  exit: (code) => process.exit(code),
};

/** Runs the command that was typed, and sets the exit code. The process ends by itself once the connection is closed. */
export async function runInProcess(typed: readonly string[]): Promise<void> {
  // A closed pipe (`| head`) is not a failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? process.exitCode : ExitCode.Failed));
  // The command uses the proxies of the environment on every Node, as other tools do. `NODE_USE_ENV_PROXY=0` stops that.
  if (namesProxy()) process.env["NODE_USE_ENV_PROXY"] ??= "1";
  process.exitCode = await main(typed, shell);
  // Timers of a server file must not keep a failed command alive.
  if (["run", "openapi", "gateway"].includes(typed[0]!) && process.exitCode !== ExitCode.Ok) process.stderr.write("", () => process.exit());
}
