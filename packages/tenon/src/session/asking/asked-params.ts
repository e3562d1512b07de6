/**
 * What a request asks for: what the answers of its user are bound to, in sealed states and on pages. An answer counts for this and nothing
 * else, also if another round or another request of the same brings it.
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { VERSION_KEY } from "../../protocol/tenon-keys.ts";

/** The params without what belongs to one round. The version that is asked for stays: another version does something else. */
export function askedParams(params: JsonObject): JsonObject {
  const { _meta: meta, inputResponses: _inputResponses, requestState: _requestState, ...rest } = params;
  const version = isJsonObject(meta) ? meta[VERSION_KEY] : undefined;
  return version === undefined ? rest : { ...rest, _meta: { [VERSION_KEY]: version } };
}
