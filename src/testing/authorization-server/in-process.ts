/** A web request as the server's endpoints read it, and their answer as a web response: no socket is opened. */
import type { HttpRequest, HttpResponse } from "../../server/http/http-message.ts";

/** @throws `signal.reason` of a request that was abandoned before it was answered */
export async function inProcess(handle: (request: HttpRequest) => Promise<HttpResponse>, request: Request): Promise<Response> {
  request.signal.throwIfAborted();
  const abandoned = new Promise<never>((_, reject) => {
    request.signal.addEventListener("abort", () => reject(request.signal.reason as Error), { once: true });
  });
  // It may never be awaited to its end.
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
