/** An extension on a server: combines its definition and its server half. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../protocol/capabilities.ts";
import { MissingClientCapabilityError } from "../protocol/errors.ts";
import type { SubscriptionFilter } from "../protocol/lifecycle.ts";
import type { ListenExtension, ServerExtensions, ServerHost, ToolExtension } from "../session/extension.ts";
import type { Handler } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import { hasCapabilities } from "../session/client-capabilities.ts";
import type { Codec } from "../wire/codec.ts";
import type { ExtensionDefinition, ServerHalf } from "./extension-definition.ts";

type Guarded = (context: RequestContext) => void;

/** @param others earlier extensions, which come first */
export function serveExtension(definition: ExtensionDefinition, host: ServerHost, others: ServerExtensions | undefined): ServerExtensions {
  const half = definition.server?.(host) ?? {};
  const gate = gateOf(definition);
  const handlers = new Map(Object.entries(half.handlers ?? {}));
  const { since } = definition;
  if (since !== undefined) host.use("initialize", hideExtension(definition.id, since));
  return {
    headerNames: new Map([...(others?.headerNames ?? []), ...Object.entries(definition.headerNames ?? {})]),
    declare: (capabilities) => declare(definition, half, others?.declare(capabilities) ?? capabilities),
    handlerOf: (method, codec) => others?.handlerOf(method, codec) ?? handlerOf(definition, handlers, gate, method, codec),
    tool: (name, options) => nestToolExtensions(others?.tool(name, options), half.tool?.(name, options)),
    listen: (context, wanted) => listenTo(definition, half, gate, others, context, wanted),
    begin() {
      others?.begin();
      half.begin?.();
    },
    async close() {
      await half.close?.();
      await others?.close();
    },
  };
}

function declare(
  { id, settings = {} }: ExtensionDefinition,
  { capabilities }: ServerHalf,
  declared: ServerCapabilities,
): ServerCapabilities {
  return { ...declared, ...capabilities, extensions: { ...declared.extensions, [id]: settings } };
}

/** Removes the extension from the handshake result of revisions before `since`. */
function hideExtension(id: string, since: string): (next: Handler<RequestContext>) => Handler<RequestContext> {
  return (next) => async (context) => {
    const result = await next(context);
    const capabilities = result["capabilities"] as ServerCapabilities; // made by this server
    if (context.protocolVersion >= since || capabilities.extensions === undefined) return result;
    const { [id]: _, ...extensions } = capabilities.extensions;
    return { ...result, capabilities: { ...capabilities, extensions } };
  };
}

/** Makes a check of the client's capabilities. It throws MissingClientCapabilityError if one is missing. */
function gateOf({ id, capabilityGate }: ExtensionDefinition): Guarded {
  const own: ClientCapabilities = { extensions: { [id]: {} } };
  const missing = capabilityGate ?? ((client): ClientCapabilities | undefined => (hasCapabilities(client, own) ? undefined : own));
  return ({ client }) => {
    const needs = missing(client.capabilities);
    if (needs !== undefined) throw new MissingClientCapabilityError(needs);
  };
}

/** The handler of a method. Core methods are open to all clients; methods of the extension only to clients that declared it. */
function handlerOf(
  { methods = [] }: ExtensionDefinition,
  handlers: ReadonlyMap<string, Handler<RequestContext>>,
  gate: Guarded,
  method: string,
  codec: Codec,
): Handler<RequestContext> | undefined {
  const handler = handlers.get(method);
  if (handler === undefined || codec.hasRequest(method, "client")) return handler;
  const { version } = codec;
  const added = methods.some((row) => row.method === method && (row.since ?? "") <= version && version <= (row.until ?? version));
  if (!added) return undefined;
  return (context) => {
    gate(context);
    return handler(context);
  };
}

function nestToolExtensions(outer: ToolExtension | undefined, inner: ToolExtension | undefined): ToolExtension | undefined {
  if (outer === undefined || inner === undefined) return outer ?? inner;
  return {
    listed: { ...outer.listed, ...inner.listed },
    call: (context, run) => outer.call(context, (within) => inner.call(within, run)),
  };
}

function listenTo(
  { listenFilters = [] }: ExtensionDefinition,
  half: ServerHalf,
  gate: Guarded,
  others: ServerExtensions | undefined,
  context: RequestContext,
  wanted: SubscriptionFilter,
): Promise<ListenExtension> | undefined {
  const rest = others?.listen(context, wanted);
  if (!listenFilters.some((filter) => wanted[filter] !== undefined)) return rest;
  return (async () => {
    gate(context);
    const parts = [await rest, await half.listen?.(context, wanted)].filter((part) => part !== undefined);
    return {
      honoured: Object.assign({}, ...parts.map((part) => part.honoured)) as SubscriptionFilter,
      begin: (notify: (method: string, params: JsonObject) => void) => {
        const stops = parts.map((part) => part.begin(notify));
        return () => stops.forEach((stop) => stop());
      },
    };
  })();
}
