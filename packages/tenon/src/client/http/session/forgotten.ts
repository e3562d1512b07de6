/**
 * Reads in a refusal whether the server may have forgotten the session of the request.
 *
 * MCP asks for a 404. Many servers that were started again answer 400, 401, 403 or 410, and some answer 200 with an error. Only a new
 * handshake shows whether the session is lost, so a refusal is no more than a reason to try one.
 */
import { isJsonObject, type ErrorData } from "../../../jsonrpc/message.ts";
import { ErrorCode, type McpError } from "../../../jsonrpc/mcp-error.ts";
import { namesItsRequest } from "../errors.ts";
import type { HttpResponse } from "../fetch.ts";

/** `"sure"`: the server says so as MCP asks. `"told"`: it says so in its own words. `"possible"`: it gives no other reason. */
export type Evidence = "sure" | "told" | "possible";

/** The parts of a response that say what a refusal means. */
type Refusal = Pick<HttpResponse, "status" | "headers">;

/**
 * Refusals of the request itself, of its pace, or of something between client and server. 405, 406 and 415 are none of them: they are about
 * what all requests of a client have alike, and one of these has worked before.
 */
const OTHER_REASONS: ReadonlySet<number> = new Set([402, 407, 408, 411, 413, 414, 416, 417, 421, 425, 426, 429, 431, 451]);
/** Codes that servers give to an unknown session. */
const SESSION_CODES: ReadonlySet<number> = new Set([-32000, -32001, ErrorCode.InvalidRequest, ErrorCode.InternalError]);
const LOST = [
  /\b(no valid|invalid|unknown|missing|expired|stale)\b.{0,20}\bsession/i,
  /\bsession\b.{0,40}\b(not found|no longer|(not|n't) exist|expired|invalid|unknown|terminated|closed|required|missing)/i,
];
const UNINITIALISED = /\bnot (yet |been )?initiali[sz]ed/i;
/** What language servers say before their handshake. MCP has given the code to resources that are not found. */
const NOT_INITIALISED_CODE = -32002;

/**
 * What an error says about the session of its request; undefined if it is about something else.
 * @param response undefined if the error came with a success status
 */
export function evidenceOf(failure: McpError, response?: Refusal): Evidence | undefined {
  if (failure.code === ErrorCode.MethodNotFound) return undefined;
  const status = response?.status ?? 200;
  if (status === 404) return "sure";
  if (response !== undefined && isChallenge(response)) return undefined;
  if (speaksOfLoss(failure)) return "told";
  if (namesItsRequest(failure) || status >= 500 || OTHER_REASONS.has(status)) return undefined;
  return "possible";
}

/** Whether an error says that the session is lost. */
export function speaksOfLoss({ code, message, data }: Pick<ErrorData, "code" | "message" | "data">): boolean {
  const body = isJsonObject(data) && typeof data["body"] === "string" ? data["body"] : "";
  const says = (words: RegExp): boolean => words.test(message) || words.test(body);
  if (says(UNINITIALISED)) return SESSION_CODES.has(code) || code === NOT_INITIALISED_CODE;
  return SESSION_CODES.has(code) && LOST.some(says);
}

/**
 * Whether the server asks for other credentials. `invalid_token` alone does not: some servers look for the session first, and call an
 * unknown one that.
 */
function isChallenge({ status, headers }: Refusal): boolean {
  const header = headers.get("www-authenticate")?.trim() ?? "";
  return header !== "" && !(status === 401 && /\berror\s*=\s*"?invalid_token\b/.test(header));
}

/** Whether a 401 may be about the session: then the client tries a new handshake before it asks the user to log in. */
export function mayConcernSession(response: Refusal): boolean {
  return response.status === 401 && !isChallenge(response);
}
