/** Starts servers that are programs, on platforms that have child processes. */
import type { OptionKeys } from "../../base/known-options.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { reportTo } from "../../base/report-to.ts";
import type { Dispatcher } from "../../dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../../dispatch/json-rpc-dispatcher.ts";
import { assertDuration } from "../../base/number-options.ts";
import { finishesWithin, systemClock } from "../../base/clock.ts";
import { DEFAULT_START_TIMEOUT } from "../../dispatch/limits.ts";
import { STDIO_SERVER_KEYS, type ServerProcess, type StdioServerParameters } from "../../transport/stdio-server-parameters.ts";
import { assertTarget } from "../assert-target.ts";
import type { Route } from "../route.ts";
import type { RestartOptions } from "./restart-pace.ts";
import { openRestarting } from "./restarting-dispatcher.ts";

/** A program to start. */
export interface ProgramParameters extends StdioServerParameters {
  /**
   * Whether the program is started again when it has ended (docs/clients/programs.md). Default false: the connection ends with it.
   * @throws RangeError (from `connect`) if a limit is out of range
   */
  restart?: boolean | RestartOptions;
}

const PROGRAM_KEYS: OptionKeys<ProgramParameters> = { ...STDIO_SERVER_KEYS, restart: { max: 1 } };

/**
 * @param skipsProbe whether to begin with the handshake. A program that ends at the probe is started again this way
 * @throws TypeError if an option does not exist
 */
export function routeToProgram(parameters: ProgramParameters, skipsProbe = false): Route {
  assertTarget("the target { command }", parameters, PROGRAM_KEYS);
  let program: ServerProcess | undefined;
  return {
    skipsProbe,
    open: (options, signal) => openProgram(parameters, options, signal, (started) => (program = started)),
    fallbackAfter: ({ closedByProbe, error }) =>
      closedByProbe && program !== undefined && mayHaveReadTheProbe(program, error) ? routeToProgram(parameters, true) : undefined,
  };
}

/** What old servers write when they end because of a request that they do not know. */
const NAMES_THE_PROBE =
  /initiali[sz]|server\/discover|json-?rpc|-326\d\d|(unknown|unexpected|unsupported|invalid) (method|message|request)|method not found/i;

/**
 * Whether a program may have ended because of the probe. One that fails at its start would only fail again: it has written nothing to
 * its stdout, its exit code or a signal says that something is wrong, and its stderr says nothing about the probe.
 */
function mayHaveReadTheProbe({ hasWritten, stderrTail }: ServerProcess, error: unknown): boolean {
  const facts = McpError.isMcpError(error) && isJsonObject(error.data) ? error.data : {};
  const isFailure = typeof facts["signal"] === "string" || (typeof facts["exitCode"] === "number" && facts["exitCode"] !== 0);
  if (hasWritten || !isFailure || NAMES_THE_PROBE.test(stderrTail)) return true;
  if (stderrTail.trim() === "") (error as Error).message += ' (if "server/discover" ends it, set the option "revision" to "stateful")'; // it has said nothing
  return false;
}

async function openProgram(
  { restart = false, ...parameters }: ProgramParameters,
  options: JsonRpcDispatcherOptions,
  signal: AbortSignal | undefined,
  onStart: (server: ServerProcess) => void,
): Promise<Dispatcher> {
  const { spawnServer } = await import("#child-process");
  const { onError = () => undefined } = options;
  const startTimeout = assertDuration("timeouts.start", parameters.timeouts?.start ?? DEFAULT_START_TIMEOUT);
  const dispatching = { ...options, onError: (error: Error) => void (isGarbage(error) || onError(error)) };
  const start = async (abandoned: AbortSignal | undefined): Promise<JsonRpcDispatcher> => {
    const server = await spawnServer(parameters, { onError, ...(abandoned && { signal: abandoned }) });
    onStart(server);
    const dispatcher = new JsonRpcDispatcher(server, dispatching);
    void dispatcher.pauses.during(waitForOutput(server, startTimeout, options));
    return dispatcher;
  };
  if (restart === false) return start(signal);
  return openRestarting(start, restart === true ? {} : restart, dispatching, signal);
}

/**
 * Waits until the program has written something, because a program that has written nothing may still be starting: `npx` may have
 * to download it.
 */
async function waitForOutput(server: ServerProcess, ms: number, options: JsonRpcDispatcherOptions): Promise<void> {
  const { clock = systemClock, onError } = options;
  if (await finishesWithin(clock, ms, server.started)) return;
  const message = `The server has written nothing to its stdout within ${ms} ms (option "timeouts.start"): it counts as started`;
  reportTo(onError, new McpError(ErrorCode.RequestTimeout, message, { timeoutMs: ms }));
}

/**
 * Whether the error is about a line that is not JSON. The process reports those itself, at a limited rate. An error that the
 * server sent has a cause.
 */
function isGarbage(error: Error): boolean {
  return McpError.isMcpError(error) && error.code === ErrorCode.ParseError && error.cause === undefined;
}
