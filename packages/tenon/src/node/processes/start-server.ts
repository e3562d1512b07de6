/** Starts the program of a server, and says why it did not start. Loaded with the first server. */
import { existsSync } from "node:fs";
import type { ChildProcess, spawn as nodeSpawn, SpawnOptions } from "node:child_process";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import { reportTo } from "../../base/report-to.ts";
import type { SpawnServerOptions, StdioServerParameters } from "../../transport/stdio-server-parameters.ts";
import { environmentOf } from "./child-environment.ts";
import { ChildServer, type PipedChild } from "./child-server.ts";
import { isWindows } from "../windows.ts";

/** Resolves once the program runs. @throws ConnectionClosedError if it cannot be started */
export async function startServer(parameters: StdioServerParameters, { signal, onError }: SpawnServerOptions): Promise<ChildServer> {
  const spawn = await loadSpawn();
  signal?.throwIfAborted();
  const child = spawn(parameters.command, [...(parameters.args ?? [])], toSpawnOptions(parameters));
  await waitForStart(child, parameters);
  return new ChildServer(child as PipedChild, parameters, (error) => reportTo(onError, error)); // a started process has a pid
}

/** On Windows `npx` is `npx.cmd`, which `cross-spawn` starts without a shell. */
async function loadSpawn(): Promise<typeof nodeSpawn> {
  return isWindows() ? (await import("cross-spawn")).default : (await import("node:child_process")).spawn;
}

function toSpawnOptions(parameters: StdioServerParameters): SpawnOptions {
  return {
    cwd: parameters.cwd,
    env: environmentOf(parameters.env),
    stdio: ["pipe", "pipe", parameters.stderr === "ignore" ? "ignore" : "pipe"],
    shell: false,
    detached: !isWindows(),
    windowsHide: true,
  };
}

function waitForStart(child: ChildProcess, parameters: StdioServerParameters): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      reject(toStartError(error, parameters));
    };
    child.once("error", onError).once("spawn", () => {
      child.off("error", onError);
      resolve();
    });
  });
}

/** Makes the error. Node reports a missing working directory as a missing command. */
function toStartError(error: NodeJS.ErrnoException, { command, args = [], cwd }: StdioServerParameters): ConnectionClosedError {
  const noCwd = error.code === "ENOENT" && cwd !== undefined && !existsSync(cwd);
  const what = [command, ...args].map((part) => JSON.stringify(part)).join(" ");
  const hint = error.code === "ENOENT" && /\s/.test(command) && args.length === 0 ? ': "args" takes the words after the first one' : "";
  const why = noCwd ? `the working directory ${JSON.stringify(String(cwd))} does not exist` : `${error.code ?? error.message}${hint}`;
  const facts = { code: error.code, command, args: [...args], ...(cwd !== undefined && { cwd: String(cwd) }) };
  return new ConnectionClosedError(`Cannot start the server ${what}: ${why}`, facts, { cause: error });
}
