/**
 * What is wrong with a server that cannot be used, and what to do about it: one wording for `list`, `call` and the other commands,
 * `doctor`, `inspect` and `gateway check`. What only more requests can tell is in `doctor/url-fault.ts`.
 */
import { HttpStatusError, McpError, RequestTimeoutError } from "tenon/client";
import { describeProxy, proxyOf, usesProxies } from "tenon/internal";
import type { Diagnosis } from "../failure.ts";
import { explainUnreachable, innermostReason, systemReason } from "./unreachable.ts";

/** Milliseconds for a server at a URL to answer, unless `--timeout` says otherwise. */
export const ANSWER_TIMEOUT = 10_000;

/** Whether nothing came in time. */
export function isSilence(error: unknown): boolean {
  return error instanceof RequestTimeoutError || (error instanceof Error && error.name === "TimeoutError");
}

/**
 * The diagnosis of a server at a URL that sent no response of its own: it is down, silent, not trusted, elsewhere, or behind a proxy.
 * @param timeout milliseconds that it had
 */
export function diagnoseUnreachable(error: unknown, server: URL, timeout: number): Diagnosis {
  const action = "connect";
  const moved = error instanceof HttpStatusError ? / redirects \((\d+)\) to (\S+)/.exec(error.message) : null;
  if (moved !== null)
    return { problem: `it redirects (${moved[1]}) to ${moved[2]}`, remedy: "Use that URL, if it is the server you mean.", action };
  const proxy = usesProxies() ? proxyOf(server) : undefined;
  const via = proxy === undefined ? "" : `, through ${describeProxy(proxy)}`;
  const problem = proxyReason(error) ?? `${reasonOf(error, timeout)}${via}`;
  if (problem.includes("certificate"))
    return {
      problem,
      remedy: "Use a certificate that is trusted, or trust its authority: NODE_EXTRA_CA_CERTS=<file of its certificate>.",
      action,
    };
  const remedy =
    proxy === undefined
      ? "Check the URL, whether the server runs, and the network between (HTTPS_PROXY for a proxy, a firewall, a VPN)."
      : `Check the URL and the proxy; NO_PROXY=${server.hostname} goes past it.`;
  return { problem, remedy, action };
}

function proxyReason(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && cause.code === "ERR_PROXY_TUNNEL") return cause.message;
  return undefined;
}

function reasonOf(error: unknown, timeout: number): string {
  if (isSilence(error)) return `no response within ${error instanceof RequestTimeoutError ? error.timeoutMs : timeout} ms`;
  return systemReason(error) ?? innermostReason(error) ?? (error instanceof Error ? error.message : "no answer");
}

/** The diagnosis of a program that did not start, or ended before it answered; undefined for another failure. */
export function diagnoseProgram(error: unknown): Diagnosis | undefined {
  const data: unknown = McpError.isMcpError(error) ? error.data : undefined;
  const { code, exitCode } = (data ?? {}) as { code?: unknown; exitCode?: unknown }; // both are checked here
  const action = "connect";
  if (typeof code === "string")
    return {
      problem: explainUnreachable(error).replace(/^Cannot connect: /, ""),
      remedy: "Check the command, and where it is to be found.",
      action,
    };
  if (typeof exitCode !== "number") return undefined;
  // Code 2 says that it was started wrongly, for example `tenon run` with a file that exports no server: no variable would help.
  const mayLackVariable = exitCode !== 2;
  const remedy = mayLackVariable
    ? "See what it wrote to stderr; a variable that it needs is given with --env, or as env in a configuration file."
    : "See what it wrote to stderr.";
  return { problem: `it ended at once, with code ${exitCode}`, remedy, action };
}

/** The diagnosis of a program that runs and says nothing. @param timeout milliseconds that it had */
export function diagnoseSilentProgram(timeout: number): Diagnosis {
  return {
    problem: `it says nothing: no response within ${timeout} ms`,
    remedy:
      "Check that it serves MCP on stdin and stdout; some do so only with an argument of their own. --timeout and --start-timeout give it longer.",
    action: "connect",
  };
}

/** A diagnosis in one line: `http://127.0.0.1:1/mcp: nothing listens there`. The server is left out if the problem names it. */
export function problemLine(server: string, { problem }: Diagnosis): string {
  return problem.includes(server) ? `Cannot connect: ${problem}` : `Cannot connect to ${server}: ${problem}`;
}
