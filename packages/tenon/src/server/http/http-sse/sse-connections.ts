/**
 * The connections of the HTTP+SSE transport of 2024-11-05, by the id in the URL of each. That transport has no header for it.
 *
 * The guard, authorization and limits of the endpoint apply to its GET and its POST too.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { JsonRpcDispatcher } from "../../../dispatch/json-rpc-dispatcher.ts";
import { pathOf } from "../endpoint/guard.ts";
import { isPageRequest } from "../endpoint/browser.ts";
import { ACCEPTED_202, requestOwnerOf, type AcceptHeader, type HttpRequest, type HttpResponse, SSE_HEADERS } from "../http-message.ts";
import { randomId } from "../../../base/bytes.ts";
import { notAcceptable, sessionNotFound, tooMany } from "../refusals.ts";
import type { Serving } from "../serving.ts";
import { shareOf } from "../../../transport/transport-context.ts";
import { SseTransport } from "./sse-transport.ts";

const PARAMETER = "sessionId";

export class SseConnections {
  readonly #server: Acceptor;
  readonly #serving: Serving;
  readonly #connections = new Map<string, SseTransport>();

  constructor(server: Acceptor, serving: Serving) {
    this.#server = server;
    this.#serving = serving;
  }

  /** The connection id in the URL of a request. */
  static idOf(request: HttpRequest): string | undefined {
    return new URLSearchParams(request.url.split("?", 2)[1]).get(PARAMETER) ?? undefined;
  }

  /** Opens a connection: the first event names the URL for messages. */
  open(request: HttpRequest, accepts: AcceptHeader): HttpResponse {
    if (!accepts.events || isPageRequest(request)) return notAcceptable("text/event-stream");
    const full = this.#serving.longLived.refuse(shareOf(request));
    if (full !== undefined) return full;
    const id = randomId();
    const stream = this.#serving.openStream();
    // A client of this transport never ends its stream, so draining must not wait for it.
    const leave = this.#serving.longLived.open(shareOf(request), false);
    // A path and no origin, because the client must not choose the host.
    const endpoint = `${pathOf(request.url) || "/"}?${PARAMETER}=${id}`;
    const transport = new SseTransport(stream, endpoint, request, this.#serving.settings.limits);
    this.#connections.set(id, transport);
    this.#endWith(transport, request);
    stream.whenEnded(() => {
      this.#serving.heartbeat.delete(stream);
      this.#connections.delete(id);
      leave();
      transport.forgetEnd?.();
    });
    this.#serve(transport);
    return { status: 200, headers: SSE_HEADERS, body: stream };
  }

  /** The connection lasts as long as the newest token that the client has sent. */
  #endWith(transport: SseTransport, { caller }: HttpRequest): void {
    if (caller === undefined || caller.until <= transport.until) return;
    transport.until = caller.until;
    transport.forgetEnd?.();
    transport.forgetEnd = this.#serving.endWithToken(caller, () => void transport.close());
  }

  #serve(transport: SseTransport): void {
    const { settings, limits } = this.#serving;
    const dispatcher = new JsonRpcDispatcher(transport, {
      limits,
      timeout: limits.timeout,
      maxTotalTimeout: limits.maxTotalTimeout,
      clock: settings.clock,
      onError: (error) => this.#serving.report(error),
    });
    this.#server.accept(dispatcher).catch((error: unknown) => {
      this.#serving.report(error);
      return dispatcher.close(error);
    });
  }

  /** Takes a message of a client. The response is sent on its stream. @param characters the length of its text */
  post(request: HttpRequest, id: string, incoming: Incoming, characters: number): MaybePromise<HttpResponse> {
    const transport = this.#connections.get(id);
    if (transport === undefined || transport.owner !== requestOwnerOf(request)) return sessionNotFound();
    this.#endWith(transport, request);
    const full = transport.push(incoming, request.caller, characters);
    return full === undefined ? ACCEPTED_202 : tooMany(429, full);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((transport) => transport.close()));
  }
}
