/**
 * What stateless messages carry besides their content. A request has in `_meta` its revision, the client's capabilities and its
 * identity. A result has its kind, the server's identity, and how long it may be cached.
 */
import { HeadedResult, ResultHead } from "../jsonrpc/serialise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY, SERVER_INFO_KEY } from "../protocol/meta-keys.ts";
import type { ClientIdentity, Codec } from "./codec.ts";

/** Reads the client's identity from the `_meta` of a request, which has been checked. */
export function readIdentity(meta: JsonObject): ClientIdentity {
  return {
    capabilities: meta[CLIENT_CAPABILITIES_KEY] as ClientCapabilities,
    info: meta[CLIENT_INFO_KEY] as Implementation | undefined,
    logLevel: meta[LOG_LEVEL_KEY] as LoggingLevel | undefined,
  };
}

/** Adds the client's identity to the `_meta` of a request's params; the caller's own keys have priority. */
export function addIdentity(codec: Codec, params: JsonObject | undefined, client: ClientIdentity): JsonObject {
  const meta = metaOf(codec, client);
  // A member added after a spread costs many times one that comes before it.
  const request: JsonObject = { _meta: meta, ...params };
  const own = request["_meta"];
  if (own !== meta) request["_meta"] = isJsonObject(own) ? { ...meta, ...own } : meta;
  return request;
}

/** `_meta` as each client sends it: the same object every time. */
const metas = new WeakMap<ClientIdentity, JsonObject>();

function metaOf(codec: Codec, client: ClientIdentity): JsonObject {
  let meta = metas.get(client);
  if (meta?.[PROTOCOL_VERSION_KEY] !== codec.version) {
    meta = { [PROTOCOL_VERSION_KEY]: codec.version, [CLIENT_CAPABILITIES_KEY]: codec.encodeClientCapabilities(client.capabilities) };
    if (client.info) meta[CLIENT_INFO_KEY] = client.info;
    if (client.logLevel) meta[LOG_LEVEL_KEY] = client.logLevel;
    metas.set(client, meta);
  }
  return meta;
}

/** Adds to a complete result its kind and the server's identity; to a `cacheable` one also how long and for whom it may be cached. */
export function toCompleteResult(result: JsonObject, server: Implementation | undefined, cacheable: boolean): JsonObject {
  if (server && !cacheable && isHeadless(result)) return new HeadedResult(headOf(server), result);
  const encoded = toResultOfType("complete", result, server);
  if (cacheable) {
    encoded["ttlMs"] ??= 0;
    encoded["cacheScope"] ??= "private";
  }
  return encoded;
}

export function toResultOfType(resultType: unknown, result: JsonObject, server: Implementation | undefined): JsonObject {
  const encoded: JsonObject = { resultType, ...result };
  if (server) {
    const { _meta: meta } = headOf(server).members;
    const own = result["_meta"];
    encoded["_meta"] = isJsonObject(own) ? { ...(meta as JsonObject), ...own } : meta; // made below
  }
  return encoded;
}

/** The first members of the complete results of each server. */
const heads = new WeakMap<Implementation, ResultHead>();

function headOf(server: Implementation): ResultHead {
  let head = heads.get(server);
  if (!head) heads.set(server, (head = new ResultHead({ resultType: "complete", _meta: { [SERVER_INFO_KEY]: server } })));
  return head;
}

function isHeadless({ resultType, _meta, toJSON }: JsonObject): boolean {
  return resultType === undefined && _meta === undefined && toJSON === undefined;
}
