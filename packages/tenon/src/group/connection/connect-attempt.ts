/** One attempt to connect to a server: the options of the connection, the time limit, and closing a session that opens too late. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { type Clock, MAX_TIMER_MS } from "../../base/clock.ts";
import type { ElicitResult } from "../../protocol/elicitation.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import type { CreateMessageResult, ListRootsResult } from "../../protocol/sampling.ts";
import type { Progress } from "../../dispatch/dispatcher.ts";
import { unlessAborted, LinkedAbort } from "../../base/abort.ts";
import type { ConnectOptions, ServerRequestContext } from "../../client/options.ts";
import type { OutgoingRequest } from "../../client/call/outgoing-request.ts";
import type { QuestionRelay } from "../../session/asking/questions/question-relay.ts";
import type { Middleware } from "../../session/handler.ts";
import type { CleanUp } from "../servers/clean-up.ts";
import type { GroupOptions, GroupTimes } from "../options.ts";
import type { GroupRequestContext, ServerOptions } from "../../upstream/options.ts";
import type { ToldRoots } from "../told-roots.ts";
import type { GroupSession } from "../../upstream/session.ts";
import type { ServerSource } from "../../upstream/entry.ts";

interface ConnectTarget {
  /** The server's name, which may be known only once it is connected. */
  readonly name: string;
  readonly source: ServerSource;
  readonly relay: QuestionRelay | undefined;
  report(error: unknown): void;
}

/** The group's options, times and clock. */
interface ConnectTerms {
  readonly options: GroupOptions;
  readonly times: GroupTimes;
  readonly toldRoots: ToldRoots;
  readonly clock: Clock;
}

interface TimeLimit {
  /** Milliseconds in addition to `connectTimeout`. Default 0. */
  readonly more?: number;
  /** Signals that end the work earlier. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** The time limit of connecting to a server, or of listing its components again. */
export function deadlineOf(to: ConnectTarget, { times, clock }: ConnectTerms, { more = 0, signals }: TimeLimit): Deadline {
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

/** Opens a session. @throws the reason of the failure; `signal.reason` */
export async function openSession(to: ConnectTarget, terms: ConnectTerms, { signal, cleanUp }: Abandonable): Promise<GroupSession> {
  const { source } = to;
  const opening = source.open({ ...connectOptions(to, terms), signal });
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    if (source.owned) cleanUp.add(opening.then((late) => late.close()).catch(() => undefined)); // it failed too
    throw error;
  }
}

/** The options of one server's connection: the group's options, replaced by the server's own, and callbacks that get the server's name. */
function connectOptions(to: ConnectTarget, { options: group, toldRoots }: ConnectTerms): ConnectOptions {
  // What says nothing of one connection is taken off.
  const { stack: _stack, nameHook: _hook, onServerError: _onError, onChange: _onChange, ...named } = { ...group, ...to.source.options };
  const { readyTimeout: _ready, connectTimeout: _connect, pinTools: _pins, reconnect: _reconnect, ...options } = named;
  const { onElicit, onSample, roots, onLog, onMessage, onDeviation, ...rest } = options;
  const { maxServers: _servers, maxTools: _tools, maxListItems: _items, maxDefinitionSize: _size, ...shared } = group.limits ?? {};
  const report = (error: unknown): void => to.report(error);
  return {
    ...rest,
    ...(rest.middleware && { middleware: [withServerName(() => to.name), ...rest.middleware] }),
    limits: { ...shared, ...to.source.options.limits },
    ...callbacksOf(to, toldRoots, { onElicit, onSample, roots, onLog, onMessage, onDeviation }),
    onError: report,
  };
}

/** Middleware of the group runs for each of its servers, so it reads in the request which one is called. */
function withServerName(server: () => string): Middleware<OutgoingRequest> {
  return (next) => (request) => next({ ...request, server: server() });
}

type CallbackName = "onElicit" | "onSample" | "roots" | "onLog" | "onMessage" | "onDeviation";

/**
 * The callbacks of a group for one connection. Those for questions are called if the client of a forwarded call cannot answer, and get the
 * server's name.
 */
function callbacksOf(
  to: ConnectTarget,
  toldRoots: ToldRoots,
  { onElicit, onSample, roots, onLog, onMessage, onDeviation }: { readonly [Name in CallbackName]: ServerOptions[Name] },
): Pick<ConnectOptions, CallbackName> {
  const from = (context: ServerRequestContext): GroupRequestContext => ({ ...context, server: to.name });
  const passOn = <Answer>(context: ServerRequestContext, question: InputRequest): Promise<Answer> | undefined => {
    const relay = context.asked === "result" ? context.relay : to.relay;
    const { meta, progress } = context;
    const onProgress =
      meta?.progressToken === undefined ? undefined : (step: Progress) => void progress(step.progress, step.total, step.message);
    return relay?.ask(question, onProgress) as Promise<Answer> | undefined; // checked by the codec of that client
  };
  return {
    ...(onElicit && {
      onElicit: (params, context) =>
        passOn<ElicitResult>(context, { method: "elicitation/create", params }) ?? onElicit(params, from(context)),
    }),
    ...(onSample && {
      onSample: (params, context) =>
        passOn<CreateMessageResult>(context, { method: "sampling/createMessage", params }) ?? onSample(params, from(context)),
    }),
    ...(roots && {
      roots: async (context) =>
        (await passOn<ListRootsResult>(context, { method: "roots/list" }))?.roots ??
        (await toldRoots.ask(context.signal)) ??
        (typeof roots === "function" ? roots(from(context)) : roots),
    }),
    ...(onLog && { onLog: (message) => onLog(message, to.name) }),
    ...(onMessage && { onMessage: (message) => onMessage(message, to.name) }),
    ...(onDeviation && { onDeviation: (deviation) => onDeviation(deviation, to.name) }),
  };
}

interface DeadlineOptions {
  /** Milliseconds; `Infinity` for no limit. */
  readonly ms: number;
  /** Makes the reason of the abort after that time. */
  readonly late: () => Error;
  /** Signals that the deadline follows. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** Aborts after a time, or when one of the given signals aborts. */
class Deadline {
  readonly #abort: LinkedAbort;
  readonly #clock: Clock;
  readonly #timer: unknown;

  constructor(clock: Clock, { ms, late, signals }: DeadlineOptions) {
    this.#abort = new LinkedAbort(...signals);
    this.#clock = clock;
    this.#timer = ms === Infinity ? undefined : clock.setTimer(Math.min(ms, MAX_TIMER_MS), () => this.#abort.abort(late()));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Removes the timer and all listeners. Call it when the work is done. */
  clear(): void {
    this.#abort.unlink();
    this.#clock.clearTimer(this.#timer);
  }
}
