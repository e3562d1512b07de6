/**
 * Methods that the gateway does not know, of extensions that a client and a server speak: where they go.
 *
 * The params say it: a URI or a name of the gateway leads to its server. Anything else goes to the only server.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isCoreMethod } from "../../protocol/methods.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Caller } from "../clients/caller.ts";
import type { GatewayParts } from "../parts.ts";
import type { Route } from "../router.ts";
import { SEPARATOR } from "../../base/naming.ts";

/** Whether it is a method of an extension. */
export function isExtensionMethod(method: string): boolean {
  return !isCoreMethod(method) && !method.startsWith("notifications/");
}

/** Where the request goes, and its params there. @throws McpError -32601 if several servers could be meant, or a policy could not decide */
export async function routeExtension(
  { router, access, settings }: Pick<GatewayParts, "router" | "access" | "settings">,
  context: RequestContext,
  caller: Caller,
): Promise<Route & { params: RequestContext["params"] }> {
  const { params, method } = context;
  const { uri, name } = params;
  if (typeof uri === "string") {
    const route = await router.resource(uri, caller);
    access.assertAllowed(context, "resource", uri, route);
    return { ...route, params: { ...params, uri: route.id } };
  }
  if (typeof name === "string" && name.includes(SEPARATOR)) {
    const route = await router.named("tool", name, caller);
    access.assertAllowed(context, "tool", name, route);
    return { ...route, params: { ...params, name: route.id } };
  }
  const [server, ...others] = router.servers;
  if (server === undefined || others.length > 0 || settings.policy !== undefined)
    throw new McpError(ErrorCode.MethodNotFound, "Method not found", method);
  return { server, lane: await server.openedLane(caller), id: "", params };
}
