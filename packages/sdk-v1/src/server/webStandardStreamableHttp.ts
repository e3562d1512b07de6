/**
 * `WebStandardStreamableHTTPServerTransport` of the SDK 1.x. Sessions are the original's; requests of the revisions without a handshake
 * are served by Tenon's endpoint.
 */
import {
  WebStandardStreamableHTTPServerTransport as OfficialTransport,
  type HandleRequestOptions,
} from "mcp-sdk-v1/server/webStandardStreamableHttp.js";
import type { FetchHandler } from "tenon/server";
import { isNewest, NewestHandlers, serverOf, wasTaken } from "../below/newest-requests.ts";
import { requestFacts } from "../below/request-facts.ts";

export * from "mcp-sdk-v1/server/webStandardStreamableHttp.js";

/** A transport of one session, or of one request if it has no `sessionIdGenerator`. It serves the revisions without a handshake, too. */
export class WebStandardStreamableHTTPServerTransport extends OfficialTransport {
  #handlers: NewestHandlers<FetchHandler> | undefined;

  /** Handles one request. @throws Error if a transport without sessions handles a second one */
  override async handleRequest(request: Request, options: HandleRequestOptions = {}): Promise<Response> {
    const response = await this.#handle(request, options);
    return wasTaken(options.parsedBody) ? atItsEnd(response, () => this.close()) : response;
  }

  async #handle(request: Request, options: HandleRequestOptions): Promise<Response> {
    const server = serverOf(this);
    if (server === undefined || !isNewest(request.method, (name) => request.headers.get(name)))
      return super.handleRequest(request, options);
    const refused = (this as unknown as { validateRequestHeaders(request: Request): Response | undefined }).validateRequestHeaders(request); // private for the compiler only
    if (refused !== undefined) return refused;
    this.#handlers ??= new NewestHandlers(async (options) => {
      const { createFetchHandler } = await import("tenon/server");
      await server.begin();
      return createFetchHandler(server, { ...options, onError: (error) => this.onerror?.(error) });
    });
    const { parsedBody, authInfo } = options;
    const facts = {
      ...(authInfo && { authInfo }),
      requestInfo: { headers: Object.fromEntries(request.headers), url: new URL(request.url) },
    };
    return requestFacts.run(facts, await this.#handlers.for(facts), withBody(request, parsedBody));
  }
}

/** The request with the body that a framework has read already. */
function withBody(request: Request, body: unknown): Request {
  if (body === undefined) return request;
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: JSON.stringify(body) });
}

/** The same response, and `ended` is called when all of it has been read, or its reader has gone. */
function atItsEnd(response: Response, ended: () => Promise<void>): Response {
  const reader = response.body?.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller): Promise<void> {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (!done && value !== undefined) return controller.enqueue(value);
      controller.close();
      await ended();
    },
    async cancel(reason): Promise<void> {
      await reader?.cancel(reason);
      await ended();
    },
  });
  return new Response(body, response);
}
