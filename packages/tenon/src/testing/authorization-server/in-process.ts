/** Converts a web request for the server's endpoints, and their response back, without a socket. */
import type { HttpRequest, HttpResponse } from "../../server/http/http-message.ts";

/** @throws `signal.reason` if the request is aborted before its response */
export async function inProcess(handle: (request: HttpRequest) => Promise<HttpResponse>, request: Request): Promise<Response> {
  request.signal.throwIfAborted();
  const abandoned = new Promise<never>((_, reject) => {
    request.signal.addEventListener("abort", () => reject(request.signal.reason as Error), { once: true });
  });
  // The race may settle first, so this rejection must be handled.
  abandoned.catch(() => undefined);
  const { status, headers, body } = await Promise.race([handle(toHttpRequest(request)), abandoned]);
  const pairs: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i]!, headers[i + 1]!]);
  return new Response(typeof body === "string" ? body : null, { status, headers: pairs });
}

function toHttpRequest(request: Request): HttpRequest {
  return {
    method: request.method,
    url: request.url,
    header: (name) => request.headers.get(name) ?? (name === "host" ? new URL(request.url).host : undefined),
    text: () => request.text(),
  };
}
