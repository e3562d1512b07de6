/**
 * The endpoint as a listener of Node's own HTTP server, and of every framework that hands its requests on.
 *
 * The fast way in: no `Request`, no `Response`, no web stream is made for anything.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isPromise, type MaybePromise } from "../jsonrpc/maybe-promise.ts";
import { isAcceptor, type Acceptor } from "../dispatch/acceptor.ts";
import { HttpHandler } from "../server/http/handler.ts";
import { refusal, type HttpResponse } from "../server/http/http-message.ts";
import type { HttpOptions } from "../server/http/options.ts";
import { NodeRequest, readBody, type ReadRequest } from "./http-request.ts";
import { writeResponse } from "./http-response.ts";

/**
 * `app.all("/mcp", handler)`, `createServer(handler)`, or `handler(request.raw, reply.raw, request.body)` where a
 * framework has read the body: the third argument is that body, unless it is a function.
 */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Refuses what is new, lets what runs end within `ms`, ends streams in good order, then closes. */
  drain(ms?: number): Promise<void>;
  /** Ends everything at once. */
  close(): Promise<void>;
}

/**
 * Serves `server` to requests of every revision. It keeps sessions: use one handler for all requests.
 *
 * Requests for hosts that are not this machine are refused unless `allowedHosts` names them.
 * @throws TypeError, RangeError for options that are none
 */
export function toNodeHandler(server: Acceptor, options: HttpOptions = {}): NodeHandler {
  if (!isAcceptor(server)) throw new TypeError("toNodeHandler needs a server");
  const handler = new HttpHandler(server, options);
  const listener = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    if (body !== undefined && typeof body !== "function") (request as ReadRequest).body = body;
    serveRequest(handler, request, response);
  };
  return Object.assign(listener, { drain: (ms?: number) => handler.drain(ms), close: () => handler.close() });
}

/** Answers one request. */
export function serveRequest(handler: HttpHandler, request: IncomingMessage, response: ServerResponse): void {
  const exchange = new NodeRequest(request, response);
  if (hasTwoHosts(request.rawHeaders)) return finish(request, response, TWO_HOSTS);
  const early = handler.check(exchange);
  if (early !== undefined) return finish(request, response, early);
  readBody(
    request,
    handler.settings.maxBodyBytes,
    (text) => respond(response, handler.answer(exchange, text)),
    (error) => finish(request, response, handler.refuseBody(exchange, error)),
  );
}

function respond(response: ServerResponse, answer: MaybePromise<HttpResponse>): void {
  if (isPromise(answer)) void answer.then((known) => writeResponse(response, known));
  else writeResponse(response, answer);
}

/** Answers without the body, which is thrown away as it comes. */
function finish(request: IncomingMessage, response: ServerResponse, answer: MaybePromise<HttpResponse>): void {
  request.resume();
  respond(response, answer);
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
