/**
 * One exchange of Node's own HTTP server with the endpoint.
 *
 * The fast way in: no `Request`, no `Response`, no web stream is made for anything.
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
import type { NodeHttpOptions } from "./http-endpoint.ts";
import { isStream, writeResponse } from "./http-response.ts";
import { writeStream } from "./response-sink.ts";
import { SlowBodies } from "./slow-bodies.ts";

/** An endpoint, and what Node's requests are read with. */
export interface NodeEdge {
  readonly endpoint: Endpoint;
  readonly terms: RequestTerms;
}

/** @throws TypeError, RangeError for an option with a wrong value */
export function createEdge(server: Acceptor, options: NodeHttpOptions): NodeEdge {
  const endpoint = new Endpoint(server, options);
  const { limits, clock } = endpoint.settings;
  const body = { maxBytes: limits.maxBodyBytes, slow: new SlowBodies(clock, options.limits?.minBodyRate) };
  return { endpoint, terms: { body, clientAddress: options.clientAddress } };
}

/** Answers one request. */
export function serveRequest({ endpoint, terms }: NodeEdge, request: IncomingMessage, response: ServerResponse): void {
  const exchange = new NodeRequest(request, response, terms);
  const reply = hasTwoHosts(request.rawHeaders) ? TWO_HOSTS : endpoint.handle(exchange);
  if (!isPromise(reply)) return scheduleReply(endpoint, exchange, reply);
  void reply.then((known) => scheduleReply(endpoint, exchange, known));
}

/** Characters of a text that leaves at once. */
const LONG_TEXT = 32_768;

/** The connection on which the last reply left. */
let last: Socket | null = null;

/**
 * Replies of one turn leave together at its end: written one by one between the requests, each would wake its reader for
 * itself, and waking costs more than writing. A client that gets two replies in a row is alone and need not wait; nor does a
 * stream, whose back-pressure holds from its first event, or a large reply.
 */
function scheduleReply(endpoint: Endpoint, exchange: NodeRequest, reply: HttpResponse): void {
  exchange.discardBody();
  const { socket } = exchange.response;
  if (socket === last || isLong(reply.body)) return write(endpoint, exchange.response, reply);
  last = socket;
  atEndOfTurn(new WaitingReply(endpoint, exchange.response, reply));
}

/** A stream, or so much that it must be counted before another such answer is made. */
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

/** A reply that cannot be written, for a header that an authorizer made up, fails alone. */
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

/** Writes a response that is known in full, or begins one that goes on. */
export function writeReply(outlet: Outlet, response: ServerResponse, reply: HttpResponse): void {
  if (isStream(reply)) writeStream(outlet, response, reply);
  else writeResponse(outlet, response, reply as WholeResponse); // its body is no stream
}

const TWO_HOSTS = /* @__PURE__ */ refusal(400, { code: -32600, message: "Bad request: more than one Host" });

/** Node keeps the first of two; what stands before us may have looked at the second (H1). */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts > 1;
}
