/** The type of middleware that works on servers and on clients, and what it reads of a context. */
import type { RequestOptions } from "../dispatch/dispatcher.ts";
import type { Handler, HandlerContext } from "../session/handler.ts";

/** Middleware for servers and for clients: it uses only what every handler's context has. */
export type AnyMiddleware = <C extends HandlerContext>(next: Handler<C>) => Handler<C>;

/** Whether a client sends the request. Any other is handled here. */
export function isOutgoing<C extends HandlerContext>(context: C): context is C & { readonly options: RequestOptions } {
  return "options" in context;
}

/** The authenticated principal of a request; undefined without authentication and for outbound requests. */
export function principalOf(context: HandlerContext): string | undefined {
  const { principal } = context as { principal?: unknown }; // contexts of servers have it
  return typeof principal === "string" ? principal : undefined;
}

/** The client whose share of a limit a request uses: a principal or an address; undefined if the server knows neither. */
export function shareIn(context: HandlerContext): string | undefined {
  const { share } = context as { share?: unknown }; // what contexts of servers have
  return typeof share === "string" ? share : undefined;
}

/** The tool, prompt or resource that a request names. */
export function nameIn({ params: { name, uri } }: HandlerContext): string | undefined {
  const named = name ?? uri;
  return typeof named === "string" ? named : undefined;
}
