/** Lets pages of this machine, on any port, talk to the server as a browser client does. Never `*`, never with cookies. */
import { isLoopbackOrigin } from "../../../server/http/endpoint/guard.ts";
import type { EndpointResponse } from "../exchange.ts";

type Header = (name: string) => string | undefined;

/** The CORS headers of a response, as names and values in turn. */
export function corsHeaders(header: Header): readonly string[] {
  const origin = header("origin");
  if (origin === undefined || !isLoopbackOrigin(origin)) return ["Vary", "Origin"];
  return ["Vary", "Origin", "Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", "DPoP-Nonce, WWW-Authenticate"];
}

export const PREFLIGHT: EndpointResponse = {
  status: 204,
  headers: [
    "Access-Control-Allow-Methods",
    "GET, POST",
    "Access-Control-Allow-Headers",
    "Accept, Authorization, Content-Type, DPoP, MCP-Protocol-Version",
  ],
};
