/**
 * What stateless messages carry besides what they say. Requests: in `_meta` which revision they are written in, what the
 * client can do and who it is. Results: what kind they are, who answered, and how long they keep.
 */
import { HeadedResult, ResultHead } from "../jsonrpc/headed-result.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import { UnsupportedVersionError } from "../protocol/errors.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY, SERVER_INFO_KEY } from "../protocol/meta-keys.ts";
import { STATELESS_VERSIONS } from "../protocol/versions.ts";
import type { ClientIdentity, Codec } from "./codec.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export class Envelope {
  readonly #codec: Codec;
  /** `_meta` as each client sends it: the same object every time. */
  readonly #clientMeta = new WeakMap<ClientIdentity, JsonObject>();
  /** What the complete results of each server begin with. */
  readonly #heads = new WeakMap<Implementation, ResultHead>();

  constructor(codec: Codec) {
    this.#codec = codec;
  }

  /** Who asks, from the `_meta` of a request, which has been checked. @throws UnsupportedVersionError */
  identityIn(meta: JsonObject): ClientIdentity {
    const requested = meta[PROTOCOL_VERSION_KEY] as string;
    if (requested !== this.#codec.version) throw new UnsupportedVersionError(STATELESS_VERSIONS, requested);
    const identity: Mutable<ClientIdentity> = { capabilities: meta[CLIENT_CAPABILITIES_KEY] as ClientCapabilities };
    const info = meta[CLIENT_INFO_KEY] as Implementation | undefined;
    const logLevel = meta[LOG_LEVEL_KEY] as LoggingLevel | undefined;
    if (info) identity.info = info;
    if (logLevel) identity.logLevel = logLevel;
    return identity;
  }

  /** Params with who asks in `_meta`, under what the caller put there. */
  request(params: JsonObject | undefined, client: ClientIdentity): JsonObject {
    const meta = this.#metaFrom(client);
    // A member added after a spread costs many times one that stands before it.
    const encoded: JsonObject = { _meta: meta, ...params };
    if (encoded["_meta"] !== meta) encoded["_meta"] = isJsonObject(encoded["_meta"]) ? { ...meta, ...encoded["_meta"] } : meta;
    return encoded;
  }

  #metaFrom(client: ClientIdentity): JsonObject {
    let meta = this.#clientMeta.get(client);
    if (!meta) {
      const { version } = this.#codec;
      meta = { [PROTOCOL_VERSION_KEY]: version, [CLIENT_CAPABILITIES_KEY]: this.#codec.encodeClientCapabilities(client.capabilities) };
      if (client.info) meta[CLIENT_INFO_KEY] = client.info;
      if (client.logLevel) meta[LOG_LEVEL_KEY] = client.logLevel;
      this.#clientMeta.set(client, meta);
    }
    return meta;
  }

  /** A result with its kind, who answered, and, where it is `kept`, for how long and for whom. */
  result(resultType: unknown, result: JsonObject, server: Implementation | undefined, kept: boolean | undefined): JsonObject {
    if (server && !kept && resultType === "complete" && isHeadless(result)) return new HeadedResult(this.#headOf(server), result);
    const encoded: JsonObject = { resultType, ...result };
    if (server) encoded["_meta"] = this.#metaOf(server, result["_meta"]);
    if (kept) {
      encoded["ttlMs"] ??= 0;
      encoded["cacheScope"] ??= "private";
    }
    return encoded;
  }

  #metaOf(server: Implementation, own: unknown): unknown {
    const { _meta: meta } = this.#headOf(server).members;
    return isJsonObject(own) ? { ...(meta as JsonObject), ...own } : meta; // made below
  }

  #headOf(server: Implementation): ResultHead {
    let head = this.#heads.get(server);
    if (!head) this.#heads.set(server, (head = new ResultHead({ resultType: "complete", _meta: { [SERVER_INFO_KEY]: server } })));
    return head;
  }
}

/** Whether it brings along nothing of what results begin with, nor a form of its own. */
function isHeadless({ resultType, _meta, toJSON }: JsonObject): boolean {
  return resultType === undefined && _meta === undefined && toJSON === undefined;
}
