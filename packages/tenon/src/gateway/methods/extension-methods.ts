/**
 * Methods that the gateway does not know, of extensions that a client and a server speak: where they go.
 *
 * The params say it: a URI or a name of the gateway leads to its server. Anything else goes to the only server. Which other members name
 * something is the extension's matter, so with a policy each text that names an entry is judged.
 */
import { SEPARATOR } from "../../base/text/naming.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { isCoreMethod } from "../../protocol/methods.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { KIND_ROWS, KINDS, type Kind } from "../../upstream/listing.ts";
import { keyOf } from "../../server/features/versions.ts";
import { unlistedError } from "../catalog/denial.ts";
import type { Caller } from "../clients/caller.ts";
import { withoutReserved } from "../meta.ts";
import type { GatewayParts } from "../parts.ts";
import type { Route } from "../router.ts";

type Parts = Pick<GatewayParts, "router" | "access" | "settings" | "audit">;

/** Most texts of the params that are judged; a request with more is refused. */
const MAX_TEXTS = 1_000;

export function isExtensionMethod(method: string): boolean {
  return !isCoreMethod(method) && !method.startsWith("notifications/");
}

/**
 * Where the request goes, and its params there. The audit log has the server.
 * @throws McpError -32601 if several servers could be meant, or a policy could not decide; -32602 if its members name entries of several
 * servers, or one that the policy denies
 */
export async function routeExtension(parts: Parts, context: RequestContext, caller: Caller): Promise<Route & { params: JsonObject }> {
  const { access, settings, audit } = parts;
  const { params, method } = context;
  const [first, ...others] = await namedIn(parts, params, caller);
  const route = first?.route ?? (await onlyServer(parts, caller));
  if (route === undefined) throw new McpError(ErrorCode.MethodNotFound, "Method not found", method);
  audit?.routed(context, route.server.name);
  for (const { kind, name, route: one } of first === undefined ? [] : [first, ...others]) {
    if (one.server !== route.server) throw unlistedError(kind, name);
    access.assertAllowed(context, kind, name, one);
  }
  if (settings.policy !== undefined) await assertTexts(parts, context, { caller, route });
  const ids = [first, ...others].flatMap((one) => (one === undefined ? [] : [[one.member, one.route.id] as const]));
  return { ...route, params: { ...params, ...Object.fromEntries(ids) } };
}

interface NamedEntry {
  readonly member: "uri" | "name";
  readonly kind: Kind;
  /** As the client wrote it. */
  readonly name: string;
  readonly route: Route;
}

async function namedIn({ router }: Parts, { uri, name }: JsonObject, caller: Caller): Promise<NamedEntry[]> {
  const named: NamedEntry[] = [];
  if (typeof uri === "string") named.push({ member: "uri", kind: "resource", name: uri, route: await router.resource(uri, caller) });
  if (typeof name === "string" && name.includes(SEPARATOR))
    named.push({ member: "name", kind: "tool", name, route: await router.named("tool", name, caller) });
  return named;
}

/** A policy cannot decide about a request that names nothing. */
async function onlyServer({ router, settings }: Parts, caller: Caller): Promise<Route | undefined> {
  const [server, ...others] = router.servers;
  if (server === undefined || others.length > 0 || settings.policy !== undefined) return undefined;
  return { server, lane: await server.lanes.forCall(caller), id: "" };
}

/** @throws McpError -32602 if a text of the params is the name or URI of an entry that the policy denies, at the server or in the gateway */
async function assertTexts(
  { access, router }: Parts,
  context: RequestContext,
  { caller, route: { server, lane } }: { readonly caller: Caller; readonly route: Route },
): Promise<void> {
  const texts = new Set<string>();
  for (const member of Object.values(withoutReserved(context.params))) collectTexts(member, texts);
  if (texts.size > MAX_TEXTS) throw new McpError(ErrorCode.InvalidParams, `The params have more than ${MAX_TEXTS} texts`);
  for (const kind of KINDS) {
    const listed = new Set(lane.listing[kind].map((item) => item[KIND_ROWS[kind].id]));
    for (const text of texts)
      for (const id of new Set([ownId(text, server.prefix, kind), text]))
        if (namesUnder(id).some((name) => listed.has(name))) access.assertAllowed(context, kind, text, { server, lane, id });
  }
  // A resource that only a template of the server matches.
  const uris = [...texts].filter((text) => text.includes(":"));
  const lists = await router.lists.of(caller);
  lists.uris.assertComparable(uris);
  for (const uri of uris) {
    const known = lists.uris.known(uri);
    if (known?.server === server) access.assertAllowed(context, "resource", uri, { server, lane, id: known.id });
  }
}

/** A name, and what may be the name of its listed version. */
function namesUnder(id: string): string[] {
  const names = [id];
  const mark = keyOf("", "");
  for (let at = id.indexOf(mark, 1); at > 0; at = id.indexOf(mark, at + 1)) names.push(id.slice(0, at));
  return names;
}

/** The name at the server of what a text may name in the gateway. */
function ownId(text: string, prefix: string, kind: Kind): string {
  const start = prefix + SEPARATOR;
  return (kind === "tool" || kind === "prompt") && text.startsWith(start) ? text.slice(start.length) : text;
}

/** Names of members inside a member count too: they may be names of entries. */
function collectTexts(value: unknown, texts: Set<string>): void {
  if (texts.size > MAX_TEXTS) return;
  if (typeof value === "string") texts.add(value);
  else if (Array.isArray(value)) for (const item of value) collectTexts(item, texts);
  else if (isJsonObject(value)) for (const one of Object.entries(value)) collectTexts(one, texts);
}
