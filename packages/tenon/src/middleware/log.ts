/** Writes one entry for each request: its method, outcome and duration. Never arguments, results or tokens, because they may be secret. */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { attempt, settle } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { McpError } from "../jsonrpc/mcp-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { workerHost } from "../base/worker-host.ts";
import type { HandlerContext } from "../session/handler.ts";
import { isOutgoing, nameIn, type AnyMiddleware } from "./any-middleware.ts";

/** One request that has ended, without arguments, results and tokens. */
export interface LogEntry {
  /** The method of the request. */
  readonly method: string;
  /** The tool, prompt or resource. Security: the peer chooses it. Escape it if your log needs that. */
  readonly name?: string;
  /** `failed`: the tool returned an error; `asked`: the round ended with questions to the client. */
  readonly outcome: "ok" | "failed" | "asked" | "error";
  /** The code of an error; absent if it is not an `McpError`. */
  readonly code?: number;
  /** The duration in milliseconds. */
  readonly ms: number;
  /** The number of the worker that ran it, if the program is served by several (`workers` of `serveHttp`). */
  readonly worker?: number;
}

/** Where {@link log} writes. */
export interface LogOptions {
  /** Receives the entry of each request when it ends. Default: writes a line to stderr. What it throws or rejects with is ignored. */
  write?: (entry: LogEntry) => void;
  /** The clock. Default: the system's. Tests pass a virtual clock. */
  clock?: Clock;
}

const LOG_OPTIONS: OptionKeys<LogOptions> = { write: 1, clock: 1 };

/** Logs the method, outcome and duration of each request: `server.use(log())`, `client.use(log())`. */
export function log(options: LogOptions = {}): AnyMiddleware {
  assertKnown("log()", options, LOG_OPTIONS);
  const { write = writeLine, clock = systemClock } = options;
  return (next) => (context) => {
    const began = clock.now();
    const tell = (outcome: LogEntry["outcome"], code?: number): void => {
      const name = nameIn(context);
      const entry = { method: context.method, ...(name !== undefined && { name }), outcome, ...(code !== undefined && { code }) };
      const worker = workerHost()?.number;
      const timed = { ...entry, ms: clock.now() - began, ...(worker !== undefined && { worker }) };
      void attempt(
        () => write(timed),
        () => undefined, // a log that fails must not fail the request
      );
    };
    const ended = (result: JsonObject): JsonObject => (tell(outcomeOf(result)), result);
    const failed = (error: unknown): never => {
      if (McpError.isMcpError(error)) tell("error", error.code);
      else tell(isToolFailure(context) ? "failed" : "error");
      throw error;
    };
    return settle(() => next(context), ended, failed);
  };
}

/** An error of a tool on a server becomes a result with `isError`. */
function isToolFailure(context: HandlerContext): boolean {
  return context.method === "tools/call" && !isOutgoing(context);
}

function outcomeOf({ isError, resultType }: JsonObject): LogEntry["outcome"] {
  if (resultType === "input_required") return "asked";
  return isError === true ? "failed" : "ok";
}

function writeLine({ method, name, outcome, code, ms, worker }: LogEntry): void {
  const where = worker === undefined ? "" : ` worker ${worker}:`;
  const what = name === undefined ? method : `${method} ${JSON.stringify(name)}`;
  // oxlint-disable-next-line no-console -- the default of an option: on stdio that is stderr
  console.error(`tenon:${where} ${what} ${outcome}${code === undefined ? "" : ` ${code}`} ${ms.toFixed(1)} ms`);
}
