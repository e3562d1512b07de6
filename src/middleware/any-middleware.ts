/** Middleware that asks nothing of its context: it fits servers, clients and gateways alike. */
import type { Handler, HandlerContext } from "../session/handler.ts";

/** Middleware for servers and clients alike: it asks no more of its context than what every handler is told. */
export type AnyMiddleware = <C extends HandlerContext>(next: Handler<C>) => Handler<C>;

/** Whom a request is from, as far as that was made sure of. Requests on their way out have nobody. */
export function principalOf(context: HandlerContext): string | undefined {
  const { principal } = context as { principal?: unknown }; // what contexts of servers have
  return typeof principal === "string" ? principal : undefined;
}

/** Whose share of a limit a request counts against, as far as its server can tell clients apart. */
export function shareIn(context: HandlerContext): string | undefined {
  const { share } = context as { share?: unknown }; // what contexts of servers have
  return typeof share === "string" ? share : undefined;
}

/** What a request names: a tool, a prompt, a resource. */
export function nameIn({ params: { name, uri } }: HandlerContext): string | undefined {
  const named = name ?? uri;
  return typeof named === "string" ? named : undefined;
}
