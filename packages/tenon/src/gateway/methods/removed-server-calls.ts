/**
 * Rounds of calls whose server this gateway does not have any more: each is passed to the gateway that holds its call.
 *
 * The servers that drain here are not among them: `calls.ts` leads their rounds to the connection where the call waits.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { SuspendedState } from "../asking/states.ts";
import { unlistedError } from "../catalog/denial.ts";
import type { Kind } from "../../upstream/listing.ts";
import { UNKNOWN_ANNOTATIONS } from "../../upstream/older-versions.ts";
import { aliasOf, schemeOf, withUris } from "../../session/uris.ts";
import type { GatewayParts } from "../parts.ts";

/** The call that a request continues, if this gateway does not have its server. */
export async function removedCallOf(
  { router, draining, forwarder }: GatewayParts,
  context: RequestContext,
): Promise<SuspendedState | undefined> {
  const state = await forwarder.suspendedState(context);
  if (state === undefined || router.serverNamed(state.server) !== undefined) return undefined;
  const place = forwarder.placeOf(state);
  return place !== undefined && draining.serverOf(place.lane) !== undefined ? undefined : state;
}

/**
 * Passes the round on. The rules and quotas of this gateway apply to it, as to every request.
 * @throws McpError as for an entry that does not exist, if the policy denies it; -32603 if no gateway holds the call
 */
export async function continueRemoved(
  parts: GatewayParts,
  context: RequestContext,
  { kind, name }: { readonly kind: Kind; readonly name: string },
  state: SuspendedState,
): Promise<JsonObject> {
  const { audit, access, settings, forwarder } = parts;
  const { server, id } = state;
  audit?.routed(context, server);
  const report = (error: unknown, method?: string): void => settings.report(error, { server, ...(method !== undefined && { method }) });
  // The annotations are not known without the server, so that a rule about them takes the call for one that may do harm.
  const isAllowed = access.isAllowed(context, { kind, server: { name: server, report }, id, item: { annotations: UNKNOWN_ANNOTATIONS } });
  if (!isAllowed) {
    audit?.denied(context);
    throw unlistedError(kind, name);
  }
  const result = await settings.quotas.run(context, server, () => forwarder.passRound(context, state, server));
  const scheme = schemeOf(settings.prefixOf(server) || server);
  // Without an alias, a URI could lead to another server here.
  return withUris(result, (uri) => aliasOf(scheme, uri));
}
