/**
 * What a user sees who opens an endpoint in a browser: an explanation instead of a JSON-RPC error.
 *
 * Only the body differs, because programs read the status. The text never contains anything from the request.
 */
import type { HttpRequest, HttpResponse } from "../http-message.ts";

const WORDS = `This address belongs to an MCP server (Model Context Protocol). It is for MCP clients, and has no page to show.
To look at it, put this address into a client, for example: npx tenon list <this address>
`;
const TEXT = ["Content-Type", "text/plain; charset=utf-8"];
/** The statuses that a request for a page gets. Other refusals, such as a wrong host, keep their own text. */
const EXPLAINED: ReadonlySet<number> = /* @__PURE__ */ new Set([400, 401, 405, 406]);

/** Whether a browser asks for a page. An MCP client never accepts HTML without JSON or events. */
export function isPageRequest(request: HttpRequest): boolean {
  if (request.method !== "GET" || request.header("mcp-session-id") !== undefined) return false;
  const accept = request.header("accept")?.toLowerCase();
  return accept !== undefined && accept.includes("text/html") && !accept.includes("text/event-stream");
}

/** Replaces the body of a refusal by an explanation if a browser gets it. The status and the other headers stay. */
export function explainToBrowser(request: HttpRequest, response: HttpResponse): HttpResponse {
  if (!EXPLAINED.has(response.status) || !isPageRequest(request)) return response;
  const headers = [...response.headers];
  const type = headers.indexOf("Content-Type");
  headers.splice(type < 0 ? headers.length : type, 2, ...TEXT);
  return { status: response.status, headers, body: WORDS };
}
