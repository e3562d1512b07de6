/**
 * How the command ends: its exit codes, the failures that are its own, and what each kind of failure becomes.
 *
 * What a server answered keeps its code and message; nothing here talks to anybody.
 */
import { AuthorizationError, printableUrl } from "../auth/authorization-error.ts";
import { ErrorCode, McpError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { toCommandWords } from "./login/auth-words.ts";
import { systemReason } from "./connection/unreachable.ts";

/** The exit codes of `tenon`, as documented in `docs/tools/cli.md`. */
export const ExitCode = {
  Ok: 0,
  /** The server answered with an error, the tool failed, or the connection was lost in a call. */
  Failed: 1,
  /** What was typed cannot be done. */
  Usage: 2,
  /** There is no server to talk to. */
  CannotConnect: 3,
  /** The server wants a login that there is none of, or does not take it. */
  NotAuthorized: 4,
  /** Ended by Ctrl-C. */
  Interrupted: 130,
} as const;

/** What was typed cannot be done; the message says what to type instead. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The file that was named cannot be served; the message says what to change in it. */
export class ServerFileError extends UsageError {
  override name = "ServerFileError";
}

/** The server could not be started or did not open a conversation. */
export class CannotConnectError extends Error {
  override name = "CannotConnectError";
  /** The last of what the server wrote to its error output. */
  readonly stderr: string;

  constructor(message: string, stderr: string, options?: ErrorOptions) {
    super(message, options);
    this.stderr = stderr;
  }
}

/** Ctrl-C, or a request of the system to end. */
export class Interrupted extends Error {
  override name = "Interrupted";
  /** 128 and the number of the signal, as shells expect it. */
  readonly exitCode: number;

  constructor(exitCode: number = ExitCode.Interrupted) {
    super("Interrupted");
    this.exitCode = exitCode;
  }
}

/** A server wants the user to log in. The message says what to type. */
export class LoginNeededError extends AuthorizationError {
  override name = "LoginNeededError";

  /** @param problem what is wrong, as the end of a sentence that begins with the server @param scope what is missing */
  constructor(server: URL, problem: string, scope: readonly string[] = []) {
    const remedy = `Run: ${loginCommand(server, scope)}`;
    super({ hop: "authorization", url: server, problem, remedy });
    this.message = `${this.url} ${problem}. ${remedy}`;
  }
}

/** What to type. A query is not repeated: it may hold secrets. */
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

/** The failure as `--json` shows it. */
export function toErrorData(error: unknown): ErrorData {
  if (error instanceof AuthorizationError) return authorizationData(error);
  if (McpError.isMcpError(error)) return withReason(error);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return { code: ErrorCode.InvalidParams, message };
  if (error instanceof CannotConnectError) {
    return { code: ErrorCode.ConnectionClosed, message, ...(error.stderr !== "" && { data: { stderr: error.stderr } }) };
  }
  return { code: ErrorCode.InternalError, message };
}

/** A connection that was lost in a call: how, where the system says so. */
function withReason(error: McpError): ErrorData {
  const { message, ...rest } = error.toErrorData();
  const reason = systemReason(error);
  return { ...rest, message: reason === undefined ? message : `${message}: ${reason}` };
}

/** In the words of the command, whose options are not those of the library. */
function authorizationData(error: AuthorizationError): ErrorData {
  const { code, message, data } = error.toErrorData();
  const said = isJsonObject(data) ? { data: { ...data, remedy: toCommandWords(error.remedy) } } : {};
  return { code, message: toCommandWords(message), ...said };
}
