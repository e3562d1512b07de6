/** The source of one server's connections: a target that is opened for each attempt, or a session that the user lends. */
import { unlessAborted } from "../base/abort.ts";
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { connect } from "../client/connect.ts";
import { HTTP_SERVER_KEYS, type HttpClientLimits, type HttpServerParameters } from "../client/http/options.ts";
import type { ConnectOptions } from "../client/options.ts";
import type { ClientLimits } from "../client/session-options.ts";
import type { Target } from "../client/target.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import { isServable } from "../dispatch/acceptor.ts";
import { isSessionSource, closeSource, type SessionSource } from "../session/session-source.ts";
import { DEFAULT_START_TIMEOUT } from "../dispatch/limits.ts";
import { STDIO_SERVER_KEYS, type ProgramLimits, type StdioServerParameters } from "../transport/stdio-server-parameters.ts";
import { serverOptionKeys, type ServerOptions } from "./options.ts";
import type { GroupSession } from "./session.ts";

/** A target, or a function that makes one. The function is called for each attempt, so that a `Transport` can be opened again. */
export type TargetSource = Target | (() => MaybePromise<Target>);

/** A target, and the server's own options. */
export interface TargetEntry extends ServerOptions {
  /** What to connect to. */
  target: TargetSource;
}
/** A program to start, and the server's own options. */
export interface StdioEntry extends StdioServerParameters, ServerOptions {
  /** The type that configuration files use for a program. Optional. */
  type?: "stdio";
  /** What bounds the connection. Default: see each limit. */
  limits?: Partial<ProgramLimits & ClientLimits>;
}
/** A URL, and the server's own options. */
export interface HttpEntry extends HttpServerParameters, ServerOptions {
  /** `sse`: only the handshake of the stateful revisions is tried. Default: the revision is negotiated. */
  type?: "sse" | "http" | "streamableHttp" | "streamable-http";
  /** What bounds the connection. Default: see each limit. */
  limits?: Partial<HttpClientLimits & ClientLimits>;
}
/** A server in the configuration of a group. */
export type ServerEntry = TargetSource | TargetEntry | StdioEntry | HttpEntry;

/** Servers by their names in the group. */
export interface ServerEntries {
  readonly [name: string]: ServerEntry;
}

export interface ServerSource {
  readonly options: ServerOptions;
  /** Whether the group closes the sessions. */
  readonly owned: boolean;
  /** The server's name and version, if the caller gave them. */
  readonly info?: Implementation;
  /** Whether a user may have to log in while it connects. */
  readonly mayLogIn: boolean;
  /** Milliseconds a program has to start; 0 for other targets. */
  readonly startTimeout: number;
  /** Whether another attempt makes sense. */
  readonly reopens: () => boolean;
  readonly open: (options: ConnectOptions) => Promise<GroupSession>;
}

const TYPES: ReadonlySet<unknown> = new Set([undefined, "stdio", "sse", "http", "streamableHttp", "streamable-http"]);

/**
 * @param name the server's name in the group, for errors
 * @throws TypeError if the type of server is unknown, or an option does not exist
 */
export function sourceOf(entry: ServerEntry, name?: string): ServerSource {
  if (!isEntryObject(entry)) return fromTarget(entry, {});
  const what = name === undefined ? "the server" : `server "${name}"`;
  if ("target" in entry) {
    assertKnown(what, entry, { ...serverOptionKeys(), target: 1 });
    const { target, ...options } = entry;
    return fromTarget(target, options);
  }
  const { type } = entry;
  if (!TYPES.has(type)) throw new TypeError(`Option "type" of a server must be "stdio", "sse" or "http", not ${JSON.stringify(type)}`);
  assertKnown(what, entry, entryKeys("url" in entry ? HTTP_SERVER_KEYS : STDIO_SERVER_KEYS));
  if (!("url" in entry)) return fromTarget(...split<StdioServerParameters>(entry, STDIO_SERVER_KEYS));
  const [target, options] = split<HttpServerParameters>(entry, HTTP_SERVER_KEYS);
  return fromTarget(target, type === "sse" ? { revision: "stateful", ...options } : options);
}

