/**
 * How the command ends: its exit codes, its own errors, and how each kind of error is shown.
 *
 * A server's error keeps its code and message. Nothing here sends anything.
 */
import { AuthorizationError } from "tenon/auth";
import { isJsonObject, printableUrl } from "tenon/internal";
import { ErrorCode, McpError } from "tenon/client";
import type { ErrorData } from "tenon";
import { toCommandWords } from "./login/auth-words.ts";
import { systemReason } from "./connection/unreachable.ts";

/** The exit codes of `tenon`, as documented in `docs/tools/cli.md`. */
export const ExitCode = {
  Ok: 0,
  /** The server responded with an error, the tool failed, or the connection was lost in a call. */
  Failed: 1,
  /** The command was typed wrongly. */
  Usage: 2,
  CannotConnect: 3,
  /** The server requires a login that is missing, or refuses it. */
  NotAuthorized: 4,
  /** Ended by Ctrl-C. */
  Interrupted: 130,
} as const;

/** The command was typed wrongly. The message says what to type instead. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The named file cannot be served. The message says what to change in it. */
export class ServerFileError extends UsageError {
  override name = "ServerFileError";
}

export interface Diagnosis {
  /** The end of a sentence that begins with the server. */
  readonly problem: string;
  /** One sentence or two. */
  readonly remedy: string;
  /** What helps next: to log in, to look at each step of a login, or to connect again when the cause is mended. */
  readonly action: "login" | "examine" | "connect";
  /** The address that failed, if it is not the server's own. */
  readonly url?: string;
}

/** The server could not be started, or connecting to it failed. */
export class CannotConnectError extends Error {
  override name = "CannotConnectError";
  /** The end of the server's stderr. */
  readonly stderr: string;
  readonly diagnosis: Diagnosis | undefined;

  constructor(message: string, stderr: string, { diagnosis, ...options }: ErrorOptions & { diagnosis?: Diagnosis | undefined } = {}) {
    super(message, options);
    this.stderr = stderr;
    this.diagnosis = diagnosis;
  }
}

/** The command was ended by Ctrl-C or a signal. */
export class Interrupted extends Error {
  override name = "Interrupted";
  /** 128 plus the number of the signal, as shells expect it. */
  readonly exitCode: number;

  constructor(exitCode: number = ExitCode.Interrupted) {
    super("Interrupted");
    this.exitCode = exitCode;
  }
}

/** The server requires a login, which the user types as a command: the message says which. */
export class LoginCommandError extends AuthorizationError {
  override name = "LoginCommandError";

  /** @param problem what is wrong, as the end of a sentence that begins with the server @param scope the missing scopes */
  constructor(server: URL, problem: string, scope: readonly string[] = []) {
    const remedy = `Run: ${loginCommand(server, scope)}`;
    super({ hop: "authorization", url: server, problem, remedy });
    this.message = `${this.url} ${problem}. ${remedy}`;
  }
}

/** The command that logs in. Security: it leaves out the query, which may hold secrets. */
export function loginCommand(server: URL, scope: readonly string[] = []): string {
  const url = server.search === "" ? printableUrl(server) : "<url>";
  return `tenon login ${url}${scope.length === 0 ? "" : ` --scope "${scope.join(" ")}"`}`;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return ExitCode.Usage;
  if (error instanceof CannotConnectError) return ExitCode.CannotConnect;
  if (error instanceof AuthorizationError) return ExitCode.NotAuthorized;
  return error instanceof Interrupted ? error.exitCode : ExitCode.Failed;
}

export function toErrorData(error: unknown): ErrorData {
  if (error instanceof AuthorizationError) return authorizationData(error);
  if (McpError.isMcpError(error)) return withReason(error);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return { code: ErrorCode.InvalidParams, message };
  if (error instanceof CannotConnectError) {
    const { problem, remedy } = error.diagnosis ?? {};
    const data = { ...(problem && { problem }), ...(remedy && { remedy }), ...(error.stderr !== "" && { stderr: error.stderr }) };
    return { code: ErrorCode.ConnectionClosed, message, ...(Object.keys(data).length > 0 && { data }) };
  }
  return { code: ErrorCode.InternalError, message };
}

/** Adds the system's reason to an error about a lost connection. */
function withReason(error: McpError): ErrorData {
  const { message, ...rest } = error.toErrorData();
  const reason = systemReason(error);
  return { ...rest, message: reason === undefined ? message : `${message}: ${reason}` };
}

/** Rewrites an authorization error with the options of the command. */
function authorizationData(error: AuthorizationError): ErrorData {
  const { code, message, data } = error.toErrorData();
  const said = isJsonObject(data) ? { data: { ...data, remedy: toCommandWords(error.remedy) } } : {};
  return { code, message: toCommandWords(message), ...said };
}
