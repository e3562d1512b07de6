/**
 * A response that is no success, as an error: the JSON-RPC error in it where there is one, else its status (C7).
 */
import { type Clock, wallNow } from "../../base/clock.ts";
import { coerceRequestId, isJsonObject, isRequestId, type RequestId } from "../../jsonrpc/message.ts";
import type { McpError } from "../../jsonrpc/mcp-error.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import { reviveError } from "../../protocol/error-revival.ts";
import { HttpStatusError, withStatus } from "./errors.ts";
import { readBeginning } from "./response.ts";
import type { HttpResponse } from "./fetch.ts";

/** Bytes of an error body that are looked at. */
const MAX_ERROR_BODY = 8 * 1024;
/** Characters of it that go into an error. */
const SAMPLE = 200;

/** @param id of the request that was answered; undefined for messages without one */
export async function toFailure(response: HttpResponse, name: string, id?: RequestId): Promise<McpError> {
  const { status } = response;
  const body = await readBeginning(response, MAX_ERROR_BODY);
  return fromBody(body, status, id) ?? new HttpStatusError(status, `${name} answered with HTTP ${status}`, sampleOf(body));
}

function fromBody(body: string, status: number, id: RequestId | undefined): McpError | undefined {
  const message = tryParse(body);
  if (!isJsonObject(message) || !isJsonObject(message["error"]) || !isForRequest(message["id"], id)) return undefined;
  const { code, message: text, data } = message["error"];
  if (!Number.isInteger(code) || typeof text !== "string") return undefined;
  return withStatus(reviveError({ code: code as number, message: text, ...(data !== undefined && { data }) }), status);
}

/** Without an id, or with null, it can only be about the one message it answers (Z14). */
function isForRequest(answered: unknown, id: RequestId | undefined): boolean {
  if (answered === undefined || answered === null) return true;
  return id !== undefined && isRequestId(answered) && coerceRequestId(answered) === coerceRequestId(id);
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Control characters, line breaks and changes of direction that JSON leaves as they are. */
const UNSAFE = /[\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

/** The beginning of a text in a form that is safe in a log and on a terminal: no line breaks, no control characters. */
export function sampleOf(text: string): string {
  const escaped = JSON.stringify(text.slice(0, SAMPLE)).replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return escaped.slice(1, -1).slice(0, SAMPLE);
}

/** Milliseconds a server asks to wait with `Retry-After`, in either form; undefined where it does not. */
export function retryAfterOf(response: HttpResponse, clock: Clock): number | undefined {
  const value = response.headers.get("retry-after");
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - wallNow(clock);
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
