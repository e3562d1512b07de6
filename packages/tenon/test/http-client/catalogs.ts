/** A domain with a catalog, cards and an endpoint, as `fetch` sees it, for clients that look for the endpoint of a domain. */
import { onTestFinished } from "vitest";
import type { JsonObject } from "tenon";
import { createFetchHandler, type FetchHandler } from "tenon/server";
import { testServer } from "../support/test-server.ts";

export const CATALOG = "/.well-known/ai-catalog.json";
const CARD_TYPE = "application/mcp-server-card+json";

function endpoint(): FetchHandler {
  const server = testServer({ name: "weather" });
  server.tool("rain", {}, (_input, context) => `rain ${context.header("x-key") ?? "without a key"}`);
  const handle = createFetchHandler(server, { allowedHosts: ["example.com", "other.example"] });
  onTestFinished(() => handle.close());
  return handle;
}

/** A document, a page of HTML, or what makes a response. */
export type Page = JsonObject | string | ((request: Request) => Response);

/** A network: documents and endpoints by URL. What is not there answers 404, as a plain web server does. */
export function network(
  pages: Record<string, Page>,
  endpoints: readonly string[] = ["https://example.com/mcp"],
): { readonly fetch: never; readonly seen: readonly string[] } {
  const seen: string[] = [];
  const served = endpoint();
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    seen.push(`${request.method} ${url}`);
    if (endpoints.includes(url)) return served(request);
    const page = pages[url];
    if (typeof page === "function") return page(request);
    if (page === undefined) return new Response("Not found", { status: 404, headers: { "content-type": "text/plain" } });
    const type = typeof page === "string" ? "text/html" : "application/json";
    return new Response(typeof page === "string" ? page : JSON.stringify(page), { headers: { "content-type": type } });
  };
  return { fetch: fetch as never, seen };
}

export const card = (name: string, ...remotes: JsonObject[]): JsonObject => ({ name, version: "1", description: "x", remotes });
export const remote = (url: string, more: JsonObject = {}): JsonObject => ({ type: "streamable-http", url, ...more });
export const catalog = (...entries: JsonObject[]): JsonObject => ({
  specVersion: "1.0",
  entries: entries.map((one) => ({ type: CARD_TYPE, ...one })),
});
/** An entry whose card is at that URL. */
export const at = (url: string): JsonObject => ({ identifier: `urn:air:${url}`, url });
/** The catalog of a domain that names this one card. */
export const one = (data: JsonObject): Record<string, Page> => ({
  [`https://example.com${CATALOG}`]: catalog({ identifier: "urn:air:example.com:mcp:w", data }),
});
/** The message that a connection fails with. */
export const failure = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "no failure",
    (error: Error) => error.message,
  );