/** The members of an entry with a `command` or a `url`, which has these keys. */
function entryKeys(keys: typeof STDIO_SERVER_KEYS | typeof HTTP_SERVER_KEYS): OptionKeys<StdioEntry> | OptionKeys<HttpEntry> {
  const common = serverOptionKeys();
  return { ...common, ...keys, type: 1, limits: { ...Object(common.limits), ...Object(keys.limits) } };
}

/** The limits of a target; all others are the connection's. */
const TARGET_LIMITS: ReadonlySet<string> = new Set([STDIO_SERVER_KEYS, HTTP_SERVER_KEYS].flatMap(({ limits }) => Object.keys(limits)));

/** Splits an entry into target and options, so that secrets of the target are not among the options. */
function split<Parameters extends object>(entry: Parameters & ServerOptions, names: OptionKeys<Parameters>): [Parameters, ServerOptions] {
  const { type: _, limits, ...members } = entry as Parameters & ServerOptions & { type?: unknown };
  const [target, options] = partition(members, (name) => Object.hasOwn(names, name));
  if (limits !== undefined) [target["limits"], options["limits"]] = partition(limits, (name) => TARGET_LIMITS.has(name));
  return [target as unknown as Parameters, options]; // its members, by their names
}

function partition(members: object, fits: (name: string) => boolean): [Record<string, unknown>, Record<string, unknown>] {
  const all = Object.entries(members);
  return [Object.fromEntries(all.filter(([name]) => fits(name))), Object.fromEntries(all.filter(([name]) => !fits(name)))];
}

/** The source of a session that the user opened. The group never closes it. */
export function borrowSession(info: Implementation, session: GroupSession): ServerSource {
  let ended = false;
  void session.closed.then(() => (ended = true));
  return { options: {}, owned: false, mayLogIn: false, startTimeout: 0, info, reopens: () => !ended, open: () => Promise.resolve(session) };
}

function isEntryObject(entry: ServerEntry): entry is TargetEntry | StdioEntry | HttpEntry {
  if (typeof entry !== "object" || entry instanceof URL || isServable(entry)) return false;
  return "target" in entry || "url" in entry || "command" in entry;
}

function fromTarget(target: TargetSource, options: ServerOptions): ServerSource {
  return {
    options,
    owned: true,
    mayLogIn: options.auth !== undefined || (typeof target === "object" && "auth" in target && target.auth !== undefined),
    startTimeout: startTimeoutOf(target),
    reopens: () => typeof target === "function" || !isConnection(target),
    open: (connecting) => (typeof target === "function" ? openMade(target, connecting) : connect(target, connecting)),
  };
}

/** A function may make any target, so its limit is `connectTimeout` alone. */
function startTimeoutOf(target: TargetSource): number {
  if (typeof target !== "object" || isServable(target) || !("command" in target)) return 0;
  return target.timeouts?.start ?? DEFAULT_START_TIMEOUT;
}

async function openMade(make: () => MaybePromise<Target>, options: ConnectOptions): Promise<GroupSession> {
  const target = await madeInTime(make, options.signal);
  try {
    return await connect(target, options);
  } catch (error) {
    // If connecting was abandoned before it began, nothing else closes the connection.
    if (isConnection(target)) await closeSource(target, error);
    throw error;
  }
}

/** The target that a function makes. One that comes after the signal has aborted is closed. @throws `signal.reason` */
async function madeInTime(make: () => MaybePromise<Target>, signal: AbortSignal | undefined): Promise<Target> {
  const making = Promise.resolve(make());
  if (signal === undefined) return making;
  try {
    return await unlessAborted(making, signal);
  } catch (error) {
    if (signal.aborted) making.then((late) => (isConnection(late) ? closeSource(late, error) : undefined)).catch(() => undefined);
    throw error;
  }
}

/** Whether a target is an existing connection, which cannot be opened twice. */
function isConnection(target: Target): target is SessionSource {
  return typeof target === "object" && !isServable(target) && isSessionSource(target);
}
