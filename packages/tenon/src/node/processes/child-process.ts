/**
 * Starts a server as a child process, for `connect({ command })`.
 *
 * It uses no shell, gives the process its own environment, and makes it the leader of its own process group.
 * `start-server.ts` starts the process, `child-server.ts` handles it while it runs.
 */
import { assertKnown } from "../../base/known-options.ts";
import {
  STDIO_SERVER_KEYS,
  type ServerProcess,
  type SpawnServerOptions,
  type StdioServerParameters,
} from "../../transport/stdio-server-parameters.ts";

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
  const { startServer } = await import("./start-server.ts");
  const server = await startServer(parameters, options);
  if (signal?.aborted) {
    await server.close(signal.reason);
    throw signal.reason;
  }
  return server;
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
