/** Servers that are programs: starts them, on a platform that has child processes. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Dispatcher } from "../../dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../../dispatch/json-rpc-dispatcher.ts";
import type { StdioServerParameters } from "../../transport/stdio-server-parameters.ts";
import type { Route } from "../route.ts";
import type { RestartOptions } from "./restart-pace.ts";
import { openRestarting } from "./restarting-dispatcher.ts";

/** A program to start. */
export interface ProgramParameters extends StdioServerParameters {
  /**
   * Whether the program is started again when it has ended (docs/clients/programs.md). Default false: its end is the client's.
   * @throws RangeError (from `connect`) if a limit is out of range
   */
  restart?: boolean | RestartOptions;
}

/** @param skipsProbe a program that ends when it is asked for its revision is started again and not asked */
export function routeToProgram(parameters: ProgramParameters, skipsProbe = false): Route {
  return {
    skipsProbe,
    open: (options, signal) => openProgram(parameters, options, signal),
    fallbackAfter: ({ closedByProbe }) => (closedByProbe ? routeToProgram(parameters, true) : undefined),
  };
}

async function openProgram(
  { restart = false, ...parameters }: ProgramParameters,
  options: JsonRpcDispatcherOptions,
  signal: AbortSignal | undefined,
): Promise<Dispatcher> {
  const { spawnServer } = await import("#child-process");
  const { onError = () => undefined } = options;
  const dispatching = { ...options, onError: (error: Error) => void (isGarbage(error) || onError(error)) };
  const start = async (abandoned: AbortSignal | undefined): Promise<JsonRpcDispatcher> =>
    new JsonRpcDispatcher(await spawnServer(parameters, { onError, ...(abandoned && { signal: abandoned }) }), dispatching);
  if (restart === false) return start(signal);
  return openRestarting(start, restart === true ? {} : restart, dispatching, signal);
}

/** A line that is not JSON: the process reports those itself, with a sample and within a rate. An error that the server sent has a cause. */
function isGarbage(error: Error): boolean {
  return McpError.isMcpError(error) && error.code === ErrorCode.ParseError && error.cause === undefined;
}
