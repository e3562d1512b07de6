/**
 * Rounds of calls whose server this gateway does not have any more: each is passed to the gateway that holds its call.
 *
 * The servers that drain here are not among them: `calls.ts` leads their rounds to the connection where the call waits.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { SuspendedState } from "../asking/states.ts";
import { plainUri } from "../../base/uri-template/spelled-uris.ts";
import { unlistedError } from "../catalog/denial.ts";
import { EMPTY_LISTING, type Listing } from "../catalog/listing.ts";
import { KIND_ROWS, type Kind } from "../../upstream/listing.ts";
import { UNKNOWN_ANNOTATIONS, unversioned } from "../../upstream/older-versions.ts";
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
  const found = { server: { name: server, report }, id, lane: { listing: assumedListing(kind, id) } };
  if (!access.allows(context, kind, found)) {
    audit?.denied(context);
    throw unlistedError(kind, name);
  }
  const result = await settings.quotas.run(context, server, () => forwarder.passRound(context, state, server));
  const scheme = schemeOf(settings.prefixOf(server) || server);
  // Without an alias, a URI could lead to another server here.
  return withUris(result, (uri) => aliasOf(scheme, uri));
}

/** What a server that is not here would list: a tool without its versions, which may do harm. */
function assumedListing(kind: Kind, id: string): Listing {
  const listed = kind === "tool" || kind === "prompt" ? unversioned(id) : plainUri(id);
  return { ...EMPTY_LISTING, [kind]: [{ [KIND_ROWS[kind].id]: listed, annotations: UNKNOWN_ANNOTATIONS }] };
}
