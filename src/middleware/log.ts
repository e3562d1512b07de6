/**
 * One entry for each request: what was asked for, what came of it, how long it took. Never arguments, results or tokens,
 * which may be anybody's secrets (R21).
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { McpError } from "../jsonrpc/mcp-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import type { HandlerContext } from "../session/handler.ts";
import { nameIn, type AnyMiddleware } from "./any-middleware.ts";

/** One request that has ended. Holds no arguments, results or tokens (R21). */
export interface LogEntry {
  /** What was asked. */
  readonly method: string;
  /** The tool, prompt or resource. The client's or the server's words: escape them where that matters. */
  readonly name?: string;
  /** `failed`: a tool that said so; `asked`: the round ended with questions to the client. */
  readonly outcome: "ok" | "failed" | "asked" | "error";
  /** Of an error; absent for what is no `McpError`. */
  readonly code?: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** Where {@link log} writes. */
export interface LogOptions {
  /** Told of each request when it has ended. Default: a line on stderr. What it throws is ignored. */
  write?: (entry: LogEntry) => void;
  /** What the time goes by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
}

/** Tells of each request what it was, what came of it and how long it took: `server.use(log())`, `client.use(log())`. */
export function log({ write = writeLine, clock = systemClock }: LogOptions = {}): AnyMiddleware {
  return (next) => (context) => {
    const began = clock.now();
    const tell = (outcome: LogEntry["outcome"], code?: number): void => {
      const name = nameIn(context);
      const entry = { method: context.method, ...(name !== undefined && { name }), outcome, ...(code !== undefined && { code }) };
      try {
        write({ ...entry, ms: clock.now() - began });
      } catch {
        // A log that fails must not fail the request.
      }
    };
    const ended = (result: JsonObject): JsonObject => (tell(outcomeOf(result)), result);
    const failed = (error: unknown): never => {
      if (McpError.isMcpError(error)) tell("error", error.code);
      else tell(isToolFailure(context) ? "failed" : "error");
      throw error;
    };
    return run(() => next(context), ended, failed);
  };
}

function run(
  work: () => MaybePromise<JsonObject>,
  ended: (result: JsonObject) => JsonObject,
  failed: (error: unknown) => never,
): MaybePromise<JsonObject> {
  let result: MaybePromise<JsonObject>;
  try {
    result = work();
  } catch (error) {
    return failed(error);
  }
  return isPromise(result) ? result.then(ended, failed) : ended(result);
}

/** What a tool of this server throws becomes a result that says so. */
function isToolFailure(context: HandlerContext): boolean {
  return context.method === "tools/call" && !("options" in context);
}

function outcomeOf({ isError, resultType }: JsonObject): LogEntry["outcome"] {
  if (resultType === "input_required") return "asked";
  return isError === true ? "failed" : "ok";
}

function writeLine({ method, name, outcome, code, ms }: LogEntry): void {
  const what = name === undefined ? method : `${method} ${JSON.stringify(name)}`;
  // oxlint-disable-next-line no-console -- the default of an option: on stdio that is stderr
  console.error(`tenon: ${what} ${outcome}${code === undefined ? "" : ` ${code}`} ${ms.toFixed(1)} ms`);
}
