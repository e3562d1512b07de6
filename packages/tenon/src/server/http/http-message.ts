/**
 * The request that an HTTP edge passes in and the response that it gets: as much of HTTP as MCP needs.
 *
 * These are interfaces, so that Node's edge and the `fetch` edge wrap their own objects without converting them. Which requests are legal
 * is decided elsewhere.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { isBatch, type JSONRPCError, type JSONRPCResponse, JsonText } from "../../jsonrpc/message.ts";
import type { Outgoing } from "../../jsonrpc/incoming.ts";
import { encodeMessageEvent } from "../../jsonrpc/sse.ts";
import { stringifyMessage } from "../../jsonrpc/serialise.ts";
import type { PageRequest } from "../../dispatch/acceptor.ts";
import type { AuthorizedClient } from "./authorized-client.ts";
import type { EventStream } from "./exchange/event-stream.ts";

/** An HTTP request, as an edge passes it in. Several values of one header are joined with a comma. */
export interface HttpRequest extends PageRequest {
  /**
   * Reads the body as text. No part of it is read before. Never settles if the client goes away first.
   * @throws LimitExceededError if the body is too large, McpError -32700 if it is not UTF-8
   */
  text(): MaybePromise<string>;
  /** The same, with a long body in parts, because joining them takes tens of milliseconds. Absent if the edge has the text as a whole. */
  parts?(): MaybePromise<string | readonly string[]>;
  /** Whether more than `max` bytes of earlier responses still wait on the same connection. */
  isBehind?(max: number): boolean;
  /** Calls `listener` if the client closes the connection before it has the whole response. */
  onClose?(listener: () => void): void;
  /** The network address of the client, in the form that limits use; undefined if the edge does not know it. */
  readonly address?: string | undefined;
  /** The principal that an authenticator has set. */
  principal?: string;
  /** Whose sessions the request may use, if it is not the principal. Sessions and their streams belong to the owner that opened them. */
  sessionOwner?: string;
  /** @internal The principal with its token and scopes; set if the endpoint has `auth`. */
  caller?: AuthorizedClient;
}

/** Text, text around ready-made JSON, or an event stream. */
export type HttpBody = string | readonly (string | JsonText)[] | EventStream;

/** A response, for an edge of HTTP to write. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Names and values in turn. `Content-Length` is added by the edge. */
  readonly headers: readonly string[];
  /** Absent if the response has no body. */
  readonly body?: HttpBody;
}

export interface WholeResponse extends HttpResponse {
  readonly body?: Exclude<HttpBody, EventStream>;
}

export interface StreamResponse extends HttpResponse {
  readonly body: EventStream;
}

const COMMON = ["Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"];
/** Headers of every response without a body. */
export const EMPTY_HEADERS: readonly string[] = COMMON;
export const JSON_HEADERS: readonly string[] = /* @__PURE__ */ ["Content-Type", "application/json"].concat(COMMON);
/** A proxy must neither hold events back nor recode them. */
export const SSE_HEADERS: readonly string[] = [
  "Content-Type",
  "text/event-stream",
  "Cache-Control",
  "no-store, no-transform",
  "X-Content-Type-Options",
  "nosniff",
  "X-Accel-Buffering",
  "no",
];

/** Status 202: the endpoint took the message and sends nothing back. */
export const ACCEPTED_202: HttpResponse = { status: 202, headers: EMPTY_HEADERS };

/** From this length on, ready-made JSON is written separately instead of being joined with the text around it. */
const LARGE_TEXT = 16_384;

export function jsonResponse(status: number, message: Outgoing, more?: readonly string[]): HttpResponse {
  const parts = largeParts(message);
  const headers = more === undefined ? JSON_HEADERS : [...JSON_HEADERS, ...more];
  return { status, headers, body: parts ?? stringifyMessage(message) };
}

/** A complete response message as a stream of one event. */
export function singleEventResponse(message: Outgoing): HttpResponse {
  const parts = largeParts(message);
  if (parts === undefined || parts[1].text.includes("\n"))
    return { status: 200, headers: SSE_HEADERS, body: encodeMessageEvent(lineOf(message)) };
  const [head, json, tail] = parts;
  return { status: 200, headers: SSE_HEADERS, body: [`event: message\ndata: ${head}`, json, `${tail}\n\n`] };
}

/** The text of a message without line breaks, which ready-made JSON may contain. */
export function lineOf(message: Outgoing): string {
  const text = stringifyMessage(message);
  return text.includes("\n") || text.includes("\r") ? JSON.stringify(JSON.parse(text)) : text;
}

function largeParts(message: Outgoing): [string, JsonText, string] | undefined {
  if (isBatch(message) || !("result" in message)) return undefined;
  const { id, result }: JSONRPCResponse = message;
  if (!(result instanceof JsonText) || result.text.length < LARGE_TEXT) return undefined;
  return [`{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":`, result, "}"];
}

export function refusal(
  status: number,
  error: JSONRPCError["error"],
  id: JSONRPCError["id"] = null,
  headers: readonly string[] = [],
): WholeResponse {
  return { status, headers: [...JSON_HEADERS, ...headers], body: JSON.stringify({ jsonrpc: "2.0", id, error }) };
}

// ---- media types: Content-Type and Accept, parsed in linear time ----

/** Whether a body is JSON in UTF-8: `application/json`, with no other charset. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  if (contentType === undefined) return false;
  const [type, ...parameters] = contentType.toLowerCase().split(";");
  if (type!.trim() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name, value = ""] = parameter.split("=");
    return name!.trim() !== "charset" || /^\s*"?utf-8"?\s*$/.test(value);
  });
}

export interface AcceptHeader {
  readonly json: boolean;
  readonly events: boolean;
}

const BOTH: AcceptHeader = { json: true, events: true };

/** Parses `Accept`. A missing header accepts everything. */
export function parseAccept(accept: string | undefined): AcceptHeader {
  if (!accept?.trim() || accept === "application/json, text/event-stream") return BOTH;
  const types = new Set(accept.toLowerCase().split(",").filter(isWanted).map(typeOf));
  const takes = (type: string, family: string): boolean => types.has(type) || types.has(family) || types.has("*/*");
  return { json: takes("application/json", "application/*"), events: takes("text/event-stream", "text/*") };
}

/** Whether a range is accepted: not with `q=0`. */
function isWanted(range: string): boolean {
  return !range
    .split(";")
    .slice(1)
    .some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));
}

function typeOf(range: string): string {
  return range.split(";", 1)[0]!.trim();
}

/** Whose sessions a request may use; undefined without authentication. */
export function requestOwnerOf({ sessionOwner, principal }: Pick<HttpRequest, "sessionOwner" | "principal">): string | undefined {
  return sessionOwner ?? principal;
}
