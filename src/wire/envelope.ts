/**
 * What stateless messages carry besides what they say, as a server sees it. Requests: in `_meta` which revision they are
 * written in, what the client can do and who it is. Results: what kind they are, who answered, and how long they keep.
 */
import { HeadedResult, ResultHead } from "../jsonrpc/headed-result.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import { UnsupportedVersionError } from "../protocol/errors.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY, SERVER_INFO_KEY } from "../protocol/meta-keys.ts";
import { STATELESS_VERSIONS } from "../protocol/versions.ts";
import type { ClientIdentity } from "./codec.ts";

/** Who asks, from the `_meta` of a request in that revision, which has been checked. @throws UnsupportedVersionError */
export function identityIn(meta: JsonObject, version: string): ClientIdentity {
  const requested = meta[PROTOCOL_VERSION_KEY] as string;
  if (requested !== version) throw new UnsupportedVersionError(STATELESS_VERSIONS, requested);
  return {
    capabilities: meta[CLIENT_CAPABILITIES_KEY] as ClientCapabilities,
    info: meta[CLIENT_INFO_KEY] as Implementation | undefined,
    logLevel: meta[LOG_LEVEL_KEY] as LoggingLevel | undefined,
  };
}

/** A result with its kind, who answered, and, where it is `kept`, for how long and for whom. */
export function inEnvelope(
  resultType: unknown,
  result: JsonObject,
  server: Implementation | undefined,
  kept: boolean | undefined,
): JsonObject {
  if (server && !kept && resultType === "complete" && isHeadless(result)) return new HeadedResult(headOf(server), result);
  const encoded: JsonObject = { resultType, ...result };
  if (server) encoded["_meta"] = metaOf(server, result["_meta"]);
  if (kept) {
    encoded["ttlMs"] ??= 0;
    encoded["cacheScope"] ??= "private";
  }
  return encoded;
}

function metaOf(server: Implementation, own: unknown): unknown {
  const { _meta: meta } = headOf(server).members;
  return isJsonObject(own) ? { ...(meta as JsonObject), ...own } : meta; // made below
}

/** What the complete results of each server begin with. */
const heads = new WeakMap<Implementation, ResultHead>();

function headOf(server: Implementation): ResultHead {
  let head = heads.get(server);
  if (!head) heads.set(server, (head = new ResultHead({ resultType: "complete", _meta: { [SERVER_INFO_KEY]: server } })));
  return head;
}

/** Whether it brings along nothing of what results begin with, nor a form of its own. */
function isHeadless({ resultType, _meta, toJSON }: JsonObject): boolean {
  return resultType === undefined && _meta === undefined && toJSON === undefined;
}
