/**
 * The table of revisions, and how to find a codec: by the name of its revision, or for a request.
 *
 * A request that carries the `_meta` of a stateless revision is stateless, whatever its method and its connection; any other uses
 * the codec of its connection. A codec is built at its first use; all connections share it.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY } from "../protocol/meta-keys.ts";
import { isSupportedVersion, STATELESS_VERSIONS, type ProtocolVersion } from "../protocol/versions.ts";
import type { Codec } from "./codec.ts";
import { RevisionCodec } from "./revision-codec.ts";
import type { Revision } from "./revision.ts";
import { v20241105 } from "./v2024-11-05.ts";
import { v20250326 } from "./v2025-03-26.ts";
import { v20250618 } from "./v2025-06-18.ts";
import { v20251125 } from "./v2025-11-25.ts";
import { v20260728 } from "./v2026-07-28.ts";

export const REVISIONS: Readonly<Record<ProtocolVersion, Revision>> = {
  "2024-11-05": v20241105,
  "2025-03-26": v20250326,
  "2025-06-18": v20250618,
  "2025-11-25": v20251125,
  "2026-07-28": v20260728,
};

/** The last stateful revision and the newest: together they have everything that any revision has. */
const WIDEST: readonly Revision[] = [v20251125, v20260728];

const codecs = new Map<string, Codec>();

/** Returns undefined if Tenon does not support the revision. */
export function codecFor(version: ProtocolVersion): Codec;
export function codecFor(version: string): Codec | undefined;
export function codecFor(version: string): Codec | undefined {
  let codec = codecs.get(version);
  if (codec === undefined && isSupportedVersion(version)) {
    codec = new RevisionCodec(REVISIONS[version], WIDEST);
    codecs.set(version, codec);
  }
  return codec;
}

/** The `_meta` keys that stateless requests reserve. */
const REQUEST_KEYS = [PROTOCOL_VERSION_KEY, CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY];

/**
 * Whether these params claim a stateless revision: `_meta` has one of the keys that stateless requests reserve. The claim may still
 * be malformed or name an unsupported revision; `decodeIdentity` reports that.
 */
export function isStatelessClaim(params: JsonObject | undefined): boolean {
  const meta = params?.["_meta"];
  if (!isJsonObject(meta)) return false;
  for (const key of REQUEST_KEYS) if (meta[key] !== undefined) return true;
  return false;
}

/**
 * The codec for one inbound request. Returns undefined if the request claims no revision and has no connection. A claim that cannot
 * be served still gets a stateless codec, which refuses it with the right error.
 */
export function codecForRequest(params: JsonObject | undefined, connectionCodec?: Codec): Codec | undefined {
  if (!isStatelessClaim(params)) return connectionCodec;
  const meta = params!["_meta"] as JsonObject; // where the claim was found
  const claimed = codecFor(meta[PROTOCOL_VERSION_KEY] as string); // any value is safe
  return claimed?.stateless ? claimed : codecFor(STATELESS_VERSIONS[0]);
}
