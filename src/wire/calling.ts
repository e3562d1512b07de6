/**
 * The codec's other half: how a request says who asks, and how results are read. For whoever calls; a server loads it with
 * its first question to a client.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY } from "../protocol/meta-keys.ts";
import type { ClientIdentity, Codec } from "./codec.ts";
import { malformedResult } from "./malformed.ts";

/**
 * Shapes the params of a request that leaves, as {@link Codec.encodeParams} does; on stateless revisions the identity of the
 * client is put into `_meta`, under what the caller put there. Undefined where nothing is sent.
 * @throws McpError -32602 where the revision has no way at all to say it
 */
export function encodeRequest(codec: Codec, method: string, params: JsonObject | undefined, from: ClientIdentity): JsonObject | undefined {
  const shaped = codec.encodeParams(method, params);
  if (!codec.stateless) return shaped;
  const meta = metaFrom(codec, from);
  // A member added after a spread costs many times one that stands before it.
  const encoded: JsonObject = { _meta: meta, ...shaped };
  if (encoded["_meta"] !== meta) encoded["_meta"] = isJsonObject(encoded["_meta"]) ? { ...meta, ...encoded["_meta"] } : meta;
  return encoded;
}

/** `_meta` as each client sends it: the same object every time. */
const metas = new WeakMap<ClientIdentity, JsonObject>();

function metaFrom(codec: Codec, client: ClientIdentity): JsonObject {
  let meta = metas.get(client);
  if (meta?.[PROTOCOL_VERSION_KEY] !== codec.version) {
    meta = { [PROTOCOL_VERSION_KEY]: codec.version, [CLIENT_CAPABILITIES_KEY]: encodeClientCapabilities(codec, client.capabilities) };
    if (client.info) meta[CLIENT_INFO_KEY] = client.info;
    if (client.logLevel) meta[LOG_LEVEL_KEY] = client.logLevel;
    metas.set(client, meta);
  }
  return meta;
}

/**
 * Checks a result that arrived and returns it in the neutral model. On stateless revisions `extensionTypes` are the
 * values of `resultType` that extensions in use add; results of those types pass unchecked.
 * @throws ProtocolViolationError naming the method and the member that is wrong
 */
export function decodeResult(
  { messages, stateless }: Codec,
  method: string,
  result: JsonObject,
  extensionTypes?: ReadonlySet<string>,
): JsonObject {
  const row = stateless ? messages.methods.get(method) : undefined;
  const type = stateless && row?.kind !== "input" ? (result["resultType"] ?? "complete") : "complete";
  const asks = type === "input_required" && row?.mayAsk;
  if (type !== "complete" && !asks) {
    if (typeof type === "string" && extensionTypes?.has(type)) return result;
    throw malformedResult(method, `.resultType ${JSON.stringify(type)} is not one this request can have`);
  }
  const reading = asks ? messages.questions() : messages.reading("results", method);
  const problem = reading?.check(result);
  if (problem !== undefined) throw malformedResult(method, problem);
  return reading?.fill?.(result) ?? result;
}

/** Without what the revision cannot tell. */
export function encodeClientCapabilities({ messages }: Codec, capabilities: ClientCapabilities): ClientCapabilities {
  return messages.writeType("ClientCapabilities", capabilities);
}

/** Without what the revision cannot tell. */
export function encodeImplementation({ messages }: Codec, info: Implementation): Implementation {
  return messages.writeType("Implementation", info);
}
