/**
 * What is wrong with a server that could not be connected to: for commands, for the page of `tenon inspect` and for `tenon gateway check`.
 *
 * The steps of `tenon doctor` are loaded only if the error does not say enough.
 */
import { ErrorCode, HttpStatusError, McpError } from "tenon/client";
import { diagnoseProgram, diagnoseSilentProgram, diagnoseUnreachable, isSilence } from "../connection/diagnosis.ts";
import { explainUnreachable } from "../connection/unreachable.ts";
import type { Diagnosis } from "../failure.ts";
import { headersOf, type Invocation } from "../invocation.ts";

/**
 * The diagnosis of a server that was asked and failed. What only more requests can tell is looked up within the time of `invocation`,
 * unless the server is silent; a header that was typed is not judged, because what it should hold is not known here.
 * @param timeout milliseconds that the server had
 * @returns undefined if nothing more is known than the error says
 */
export async function diagnose(
  error: unknown,
  server: URL | "program",
  invocation: Omit<Invocation, "terminal">,
  timeout: number,
): Promise<Diagnosis | undefined> {
  if (server === "program") return diagnoseProgram(error) ?? (isSilence(error) ? diagnoseSilentProgram(timeout) : undefined);
  if (isSilence(error)) return diagnoseUnreachable(error, server, timeout);
  const isTyped = Object.keys(headersOf(invocation.values)).some((name) => name.toLowerCase() === "authorization");
  if (isTyped && isRefusal(error))
    return {
      problem: explainUnreachable(error).replace(/^Cannot connect: /, ""),
      remedy: "Check what is given with --header.",
      action: "connect",
    };
  return (await import("./url-fault.ts")).diagnoseUrl(server, invocation);
}

/** Whether the server refused the credentials of the request: by a status, or by an error in the body of one, whose text says more. */
function isRefusal(error: unknown): boolean {
  if (error instanceof HttpStatusError) return error.status === 401 || error.status === 403;
  return McpError.isMcpError(error) && error.code === ErrorCode.InvalidRequest;
}
