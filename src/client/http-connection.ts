/** What the parts of an HTTP client need of each other. The one that has it all is `HttpDispatcher`. */
import type { Incoming, Outgoing } from "../jsonrpc/incoming.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, JSONRPCRequest, RequestId } from "../jsonrpc/message.ts";
import type { Clock } from "../dispatch/clock.ts";
import type { Endpoint } from "../transport/http-client/endpoint.ts";
import type { HttpResponse } from "../transport/http-client/fetch.ts";
import type { Limiter } from "../transport/http-client/limiter.ts";
import type { HttpCall } from "./http-call.ts";
import type { HttpClientLimits, HttpHeaders } from "./http-options.ts";
import type { HttpSession } from "./http-session.ts";

export interface HttpConnection {
  readonly endpoint: Endpoint;
  readonly limits: HttpClientLimits;
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly session: HttpSession;
  /** What is under way besides calls, to be aborted when the client closes. */
  readonly open: Set<AbortController>;
  /** The headers of a POST of that message; `own` are those its caller has given with it. */
  headersOf(message: Outgoing, own?: HttpHeaders): MaybePromise<HttpHeaders>;
  /** The headers of a request without a message. */
  plainHeaders(own?: HttpHeaders): MaybePromise<HttpHeaders>;
  /** Whether sending that request twice does no more than sending it once. */
  isRepeatable(request: JSONRPCRequest): boolean;
  /** Makes a call that is not waited for by anybody else. */
  call(method: string, params: JsonObject): Promise<JsonObject>;
  /** Sends a notification and waits until the server has it. */
  tellServer(method: string): Promise<void>;
  /** A message arrived. @throws ProtocolViolationError when too many in a row were none */
  deliver(incoming: Incoming): void;
  failCall(id: RequestId, error: unknown): void;
  /** That call needs nothing more. */
  finished(call: HttpCall): void;
  report(error: unknown): void;
}

/** The media type of a body, without its parameters. */
export function mediaTypeOf(response: HttpResponse): string | undefined {
  return response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}
