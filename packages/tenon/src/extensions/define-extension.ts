/** Makes an extension from its definition: one object for servers and clients. */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { prefixOwner } from "../protocol/methods.ts";
import type { Extension, ClientExtensions, ClientHost } from "../session/extension.ts";
import type { ExtensionDefinition } from "./extension-definition.ts";
import { serveExtension } from "./server-side.ts";

/** An id has the form of a `_meta` key with a prefix (MCP 2026-07-28, `_meta`). */
const ID = /^[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)+\/[a-z0-9]([\w.-]*[a-z0-9])?$/i;

const EXTENSION_KEYS: OptionKeys<ExtensionDefinition> = {
  id: 1,
  settings: 1,
  since: 1,
  methods: 1,
  answers: 1,
  notifications: 1,
  resultTypes: 1,
  headerNames: 1,
  listenFilters: 1,
  capabilityGate: 1,
  clientCapabilities: 1,
  server: 1,
  client: 1,
};

/**
 * Makes an extension for servers and clients.
 * @throws RangeError if the id is invalid, or if the prefix of a method is reserved for another extension
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { defineExtension } from "tenon/ext";
 * import { McpServer } from "tenon/server";
 *
 * const greeting = defineExtension({
 *   id: "com.example/greeting",
 *   methods: [{ method: "greeting/say", kind: "request", sender: "client" }],
 *   server: () => ({ handlers: { "greeting/say": () => ({ text: "Hello" }) } }),
 * });
 * const server = new McpServer({ name: "greeter", version: "1.0.0" }, { extensions: [greeting] });
 * await using client = await connect(server, { extensions: [greeting] });
 * console.log((await client.request("greeting/say"))["text"]); // Hello
 * ```
 */
export function defineExtension(definition: ExtensionDefinition): Extension {
  assertKnown("defineExtension()", definition, EXTENSION_KEYS);
  const { id, settings = {}, clientCapabilities } = definition;
  if (!ID.test(id))
    throw new RangeError(`Extension id ${JSON.stringify(id)} must be a dotted prefix, a slash and a name, as in "com.example/thing"`);
  for (const { method } of definition.methods ?? []) assertOwnPrefix(method, id);
  return {
    id,
    headerNames: new Map(Object.entries(definition.headerNames ?? {})),
    declare(capabilities) {
      const declared = { ...capabilities, extensions: { ...capabilities.extensions, [id]: settings } };
      return { ...declared, ...clientCapabilities?.(declared) };
    },
    serve: (host, others) => serveExtension(definition, host, others),
    attach: (host, others) => attachExtension(definition, host, others),
  };
}

function assertOwnPrefix(method: string, id: string): void {
  const owner = prefixOwner(method);
  if (owner === undefined || owner === id) return;
  throw new RangeError(`Extension "${id}" cannot have the method "${method}": its prefix is reserved for the extension "${owner}"`);
}

/** Combines the definition of an extension and its client half. @param others earlier extensions; their middleware is outside of this one's */
function attachExtension(definition: ExtensionDefinition, host: ClientHost, others: ClientExtensions | undefined): ClientExtensions {
  const half = definition.client?.(host) ?? {};
  const heard = new Set(definition.notifications);
  host.subscribe((method, params) => {
    if (heard.has(method)) half.onNotification?.(method, params);
  });
  const types = resultTypesOf(definition);
  return {
    middleware(next) {
      const own = half.middleware?.(next) ?? next;
      return others?.middleware(own) ?? own;
    },
    resultTypes(method) {
      const [before, added] = [others?.resultTypes(method), types.get(method)];
      return before && added ? new Set([...before, ...added]) : (before ?? added);
    },
    handlesRequest: (method) => definition.answers?.includes(method) === true || others?.handlesRequest(method) === true,
    wrapInbound(next) {
      const own = half.answering?.(next) ?? next;
      return others?.wrapInbound(own) ?? own;
    },
    task: (taskId) => half.task?.(taskId) ?? others?.task(taskId),
  };
}

function resultTypesOf({ resultTypes = {} }: ExtensionDefinition): ReadonlyMap<string, ReadonlySet<string>> {
  const types = new Map<string, Set<string>>();
  for (const [type, methods] of Object.entries(resultTypes)) {
    for (const method of methods) types.set(method, (types.get(method) ?? new Set()).add(type));
  }
  return types;
}
