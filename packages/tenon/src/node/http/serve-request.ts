/**
 * Handles one request of Node's HTTP server with the endpoint.
 *
 * It creates no `Request`, no `Response` and no web stream, because they are slow.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isPromise } from "../../base/maybe-promise.ts";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import { Endpoint } from "../../server/http/endpoint/endpoint.ts";
import { atEndOfTurn, type Deferred } from "../../server/http/exchange/end-of-turn.ts";
import { EventStream } from "../../server/http/exchange/event-stream.ts";
import { refusal, type HttpResponse, type WholeResponse } from "../../server/http/http-message.ts";
import type { Outlet } from "./backlog.ts";
import { NodeRequest, type RequestTerms } from "./http-request.ts";
import type { NodeHttpOptions, ServeHttpOptions } from "./http-endpoint.ts";
import { isStream, writeResponse } from "./http-response.ts";
import { writeStream } from "./response-sink.ts";
import { SlowBodies } from "./slow-bodies.ts";

export interface NodeEdge {
  readonly endpoint: Endpoint;
  readonly terms: RequestTerms;
}

/** @throws TypeError, RangeError for an option with a wrong value */
export function createEdge(server: Acceptor, options: NodeHttpOptions & Pick<ServeHttpOptions, "socket">): NodeEdge {
  const endpoint = new Endpoint(server, options);
  const { limits, clock } = endpoint.settings;
  const body = { maxBytes: limits.maxBodyBytes, slow: new SlowBodies(clock, options.limits?.minBodyRate) };
  const peer = options.socket === undefined ? undefined : "socket";
  return { endpoint, terms: { body, clientAddress: options.clientAddress, peer } };
}

export function serveRequest({ endpoint, terms }: NodeEdge, request: IncomingMessage, response: ServerResponse): void {
  const httpRequest = new NodeRequest(request, response, terms);
  const reply = refusedHead(request.rawHeaders) ?? endpoint.handle(httpRequest);
  if (!isPromise(reply)) return scheduleReply(endpoint, httpRequest, reply);
  void reply.then((known) => scheduleReply(endpoint, httpRequest, known));
}

/** Characters from which on a text is sent at once. */
const LONG_TEXT = 32_768;

/** The connection on which the last reply left. */
let last: Socket | null = null;

/**
 * Sends the replies of one turn together at its end. Written one by one, each would wake its reader, which costs more than the
 * write. A reply is sent at once if the same client got the last one, if it is a stream (so that back-pressure works from its
 * first event), or if it is large.
 */
function scheduleReply(endpoint: Endpoint, httpRequest: NodeRequest, reply: HttpResponse): void {
  httpRequest.discardBody();
  const { socket } = httpRequest.response;
  if (socket === last || isLong(reply.body)) return write(endpoint, httpRequest.response, reply);
  last = socket;
  atEndOfTurn(new WaitingReply(endpoint, httpRequest.response, reply));
}

/** Whether a body is a stream, or so large that it must be counted before the next response is made. */
function isLong(body: HttpResponse["body"]): boolean {
  return body !== undefined && (typeof body !== "string" || body.length > LONG_TEXT);
}

class WaitingReply implements Deferred {
  readonly #endpoint: Endpoint;
  readonly #response: ServerResponse;
  readonly #reply: HttpResponse;

  constructor(endpoint: Endpoint, response: ServerResponse, reply: HttpResponse) {
    this.#endpoint = endpoint;
    this.#response = response;
    this.#reply = reply;
  }

  turnEnded(): void {
    write(this.#endpoint, this.#response, this.#reply);
  }
}

/** Writes a reply. If that fails, for example because of an invalid header of an authorizer, only this reply fails. */
function write(endpoint: Endpoint, response: ServerResponse, reply: HttpResponse): void {
  try {
    writeReply(endpoint, response, reply);
  } catch (error) {
    endpoint.report(error);
    if (reply.body instanceof EventStream) reply.body.gone();
    if (response.headersSent) response.destroy();
    else response.writeHead(500, ["Content-Length", "0"]).end();
  }
}

export function writeReply(outlet: Outlet, response: ServerResponse, reply: HttpResponse): void {
  if (isStream(reply)) writeStream(outlet, response, reply);
  else writeResponse(outlet, response, reply as WholeResponse); // its body is not a stream
}

/** Most headers of a request. */
export const MAX_HEADERS = 100;
const MANY_HEADERS = /* @__PURE__ */ refusal(431, { code: -32600, message: `Bad request: more than ${MAX_HEADERS} headers` }, null, [
  "Connection",
  "close",
]);
const TWO_HOSTS = /* @__PURE__ */ refusal(400, { code: -32600, message: "Bad request: more than one Host" });

/** Node drops the headers above a maximum of its own, and one of them may be what a browser or a proxy says of the client. */
function refusedHead(rawHeaders: readonly string[]): HttpResponse | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return MANY_HEADERS;
  return hasTwoHosts(rawHeaders) ? TWO_HOSTS : undefined;
}

/** Whether a request has several Host headers. Node keeps the first, but a proxy may have checked another one (RFC 9112 section 3.2). */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts > 1;
}
