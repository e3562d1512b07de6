/**
 * Passes an accepted request on: to the stateless endpoint, to a session, to a session of one POST, or to HTTP+SSE.
 *
 * The HTTP method decides, and the revision that the message or the version header claims.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { isBatch, isRequest, isResponse, type JSONRPCMessage } from "../../../jsonrpc/message.ts";
import { ProtocolViolationError, type McpError } from "../../../jsonrpc/mcp-error.ts";
import { MalformedMessage, type Incoming } from "../../../jsonrpc/incoming.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { isStatelessVersion } from "../../../protocol/versions.ts";
import { isStatelessClaim } from "../../../wire/revisions.ts";
import { ACCEPTED_202, type AcceptHeader, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { badRequest, notAllowed, shuttingDown, stoodStill } from "../refusals.ts";
import type { Requirements } from "../../../transport/transport-context.ts";
import type { Serving } from "../serving.ts";
import { Sessions } from "../sessions/sessions.ts";
import { SseConnections } from "../http-sse/sse-connections.ts";
import { StatelessEndpoint } from "../exchange/stateless-endpoint.ts";
import { SessionlessPosts } from "../sessions/sessionless-posts.ts";

/** A POST whose head and body were accepted. */
export interface AcceptedPost {
  readonly request: HttpRequest;
  readonly incoming: Incoming;
  readonly characters: number;
  readonly accepts: AcceptHeader;
  /** The requirements of the message, which the client meets. */
  readonly required: Requirements | undefined;
}

export class HttpRouter {
  readonly sessions: Sessions;
  readonly #serving: Serving;
  readonly #stateless: StatelessEndpoint;
  readonly #sessionless: SessionlessPosts;
  readonly #sse: SseConnections | undefined;

  constructor(server: Acceptor, serving: Serving) {
    this.#serving = serving;
    this.sessions = new Sessions(server, serving);
    this.#stateless = new StatelessEndpoint(server, serving, () => this.sessions.joined());
    this.#sessionless = new SessionlessPosts(server, serving);
    this.#sse = serving.settings.httpSse ? new SseConnections(server, serving) : undefined;
  }

  handleHead(request: HttpRequest, accepts: AcceptHeader): MaybePromise<HttpResponse> {
    const sessions = this.#serving.settings.sessions.enabled;
    const sse = request.header("mcp-session-id") === undefined ? this.#sse : undefined;
    if (!(sessions || sse !== undefined) || namesStateless(request)) return notAllowed("POST");
    if (request.method === "GET") {
      if (this.#serving.draining) return shuttingDown();
      return sse === undefined ? this.sessions.get(request, accepts) : sse.open(request, accepts);
    }
    return request.method === "DELETE" && sessions ? this.sessions.delete(request) : notAllowed("POST, GET, DELETE");
  }

  handlePost({ request, incoming, characters, accepts, required }: AcceptedPost): MaybePromise<HttpResponse> {
    const connection = this.#sse && SseConnections.idOf(request);
    if (connection !== undefined) return this.#sse!.post(request, connection, incoming, characters);
    if (incoming instanceof MalformedMessage) return badRequest(incoming.error, incoming.id);
    if (!this.#serving.awake()) return stoodStill();
    if (isBatch(incoming) || !isStateless(request, incoming))
      return (this.#serving.settings.sessions.enabled ? this.sessions : this.#sessionless).post(request, incoming, accepts);
    if (isRequest(incoming)) return this.#stateless.handle({ request, message: incoming, accepts, required });
    return isResponse(incoming)
      ? badRequest(new ProtocolViolationError("A response was sent, but the server has sent no request"))
      : ACCEPTED_202;
  }

  endStreams(): void {
    this.#stateless.endLongLived();
    this.sessions.table.endStreams();
  }

  failAll(error: McpError): void {
    this.#stateless.failAll(error);
    this.sessions.table.failAll(error);
  }

  async close(): Promise<void> {
    await this.#stateless.close();
    await this.sessions.close();
    await this.#sse?.close();
  }
}

/** Whether a message claims a stateless revision, in its params or in the version header. */
function isStateless(request: HttpRequest, message: JSONRPCMessage): boolean {
  return ("method" in message && isStatelessClaim(message.params)) || namesStateless(request);
}

/** Whether the version header names a stateless revision. Those revisions use POST only. */
function namesStateless(request: HttpRequest): boolean {
  const version = request.header("mcp-protocol-version");
  return version !== undefined && isStatelessVersion(version);
}
