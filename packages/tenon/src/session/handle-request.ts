/**
 * The one place that runs a handler, and the one that makes an error response.
 *
 * Independent of transports: decode → middleware → method table → handler → encode. Stays synchronous if the handler does. A
 * request is checked in this order: revision, identity, method, handshake, params.
 */
import { isAbortFailure } from "../base/abort.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { InboundRequest, LeakedHandlers, RawResult } from "../dispatch/dispatcher.ts";
import type { Codec } from "../wire/codec.ts";
import { codecForRequest } from "../wire/revisions.ts";
import type { Connection } from "./connection.ts";
import type { Handler } from "./handler.ts";
import type { OpenListens } from "./open-listens.ts";
import { ListPage } from "./list-page.ts";
import { RequestContext } from "./request-context.ts";
import { unsendableResultError } from "../wire/errors.ts";

/** @internal What handles requests: a server as `handleRequest` sees it. */
export interface RequestTarget {
  /** Middleware and, innermost, the method table. */
  readonly handler: Handler<RequestContext>;
  readonly info: Implementation;
  readonly lifespan: unknown;
  /** Counts handlers that did not end in time. */
  readonly leakedHandlers: LeakedHandlers;
  /** Gets the requests that stay open until the server ends them. */
  readonly listens?: OpenListens;
  /** Whether results are checked before they are sent. Default true; a gateway passes what it does not know. */
  readonly checksResults?: boolean;
  has(method: string, codec: Codec): boolean;
  /** The result for a failure, if the method has one (a tool's failure is for the model to read). */
  recover(error: unknown, context: RequestContext): JsonObject | undefined;
  /** The error for the wire; what must not be sent is reported to the operator. `cancelled`: whether the error only says so. */
  toMcpError(error: unknown, method: string, cancelled?: boolean): McpError;
}

/** Methods that are served before the handshake. */
const METHODS_BEFORE_HANDSHAKE = new Set(["initialize", "ping"]);

interface ServedRequest {
  readonly target: RequestTarget;
  readonly connection: Connection;
  readonly request: InboundRequest;
  /** Undefined until the request is decoded. */
  context: RequestContext | undefined;
}

/** @internal Serves the requests of one connection until it ends. @param onNotification called with each notification of the client */
export function serveConnection(
  target: RequestTarget,
  connection: Connection,
  onNotification?: (method: string, params: JsonObject | undefined) => void,
): Promise<void> {
  return connection.dispatcher.run(
    (request) => handleRequest({ target, connection, request, context: undefined }),
    (method, params) => onNotification?.(method, params),
  );
}

/** @throws McpError ready for the wire */
function handleRequest(served: ServedRequest): MaybePromise<RawResult> {
  served.request.leaks = served.target.leakedHandlers;
  try {
    const context = (served.context = decode(served));
    const result = served.target.handler(context);
    if (!isPromise(result)) return encode(served, context, result);
    const response = result.then(
      (value) => encodeOrFail(served, context, value),
      (error: unknown) => fail(served, error),
    );
    if (context.method === "subscriptions/listen") served.target.listens?.add(response);
    return response;
  } catch (error) {
    return fail(served, error);
  }
}

function encodeOrFail(served: ServedRequest, context: RequestContext, result: JsonObject): RawResult {
  try {
    return encode(served, context, result);
  } catch (error) {
    return fail(served, error);
  }
}

function decode({ target, connection, request }: ServedRequest): RequestContext {
  const { method, params } = request;
  const codec = codecForRequest(params, connection.codec)!; // a connection always has a codec
  const { reading } = connection;
  const identity = codec.decodeIdentity(params, reading);
  if (!target.has(method, codec)) throw new McpError(ErrorCode.MethodNotFound, "Method not found", method);
  if (identity === undefined && connection.state === "notInitialized" && !METHODS_BEFORE_HANDSHAKE.has(method)) {
    throw new McpError(ErrorCode.InvalidParams, "Received request before initialization was complete");
  }
  const own = identity && { codec, identity };
  const ownParams = identity?.meta === undefined ? params : { ...params, _meta: identity.meta };
  return new RequestContext(request, connection, codec.decodeParams(method, ownParams, reading), target.lifespan, own);
}

function encode({ target, request }: ServedRequest, context: RequestContext, result: JsonObject): RawResult {
  try {
    if (result instanceof ListPage) return result.encoded(context.codec, request.method, target.info);
    return request.encode(
      context.codec.encodeResult(request.method, result, {
        server: target.info,
        check: target.checksResults !== false && !context.isResultChecked,
      }),
    );
  } catch (cause) {
    throw McpError.isMcpError(cause) ? cause : unsendableResultError(nameOf(context), cause);
  }
}

/** Handles every failure: a result if the method has one for it, else an error of the revision. */
function fail(served: ServedRequest, error: unknown): RawResult {
  const { target, connection, request, context } = served;
  connection.dispatcher.onFailure?.(request.requestId, error);
  let failure = error;
  try {
    const recovered = context && target.recover(error, context);
    if (context && recovered !== undefined) return encode(served, context, recovered);
  } catch (unencodable) {
    failure = unencodable;
  }
  const codec = context?.codec ?? codecForRequest(request.params, connection.codec)!;
  const { code, message, data } = codec.encodeError(
    target.toMcpError(failure, request.method, context && isAbortFailure(failure, context.signal)),
  );
  throw new McpError(code, message, data);
}

/** Names the request in messages: `"tools/call" of "add"`. */
function nameOf({ method, params }: RequestContext): string {
  const { name, uri } = params;
  return typeof (name ?? uri) === "string" ? `"${method}" of ${JSON.stringify(name ?? uri)}` : `"${method}"`;
}
