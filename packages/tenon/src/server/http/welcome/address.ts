/** The address of an endpoint, as a user types it into a client: from the options, or from the request. */
import { isLoopback } from "../endpoint/guard.ts";
import { pathOf } from "../endpoint/authorization-gate.ts";
import type { HttpRequest } from "../http-message.ts";
import type { HttpOptions } from "../options.ts";

/** The address: what the options say of it, else what the browser has requested. */
export function addressOfEndpoint({ welcome, card, auth }: HttpOptions, request: HttpRequest): string {
  const given = typeof welcome === "object" ? welcome.url : undefined;
  const resource = auth?.metadata?.document["resource"];
  const known = given ?? card?.url ?? (typeof resource === "string" && URL.canParse(resource) ? resource : undefined);
  return plainAddress(known ?? requested(request));
}

/** The URL that was requested. A proxy that ends TLS is not seen: a name without a port is taken for `https:`, unless it is this machine. */
function requested(request: HttpRequest): string {
  const { url } = request;
  const host = request.header("host");
  if (/^https?:/i.test(url) || host === undefined || !URL.canParse(`http://${host}`)) return url;
  const { hostname, port } = new URL(`http://${host}`);
  const isPlain = isLoopback(hostname) || port !== "";
  return `${isPlain ? "http" : "https"}://${host}${pathOf(url)}`;
}

/**
 * The URL without a query, a fragment and a user. Security: it becomes part of commands that users copy, so that every character of its path
 * that means something in a shell is percent-encoded.
 */
function plainAddress(text: string): string {
  if (!URL.canParse(text)) return "http://localhost/mcp";
  const { protocol, host, pathname } = new URL(text);
  const path = pathname.replace(/[^\w/.~%-]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  return `${protocol}//${host}${path}`;
}
