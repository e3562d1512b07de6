/**
 * The connection of a command: opened for it, and closed after it in any case.
 *
 * The user answers questions of the server. The command has no sampling and no roots.
 */
import { type AuthProvider, AuthorizationError } from "tenon/auth";
import { type Client, type ConnectOptions, connect } from "tenon/client";
import { cleanLine, DEFAULT_PROBE_TIMEOUT, printableUrl, promptAtTerminal, TerminalQuestions } from "tenon/internal";
import type { LoggingMessageNotificationParams } from "tenon";
import { ANSWER_TIMEOUT, problemLine } from "./diagnosis.ts";
import { diagnose } from "../doctor/diagnose.ts";
import { ErrorNotes } from "./error-notes.ts";
import { CannotConnectError, LoginCommandError, UsageError } from "../failure.ts";
import {
  DEFAULT_TIMEOUT,
  environmentOf,
  headersOf,
  programTimesOf,
  revisionOf,
  timeoutOf,
  type Invocation,
  type OptionValues,
  type ProgramTimes,
} from "../invocation.ts";
import { ServerOutput } from "./server-output.ts";
import { meantFile, type ServerCommand, type ServerUrl } from "./target.ts";
import { serverOf } from "./typed-server.ts";
import type { Shell } from "../shell.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { explainUnreachable } from "./unreachable.ts";
import { clientInfo } from "../version.ts";

/**
 * Connects to the server that was typed, and runs `use` with the client and the other positions.
 * @param names the names of the other positions, in order
 * @param callbacks instead of those that show log messages
 * @throws UsageError, CannotConnectError, Interrupted, and what `use` throws
 */
export async function withServer<T>(
  invocation: Invocation,
  names: readonly string[],
  use: (client: Client, ...rest: string[]) => Promise<T>,
  callbacks: Pick<ConnectOptions, "onLog"> = {},
): Promise<T> {
  const { server, rest, values } = await serverOf(invocation, names);
  const complaints = new ErrorNotes(invocation.terminal);
  try {
    const client = await open(server, { ...invocation, values }, { complaints, callbacks });
    try {
      return await use(client, ...rest);
    } finally {
      invocation.terminal.clearProgress();
      await client.close();
    }
  } finally {
    complaints.end();
  }
}

interface Listeners {
  readonly complaints: ErrorNotes;
  readonly callbacks: Pick<ConnectOptions, "onLog">;
}

async function open(server: ServerCommand | ServerUrl, invocation: Invocation, { complaints, callbacks }: Listeners): Promise<Client> {
  const { values, shell, terminal, signal } = invocation;
  assertFitting(server, values);
  const times = "url" in server ? urlTimesOf(values) : programTimesOf(values);
  const env = environmentOf(values, shell.env);
  const headers = headersOf(values);
  const output = new ServerOutput(terminal, values.quiet);
  const questions = new TerminalQuestions(terminal, promptAtTerminal(shell));
  const expired = AbortSignal.timeout(times.total);
  const options = { ...(await optionsFor(invocation, times)), onElicit: questions.answer, onError: complaints.add, ...callbacks };
  try {
    const auth = "url" in server ? await credentialsFor(new URL(server.url), headers, shell) : undefined;
    const target =
      "url" in server ? { ...server, headers } : { cwd: shell.cwd, ...server, env, stderr: output, timeouts: { start: times.start } };
    const client = await connect(target, { ...options, ...(auth && { auth }), signal: AbortSignal.any([signal, expired]) });
    output.connected();
    questions.server = client.serverInfo?.name ?? questions.server;
    return client;
  } catch (error) {
    signal.throwIfAborted();
    throw await cannotConnect(error, { server, invocation, timeout: times.total, stderr: output.end() });
  }
}

function urlTimesOf(values: OptionValues): ProgramTimes {
  const timeout = timeoutOf(values);
  return { timeout: timeout ?? DEFAULT_TIMEOUT, start: 0, total: timeout ?? ANSWER_TIMEOUT };
}

