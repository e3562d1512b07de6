/**
 * Which revision a request is written in. A request that carries the `_meta` of a stateless revision is stateless,
 * whatever its method and whatever connection it came on; any other belongs to the connection.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY } from "../protocol/meta-keys.ts";
import { STATELESS_VERSIONS } from "../protocol/versions.ts";
import type { Codec } from "./codec.ts";
import { codecFor } from "./revisions.ts";

const REQUEST_KEYS = [PROTOCOL_VERSION_KEY, CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY];

/**
 * Whether these params claim a stateless revision: one of the keys stateless requests reserve in `_meta` is there.
 * The claim may still be malformed or name a revision nobody speaks; `decodeIdentity` says so.
 */
export function isStatelessClaim(params: JsonObject | undefined): boolean {
  const meta = params?.["_meta"];
  if (!isJsonObject(meta)) return false;
  for (const key of REQUEST_KEYS) if (meta[key] !== undefined) return true;
  return false;
}

/**
 * The codec for one inbound request. Undefined where the request claims nothing and there is no connection to belong
 * to. A claim that cannot be met still gets a stateless codec, the one that will refuse it in the right words.
 */
export function codecForRequest(params: JsonObject | undefined, connectionCodec?: Codec): Codec | undefined {
  if (!isStatelessClaim(params)) return connectionCodec;
  const meta = params!["_meta"] as JsonObject; // where the claim was found
  const claimed = codecFor(meta[PROTOCOL_VERSION_KEY] as string); // whatever it is
  return claimed?.stateless ? claimed : codecFor(STATELESS_VERSIONS[0]);
}
