/**
 * `StreamableHTTPServerTransport` of the SDK 1.x, for Node and Express. Sessions are the original's, and their usual requests take a shorter
 * way; requests of the revisions without a handshake are served by Tenon's endpoint.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AuthInfo } from "mcp-sdk-v1/server/auth/types.js";
import { StreamableHTTPServerTransport as OfficialTransport } from "mcp-sdk-v1/server/streamableHttp.js";
import type { NodeHandler } from "tenon/node";
import { endOf, hasReadableBody, isUsualRequest, mayBeDirect, serveDirectly, type SessionParts } from "../below/direct-post.ts";
import { isNewest, NewestHandlers, serverOf, wasTaken } from "../below/newest-requests.ts";
import { requestFacts } from "../below/request-facts.ts";

export * from "mcp-sdk-v1/server/streamableHttp.js";

type Options = NonNullable<ConstructorParameters<typeof OfficialTransport>[0]>;

/** A transport of one session, or of one request if it has no `sessionIdGenerator`. It serves the revisions without a handshake, too. */
export class StreamableHTTPServerTransport extends OfficialTransport {
  readonly #guarded: Options;
  #handlers: NewestHandlers<NodeHandler> | undefined;

  /** @param options as the original takes them */
  constructor(options: Options = {}) {
    super(options);
    this.#guarded = options;
  }

  /** Handles one request, and resolves when its response has ended. */
  override async handleRequest(
    request: IncomingMessage & { auth?: AuthInfo },
    response: ServerResponse,
    parsedBody?: unknown,
  ): Promise<void> {
    await this.#handle(request, response, parsedBody);
    if (wasTaken(parsedBody)) await this.close();
  }

  async #handle(request: IncomingMessage & { auth?: AuthInfo }, response: ServerResponse, parsedBody?: unknown): Promise<void> {
    const server = serverOf(this);
    const header = (name: string): string | undefined => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    if (server === undefined || this.#refuses(header)) return super.handleRequest(request, response, parsedBody);
    if (!isNewest(request.method, header)) return this.#handleOfSession(request, response, parsedBody);
    this.#handlers ??= new NewestHandlers(async (options) => {
      const { toNodeHandler } = await import("tenon/node"); // with the first such request: it loads much
      await server.begin();
      return toNodeHandler(server, { ...options, onError: (error) => this.onerror?.(error) });
    });
    const facts = { ...(request.auth && { authInfo: request.auth }), requestInfo: { headers: request.headers } };
    const ended = endOf(response);
    requestFacts.run(facts, await this.#handlers.for(facts), request, response, parsedBody);
    await ended;
  }

  /** The usual request is served directly, and all others by the original. */
  async #handleOfSession(request: IncomingMessage & { auth?: AuthInfo }, response: ServerResponse, parsedBody?: unknown): Promise<void> {
    const { _webStandardTransport: parts } = this as unknown as { _webStandardTransport: SessionParts }; // private for the compiler only
    const isRead = parsedBody !== undefined;
    if (!mayBeDirect(request, parts) || (!isRead && !hasReadableBody(request, parts)))
      return super.handleRequest(request, response, parsedBody);
    const body = isRead ? parsedBody : jsonOf(await textOf(request));
    if (isUsualRequest(body) && !parts._closed) return serveDirectly(body, { request, response, authInfo: request.auth }, parts);
    if (body !== undefined) return super.handleRequest(request, response, body);
    parts.onerror?.(new Error("Parse error: Invalid JSON"));
    await sendTo(response, parts.createJsonErrorResponse(400, -32700, "Parse error: Invalid JSON"));
  }

  /** Whether the original refuses the request for its host or its origin. */
  #refuses(header: (name: string) => string | undefined): boolean {
    const { enableDnsRebindingProtection = false, allowedHosts = [], allowedOrigins = [] } = this.#guarded;
    if (!enableDnsRebindingProtection) return false;
    const [host, origin] = [header("host"), header("origin")];
    const isForeign = allowedHosts.length > 0 && (host === undefined || !allowedHosts.includes(host));
    return isForeign || (allowedOrigins.length > 0 && origin !== undefined && !allowedOrigins.includes(origin));
  }
}

/** The body. Rejects if the client goes away before its end. */
function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (text += chunk));
    request.once("end", () => resolve(text));
    request.once("error", reject);
  });
}

/** Undefined if it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function sendTo(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}
