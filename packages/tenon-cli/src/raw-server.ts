/**
 * A server whose lists and results are sent as they are given: for what other servers said, or what a run may see of them.
 *
 * Nothing of a result is checked, so that a fault of the other server stays what it was. Every revision and transport serves it.
 */
import type { Implementation, JsonObject, MaybePromise, RequestContext, ServerCapabilities } from "tenon";
import { embedHandlers } from "tenon/internal";
import { McpServer } from "tenon/server";

export interface RawServerOptions {
  readonly info: Implementation;
  readonly instructions?: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** Each method with what gives its result. Others are Tenon's. */
  readonly methods: Readonly<Record<string, (context: RequestContext) => MaybePromise<JsonObject>>>;
}

export function rawServer({ info, instructions, capabilities, methods }: RawServerOptions): McpServer {
  const server = new McpServer(info, { logging: false, ...(instructions !== undefined && { instructions }) });
  embedHandlers(server, {
    capabilities,
    has: (method) => Object.hasOwn(methods, method),
    notified: () => undefined,
    handle: (context, next) => {
      const method = Object.hasOwn(methods, context.method) ? methods[context.method] : undefined;
      if (method === undefined) return next(context);
      context.isResultChecked = true;
      return method(context);
    },
  });
  return server;
}
