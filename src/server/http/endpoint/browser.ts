/**
 * What a person sees who opens an endpoint in a browser: words instead of a JSON-RPC error.
 *
 * Only the body differs, for programs go by the status. It is the same text for everybody: nothing of the request is in it.
 */
import type { HttpRequest, HttpResponse } from "../http-message.ts";

const WORDS = `This address belongs to an MCP server (Model Context Protocol). It is for MCP clients, and has no page to show.
To look at it, put this address into a client, for example: npx tenon list <this address>
`;
const TEXT = ["Content-Type", "text/plain; charset=utf-8"];
/** What asking for a page leads to; other refusals, such as a wrong host, have something of their own to say. */
const EXPLAINED: ReadonlySet<number> = /* @__PURE__ */ new Set([400, 401, 405, 406]);

/** Whether a browser asks for a page. No client of MCP takes HTML and nothing that it could read. */
export function isPageRequest(request: HttpRequest): boolean {
  if (request.method !== "GET" || request.header("mcp-session-id") !== undefined) return false;
  const accept = request.header("accept")?.toLowerCase();
  return accept !== undefined && accept.includes("text/html") && !accept.includes("text/event-stream");
}

/** A refusal in words where a browser gets it, with its status and every other header as they were. */
export function explainToBrowser(request: HttpRequest, response: HttpResponse): HttpResponse {
  if (!EXPLAINED.has(response.status) || !isPageRequest(request)) return response;
  const headers = [...response.headers];
  const type = headers.indexOf("Content-Type");
  headers.splice(type < 0 ? headers.length : type, 2, ...TEXT);
  return { status: response.status, headers, body: WORDS };
}