/** @throws UsageError if an option is for another kind of server and would have no effect */
export function assertFitting(server: ServerCommand | ServerUrl, { env, header, "start-timeout": start }: OptionValues): void {
  if ("url" in server && start !== undefined)
    throw new UsageError("--start-timeout is for a server that is started here: this one is a URL.");
  if ("url" in server && env !== undefined)
    throw new UsageError("--env is for a server that is started here: this one is a URL. Its own environment is where it runs.");
  if (!("url" in server) && header !== undefined)
    throw new UsageError("--header is for a server that is a URL: a program is given what it needs with --env.");
}

async function optionsFor({ values, terminal }: Invocation, times: ProgramTimes): Promise<ConnectOptions> {
  const revision = revisionOf(values);
  const { tasks } = await import("tenon/ext/tasks");
  return {
    ...(revision && { revision }),
    timeout: times.timeout,
    // A server that ignores the probe must have time left for the handshake.
    probeTimeout: Math.min(DEFAULT_PROBE_TIMEOUT, (times.total - times.start) / 2),
    clientInfo: clientInfo(),
    extensions: [tasks()],
    logLevel: "info",
    onLog: (message) => (values.quiet === true ? undefined : showLog(terminal, message)),
  };
}

/** The credentials that `tenon login` has stored for a server; undefined if credentials were typed, or must not be sent. */
export async function credentialsFor(
  server: URL,
  headers: Readonly<Record<string, string>>,
  shell: Shell,
): Promise<AuthProvider | undefined> {
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  const { Logins, canReceiveCredentials } = await import("../login/logins.ts");
  if (isGiven || !canReceiveCredentials(server)) return undefined;
  const { storedCredentials } = await import("../login/stored-credentials.ts");
  server.hash = "";
  const logins = new Logins(shell);
  return storedCredentials(logins, server, await logins.settings(server));
}

interface Attempt {
  readonly server: ServerCommand | ServerUrl;
  readonly invocation: Invocation;
  /** Milliseconds that connecting had. */
  readonly timeout: number;
  readonly stderr: string;
}

/** What a user knows a program by: the file, if the command serves it. */
function programName({ command, args }: ServerCommand): string {
  return command === process.execPath && args[1] === "run" ? args[2]! : command;
}

async function cannotConnect(error: unknown, attempt: Attempt): Promise<unknown> {
  const { server, invocation, stderr, timeout } = attempt;
  if (error instanceof AuthorizationError && !(error instanceof LoginCommandError)) return error;
  const diagnosis = await diagnose(error, "url" in server ? new URL(server.url) : "program", invocation, timeout);
  const where = "url" in server ? printableUrl(new URL(server.url)) : programName(server);
  if (!(error instanceof LoginCommandError)) {
    const message = diagnosis === undefined ? explainUnreachable(error) : problemLine(where, diagnosis);
    return new CannotConnectError(message + meant(error, attempt), stderr, { cause: error, diagnosis });
  }
  if (diagnosis === undefined || diagnosis.action !== "examine") return error;
  const { problem, remedy, url = where } = diagnosis;
  return new AuthorizationError({ hop: "authorization", url, problem, remedy, cause: error });
}

/** The file that may be meant, after a command that is not there. */
function meant(error: unknown, { server, invocation: { shell } }: Attempt): string {
  return "command" in server && explainUnreachable(error).includes("No such command") ? meantFile(server.command, shell.cwd) : "";
}

function showLog(terminal: Terminal, { level, logger, data }: LoggingMessageNotificationParams): void {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const severe = level !== "debug" && level !== "info" && level !== "notice";
  terminal.note(
    `${terminal.paintNote(severe ? "yellow" : "cyan", `[${level}]`)} ${logger === undefined ? "" : `${cleanLine(logger)}: `}${cleanLine(text)}`,
  );
}
