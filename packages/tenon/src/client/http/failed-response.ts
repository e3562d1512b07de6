/** Turns an HTTP response that is not a success into an error: the JSON-RPC error in it, or else its status. */
import { type Clock, wallNow } from "../../base/clock.ts";
import { coerceRequestId, isJsonObject, isRequestId, type RequestId } from "../../jsonrpc/message.ts";
import type { McpError } from "../../jsonrpc/mcp-error.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import { reviveError } from "../../protocol/error-revival.ts";
import { HttpStatusError, withStatus } from "./errors.ts";
import { readBeginning } from "./response.ts";
import type { HttpResponse } from "./fetch.ts";

/** Most bytes of an error body to read. */
const MAX_ERROR_BODY = 8 * 1024;
/** Most characters of the body to put into an error. */
const SAMPLE = 200;

/** @param id the id of the request; undefined for other messages */
export async function toFailure(response: HttpResponse, name: string, id?: RequestId): Promise<McpError> {
  const { status } = response;
  const body = await readBeginning(response, MAX_ERROR_BODY);
  return (
    fromBody(body, status, id) ??
    new HttpStatusError(status, `${name} answered with HTTP ${status}${status === 404 ? pathHint(name) : ""}`, sampleOf(body))
  );
}

/** What a 404 most often means. */
function pathHint(name: string): string {
  if (/:\/\/[^/]+\/.+\/$/.test(name)) return ": is the path right? Try it without the slash at its end";
  return `: is the path right? ${name.endsWith("/mcp") ? "Some servers do not answer at /mcp" : "Most servers answer at /mcp"}`;
}

function fromBody(body: string, status: number, id: RequestId | undefined): McpError | undefined {
  const message = tryParse(body);
  if (!isJsonObject(message) || !isJsonObject(message["error"]) || !isForRequest(message["id"], id)) return undefined;
  const { code, message: text, data } = message["error"];
  if (!Number.isInteger(code) || typeof text !== "string") return undefined;
  const isNamed = message["id"] !== undefined && message["id"] !== null;
  return withStatus(reviveError({ code: code as number, message: text, ...(data !== undefined && { data }) }), status, isNamed);
}

/** Whether an error belongs to the request. Without an id, or with null, it does, because the POST had one message. */
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

/** Control characters, line breaks and direction marks that JSON does not escape. */
const UNSAFE = /[\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

/** The beginning of a text, escaped for logs and terminals: no line breaks, no control characters. */
export function sampleOf(text: string): string {
  const escaped = JSON.stringify(text.slice(0, SAMPLE)).replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return escaped.slice(1, -1).slice(0, SAMPLE);
}

/** Longest `Retry-After` to wait for, in ms, and how often to wait. */
export const MAX_RETRY_AFTER = 60_000;
const MAX_RETRIES = 2;

/** Milliseconds to wait before a request that was refused for now is sent again; undefined if it is not. @param retries how often it was */
export function pauseBefore(response: HttpResponse, clock: Clock, retries: number): number | undefined {
  if ((response.status !== 429 && response.status !== 503) || retries >= MAX_RETRIES) return undefined;
  const pause = retryAfterOf(response, clock);
  return pause === undefined || pause > MAX_RETRY_AFTER ? undefined : pause;
}

/** Milliseconds that `Retry-After` asks to wait, in either form; undefined without a valid header. */
export function retryAfterOf(response: HttpResponse, clock: Clock): number | undefined {
  const value = response.headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - wallNow(clock);
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
