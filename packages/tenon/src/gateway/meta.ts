/** Members of `_meta` that a gateway never forwards, because they belong to one connection: the sender, the revision, the progress token. */
import { isJsonObject, setMember, type JsonObject } from "../jsonrpc/message.ts";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY, SERVER_INFO_KEY } from "../protocol/meta-keys.ts";
import { STEPS_KEY } from "../protocol/tenon-keys.ts";

/** In the `_meta` of a list: the names of the servers that still connect, whose entries are not in it; `true` if there is a policy. */
export const CONNECTING_KEY = "dev.tenon/connecting";

const OF_A_REQUEST: ReadonlySet<string> = new Set([
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  PROTOCOL_VERSION_KEY,
  STEPS_KEY,
  "progressToken",
]);

/** Params without what the client said to the gateway about itself. All other members of `_meta` stay. */
export function withoutReserved(params: JsonObject): JsonObject {
  if (!isJsonObject(params["_meta"])) return params;
  const { _meta: meta, ...rest } = params;
  let members: JsonObject | undefined;
  for (const key of Object.keys(meta)) if (!OF_A_REQUEST.has(key)) setMember((members ??= {}), key, meta[key]);
  if (members !== undefined) rest["_meta"] = members; // a spread with a new member costs a microsecond on Node 20
  return rest;
}

/** A result without the server's name and the mark of a complete result, which the gateway writes itself. */
export function withoutServerInfo(result: JsonObject): JsonObject {
  const { _meta: meta, resultType } = result;
  const isNamed = isJsonObject(meta) && SERVER_INFO_KEY in meta;
  if (!isNamed && resultType !== "complete") return result;
  const { _meta: _named, resultType: _type, ...rest } = result;
  if (resultType !== undefined && resultType !== "complete") rest["resultType"] = resultType;
  if (!isNamed) return meta === undefined ? rest : { ...rest, _meta: meta };
  const { [SERVER_INFO_KEY]: _info, ...others } = meta;
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others };
}

/** The members of `_meta` that say which trace a message belongs to. */
const TRACE_KEYS = ["traceparent", "tracestate", "baggage"] as const;

/** Params without the trace of the client, so that a span of the gateway can take its place. */
export function withoutTrace(params: JsonObject): JsonObject {
  const { _meta: meta } = params;
  if (!isJsonObject(meta) || !TRACE_KEYS.some((key) => key in meta)) return params;
  const { traceparent: _traceparent, tracestate: _tracestate, baggage: _baggage, ...rest } = meta;
  return { ...params, _meta: rest };
}

/** Params with the trace of the client, if they have none of the gateway. */
export function withTraceOf(original: JsonObject, params: JsonObject): JsonObject {
  const { _meta: meta } = params;
  const { _meta: own } = original;
  if (!isJsonObject(own) || (isJsonObject(meta) && "traceparent" in meta)) return params;
  const trace = TRACE_KEYS.filter((key) => key in own).map((key) => [key, own[key]] as const);
  return trace.length === 0 ? params : { ...params, _meta: { ...(isJsonObject(meta) && meta), ...Object.fromEntries(trace) } };
}
