/**
 * Starts a server as a child process, for `connect({ command })`.
 *
 * It uses no shell, gives the process its own environment, and makes it the leader of its own process group.
 * `child-server.ts` handles the running process.
 */
import { existsSync } from "node:fs";
import type { ChildProcess, spawn as nodeSpawn, SpawnOptions } from "node:child_process";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import { assertKnown } from "../../base/known-options.ts";
import { reportTo } from "../../base/report-to.ts";
import {
  STDIO_SERVER_KEYS,
  type ServerProcess,
  type SpawnServerOptions,
  type StdioServerParameters,
} from "../../transport/stdio-server-parameters.ts";
import { environmentOf } from "./child-environment.ts";
import type { PipedChild } from "./child-server.ts";
import { isWindows } from "../windows.ts";

/**
 * Starts `parameters.command` and resolves once it runs.
 *
 * @throws ConnectionClosedError if it cannot be started; `data` is `{ code, command, args, cwd }`, never the environment
 * @throws TypeError if one of its strings contains a NUL character
 * @throws `signal.reason`; then the process is ended
 */
export async function spawnServer(parameters: StdioServerParameters, options: SpawnServerOptions = {}): Promise<ServerProcess> {
  const { signal } = options;
  assertKnown("spawnServer()", parameters, { ...STDIO_SERVER_KEYS, type: 1 });
  assertKnown("spawnServer()", options, { signal: 1, onError: 1 });
  signal?.throwIfAborted();
  assertCommand(parameters);
  assertNoNul(parameters);
  // Loaded here, because most programs that import Tenon start no server.
  const [spawn, { ChildServer }] = await Promise.all([loadSpawn(), import("./child-server.ts")]);
  signal?.throwIfAborted();
  const child = spawn(parameters.command, [...(parameters.args ?? [])], toSpawnOptions(parameters));
  await waitForStart(child, parameters);
  const server = new ChildServer(child as PipedChild, parameters, (error) => reportTo(options.onError, error)); // a started process has a pid
  if (signal?.aborted) {
    await server.close(signal.reason);
    throw signal.reason;
  }
  return server;
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

/** A program without types, or an entry of a file, may have anything. @throws TypeError */
function assertCommand({ command, args = [] }: StdioServerParameters): void {
  if (typeof command !== "string" || command === "")
    throw new TypeError(
      `The "command" of a server must be the name or the path of a program, such as "npx", not ${JSON.stringify(command)}`,
    );
  if (!Array.isArray(args) || args.some((word) => typeof word !== "string"))
    throw new TypeError('The "args" of a server must be a list of texts: ["tenon", "run", "server.ts"]');
}

/** Checks for NUL characters, because Node's own error would show the value of an environment variable. */
function assertNoNul({ command, args = [], env = {}, cwd = "" }: StdioServerParameters): void {
  const strings: Record<string, readonly string[]> = { command: [command], args, cwd: [String(cwd)], env: Object.entries(env).flat() };
  for (const [name, values] of Object.entries(strings)) {
    if (values.some((value) => value.includes("\0"))) throw new TypeError(`"${name}" of a stdio server must not contain a NUL character`);
  }
}
