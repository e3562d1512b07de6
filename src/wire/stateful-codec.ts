/**
 * The codec of the revisions that open with a handshake. Who asks is known from the connection, not from the request;
 * results have no kind. What differs between these revisions is in their folders.
 */
import { ErrorCode, McpError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { StatefulVersion } from "../protocol/versions.ts";
import type { ClientIdentity, Codec, Sender } from "./codec.ts";
import { resultDefaults } from "./defaults.ts";
import { RevisionMessages } from "./revision-messages.ts";
import type { Revision } from "./revision.ts";

/** What else than shapes tells the stateful revisions apart. */
export interface StatefulTraits {
  /** Default false. */
  readonly acceptsBatches?: boolean;
  /** Default `"error"`. */
  readonly invalidToolInput?: "result" | "error";
  /** Codes this revision has beside those of all stateful ones. */
  readonly ownCodes?: readonly number[];
}

/** Codes that are local or belong to other revisions, and the nearest code every stateful revision has. */
const substitutes: ReadonlyMap<number, number> = new Map([
  [ErrorCode.ConnectionClosed, ErrorCode.InternalError],
  [ErrorCode.RequestTimeout, ErrorCode.InternalError],
  [ErrorCode.HeaderMismatch, ErrorCode.InvalidRequest],
  [ErrorCode.MissingRequiredClientCapability, ErrorCode.InvalidRequest],
  [ErrorCode.UnsupportedProtocolVersion, ErrorCode.InvalidParams],
  [ErrorCode.UrlElicitationRequired, ErrorCode.InternalError],
]);

export class StatefulCodec implements Codec {
  readonly version: StatefulVersion;
  readonly stateless = false;
  readonly acceptsBatches: boolean;
  readonly invalidToolInput: "result" | "error";
  readonly #ownCodes: readonly number[];
  readonly #messages: RevisionMessages;

  constructor(revision: Revision<StatefulVersion>, traits: StatefulTraits = {}) {
    this.version = revision.version;
    this.acceptsBatches = traits.acceptsBatches ?? false;
    this.invalidToolInput = traits.invalidToolInput ?? "error";
    this.#ownCodes = traits.ownCodes ?? [];
    this.#messages = new RevisionMessages(revision, ["resultType", "ttlMs", "cacheScope"]);
  }

  hasRequest(method: string, sender: Sender): boolean {
    return this.#messages.has("request", method, sender);
  }

  hasNotification(method: string, sender: Sender): boolean {
    return this.#messages.has("notification", method, sender);
  }

  decodeParams(method: string, params: JsonObject | undefined): JsonObject {
    return this.#messages.decodeParams(method, params);
  }

  decodeIdentity(): undefined {
    return undefined;
  }

  encodeParams(method: string, params: JsonObject | undefined, _from?: ClientIdentity): JsonObject | undefined {
    return params && this.#messages.encodeParams(method, params);
  }

  /** @throws McpError -32603 for a result that is no answer: these revisions have no questions in results, nor tasks */
  encodeResult(method: string, result: JsonObject): JsonObject {
    const { resultType = "complete" } = result;
    if (resultType !== "complete") {
      throw new McpError(ErrorCode.InternalError, `${this.version} has no results of type ${JSON.stringify(resultType)}`);
    }
    return this.#messages.encodeResult(method, result);
  }

  decodeResult(method: string, result: JsonObject): JsonObject {
    this.#messages.checkResult(method, result);
    return resultDefaults.get(method)?.(result) ?? result;
  }

  encodeError(error: McpError): ErrorData {
    const data = error.toErrorData();
    const substitute = this.#ownCodes.includes(data.code) ? undefined : substitutes.get(data.code);
    return substitute === undefined ? data : { ...data, code: substitute };
  }

  encodeClientCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
    return this.#messages.encodeType("ClientCapabilities", capabilities);
  }

  encodeServerCapabilities(capabilities: ServerCapabilities): ServerCapabilities {
    return this.#messages.encodeType("ServerCapabilities", capabilities);
  }

  encodeImplementation(info: Implementation): Implementation {
    return this.#messages.encodeType("Implementation", info);
  }
}
