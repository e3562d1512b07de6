/**
 * One attempt to connect to a server: the options of the connection, the time limit, and closing a session that opens too late.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Clock } from "../../base/clock.ts";
import { unlessAborted } from "../../base/abort.ts";
import type { ConnectOptions, ServerRequestContext } from "../../client/options.ts";
import type { CleanUp } from "../servers/clean-up.ts";
import { Deadline } from "../deadline.ts";
import type { GroupTimes } from "../limits.ts";
import type { GroupOptions, GroupRequestContext, ServerOptions } from "../options.ts";
import type { GroupSession } from "../group-session.ts";
import type { ServerSource } from "../servers/server-source.ts";

/** The server to connect to. */
interface Attempted {
  /** May be known only once it is connected. */
  readonly name: string;
  readonly source: ServerSource;
  report(error: unknown): void;
}

/** How the group connects to its servers. */
interface Terms {
  readonly options: GroupOptions;
  readonly times: GroupTimes;
  readonly clock: Clock;
}

interface TimeLimit {
  /** Milliseconds beside `connectTimeout`. Default 0. */
  readonly more?: number;
  /** What ends the work before the time is over. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** The time limit of connecting to a server, or of listing what it offers again. */
export function deadlineOf(to: Attempted, { times, clock }: Terms, { more = 0, signals }: TimeLimit): Deadline {
  const ms = (to.source.options.connectTimeout ?? times.connectTimeout) + more;
  const late = (): Error => {
    const message = `Server "${to.name}" did not answer within ${ms} ms (option "connectTimeout")`;
    return new McpError(ErrorCode.RequestTimeout, message, { server: to.name, timeoutMs: ms });
  };
  return new Deadline(clock, { ms, late, signals });
}

interface Abandonable {
  readonly signal: AbortSignal;
  /** Closes a session that opens after the signal has aborted. */
  readonly cleanUp: CleanUp;
}

/** Opens a session, until the signal aborts. @throws why it failed; `signal.reason` */
export async function openSession(to: Attempted, { options }: Terms, { signal, cleanUp }: Abandonable): Promise<GroupSession> {
  const { source } = to;
  const opening = source.open({ ...connectOptions(to, options), signal });
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    if (source.owned) cleanUp.add(opening.then((late) => late.close()).catch(() => undefined)); // it failed, as expected
    throw error;
  }
}

/** The options of one server's connection: the group's, the server's own over them, and callbacks that are told which server asks. */
function connectOptions(to: Attempted, group: GroupOptions): ConnectOptions {
  const { stack: _, nameHook: __, onServerError: ___, onChange: ____, ...options } = { ...group, ...to.source.options };
  const { onElicit, onSample, roots, onLog, onMessage, ...rest } = options;
  const { maxServers: _a, maxTools: _b, maxListItems: _c, maxDefinitionSize: _d, ...shared } = group.limits ?? {};
  const report = (error: unknown): void => to.report(error);
  return {
    ...rest,
    limits: { ...shared, ...to.source.options.limits },
    ...tellingWhoAsks({ onElicit, onSample, roots, onLog, onMessage }, () => to.name),
    onError: report,
    skipMalformedItems: true,
  };
}

type Callbacks = "onElicit" | "onSample" | "roots" | "onLog" | "onMessage";

/** Callbacks of a group as one connection calls them. */
function tellingWhoAsks(
  { onElicit, onSample, roots, onLog, onMessage }: { readonly [Name in Callbacks]: ServerOptions[Name] },
  server: () => string,
): Pick<ConnectOptions, Callbacks> {
  const from = (context: ServerRequestContext): GroupRequestContext => ({ ...context, server: server() });
  return {
    ...(onElicit && { onElicit: (params, context) => onElicit(params, from(context)) }),
    ...(onSample && { onSample: (params, context) => onSample(params, from(context)) }),
    ...(roots && { roots: typeof roots === "function" ? (context) => roots(from(context)) : roots }),
    ...(onLog && { onLog: (message) => onLog(message, server()) }),
    ...(onMessage && { onMessage: (message) => onMessage(message, server()) }),
  };
}
