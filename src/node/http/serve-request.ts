/**
 * One exchange of Node's own HTTP server with the endpoint.
 *
 * The fast way in: no `Request`, no `Response`, no web stream is made for anything.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { atEndOfTurn, type Deferred } from "../../server/http/exchange/end-of-turn.ts";
import { EventStream } from "../../server/http/exchange/event-stream.ts";
import type { HttpHandler } from "../../server/http/endpoint/endpoint.ts";
import { refusal, type HttpResponse } from "../../server/http/http-message.ts";
import { tooMany } from "../../server/http/refusals.ts";
import { NodeRequest, readBody } from "./http-request.ts";
import { isBehind, writeResponse } from "./http-response.ts";
import type { SlowBodies } from "./slow-bodies.ts";

/** Answers one request. */
export function serveRequest(handler: HttpHandler, slow: SlowBodies, request: IncomingMessage, response: ServerResponse): void {
  const exchange = new NodeRequest(request, response);
  if (hasTwoHosts(request.rawHeaders)) return finish(handler, request, response, TWO_HOSTS);
  const early = handler.check(exchange);
  if (early === undefined) return answerBody(handler, slow, exchange, request, response);
  if (!isPromise(early)) return finish(handler, request, response, early);
  // Nothing of the body is read before it is known that it is wanted.
  void early.then((known) => {
    if (known === undefined) answerBody(handler, slow, exchange, request, response);
    else finish(handler, request, response, known);
  });
}

function answerBody(
  handler: HttpHandler,
  slow: SlowBodies,
  exchange: NodeRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { maxBodyBytes, maxBuffered } = handler.settings;
  readBody(
    request,
    maxBodyBytes,
    (text) => respond(handler, response, isBehind(response, maxBuffered) ? tooMany(503, "maxBuffered") : handler.answer(exchange, text)),
    (error) => finish(handler, request, response, handler.refuseBody(exchange, error)),
    slow,
  );
}

function respond(handler: HttpHandler, response: ServerResponse, answer: MaybePromise<HttpResponse>): void {
  if (isPromise(answer)) void answer.then((known) => leave(handler, response, known));
  else leave(handler, response, answer);
}

/** Characters of a text that leaves at once. */
const LONG_TEXT = 32_768;

/** On which connection the last answer left. */
let last: Socket | null = null;

/**
 * Answers of one turn leave together at its end: written one by one between the requests, each would wake its reader for
 * itself, and waking costs more than writing. Whoever is answered twice in a row is alone, and need not wait; nor does a
 * stream, whose back-pressure holds from its first event, or a large answer.
 */
function leave(handler: HttpHandler, response: ServerResponse, answer: HttpResponse): void {
  const { socket } = response;
  if (socket === last || isLong(answer.body)) return write(handler, response, answer);
  last = socket;
  atEndOfTurn(new Departure(handler, response, answer));
}

/** A stream, or so much that it must be counted before another such answer is made. */
function isLong(body: HttpResponse["body"]): boolean {
  return body !== undefined && (typeof body !== "string" || body.length > LONG_TEXT);
}

class Departure implements Deferred {
  readonly #handler: HttpHandler;
  readonly #response: ServerResponse;
  readonly #answer: HttpResponse;

  constructor(handler: HttpHandler, response: ServerResponse, answer: HttpResponse) {
    this.#handler = handler;
    this.#response = response;
    this.#answer = answer;
  }

  turnEnded(): void {
    write(this.#handler, this.#response, this.#answer);
  }
}

/** An answer that cannot be written, for a header that an authorizer made up, fails alone. */
function write(handler: HttpHandler, response: ServerResponse, answer: HttpResponse): void {
  try {
    writeResponse(handler, response, answer);
  } catch (error) {
    handler.report(error);
    if (answer.body instanceof EventStream) answer.body.gone();
    if (response.headersSent) response.destroy();
    else response.writeHead(500, ["Content-Length", "0"]).end();
  }
}

/** Answers without the body, which is thrown away as it comes. */
function finish(handler: HttpHandler, request: IncomingMessage, response: ServerResponse, answer: HttpResponse): void {
  request.resume();
  write(handler, response, answer);
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
