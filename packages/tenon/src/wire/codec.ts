/**
 * A revision of the protocol on the wire: the interface between the one handler model and all revisions.
 *
 * A codec is chosen once at the edge (`revisions.ts` on the server, negotiation on the client). Above this layer no code names a
 * revision; it asks the codec. Codecs are stateless and shared by all connections. They never change their arguments: if nothing
 * has to change they return the same object, else a shallow copy.
 */
import type { ErrorData, McpError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { LoggingLevel } from "../protocol/types.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { Reading } from "./deviations.ts";

/** Which side sends a message: the side that accepted the connection is the server. */
export type Sender = "client" | "server";

/** The client's identity and capabilities: from the handshake, or (stateless) from the request's own `_meta`. */
export interface ClientIdentity {
  /** Absent if the client does not state it. Security: base no decision on it. */
  readonly info?: Implementation | undefined;
  /** What it can do; `{}` if it did not say. */
  readonly capabilities: ClientCapabilities;
  /** The least severe log message this request wants; stateless revisions only. */
  readonly logLevel?: LoggingLevel | undefined;
  /** The `_meta` of the request, if it had to be mended. */
  readonly meta?: JsonObject | undefined;
}

/** What a codec does with a result besides encoding it. */
export interface EncodeResultOptions {
  /**
   * The server's identity, which stateless revisions add to the result. Such a result can be written or copied, not read
   * (`HeadedResult`). Default: not added.
   */
  readonly server?: Implementation;
  /** Whether a complete result is checked as its reader would check it. Default false. */
  readonly check?: boolean;
}

/** How a revision differs from others besides its messages: code above the codec uses these facts and never a revision. */
export interface CodecFacts {
  /** Whether an array of messages is allowed (2025-03-26). */
  readonly acceptsBatches: boolean;
  /** Over HTTP a stream of a session begins with an event id, so that the client can resume it from the beginning. */
  readonly primesStreams: boolean;
  /** Over HTTP every request of a session names the revision in `MCP-Protocol-Version`, once it is agreed on. */
  readonly namesVersionInHeader: boolean;
  /** Its HTTP transport is HTTP+SSE: one stream for all messages of the server, and an endpoint for messages to it. */
  readonly hasHttpSse: boolean;
}

/** One revision of the protocol on the wire: what it has, and how it writes and reads it. */
export interface Codec extends CodecFacts {
  /** The revision of this codec. */
  readonly version: ProtocolVersion;
  /** Each request is complete in itself and carries the client's identity; there is no handshake and no request from the server. */
  readonly stateless: boolean;

  /** Whether `sender` may send that core request on this revision. Methods of extensions are not covered. */
  hasRequest(method: string, sender: Sender): boolean;
  /** Whether `sender` may send that core notification on this revision. */
  hasNotification(method: string, sender: Sender): boolean;

  /**
   * Checks the params of an inbound request or notification and returns them; `{}` if it has none. Methods that the revision does
   * not define pass unchecked. On stateless revisions `decodeIdentity` checks the `_meta` of a request, so that nothing is checked
   * twice. With `reading` params that deviate are mended and its `deviated` is called, unless it is strict.
   * @throws McpError -32602 "Invalid request parameters"; its `data` says which member is wrong
   */
  decodeParams(method: string, params: JsonObject | undefined, reading?: Reading): JsonObject;

  /**
   * Stateless revisions: the client's identity, from the request's `_meta`. Stateful: undefined. `reading`: as in `decodeParams`.
   * @throws McpError -32602 (a required key is missing or ill-typed), -32022 (version not supported)
   */
  decodeIdentity(params: JsonObject | undefined, reading?: Reading): ClientIdentity | undefined;

  /**
   * Checks an inbound result and returns it in the neutral model. On stateless revisions `extensionTypes` are the values of
   * `resultType` that extensions in use add; results of those types pass unchecked. With `reading` a result that deviates is mended,
   * entries of lists that cannot be mended are left out, and its `deviated` is called, unless it is strict.
   * @throws ProtocolViolationError naming the method and the invalid member
   */
  decodeResult(method: string, result: JsonObject, extensionTypes?: ReadonlySet<string>, reading?: Reading): JsonObject;

  /**
   * Mends an inbound result that is passed on, if it deviates. What cannot be mended is passed on unchanged.
   * @throws ProtocolViolationError as `decodeResult`, if the reading is strict
   */
  tidyResult(method: string, result: JsonObject, reading: Reading): JsonObject;

  /**
   * Encodes outbound params: removes members that this revision does not have. Returns undefined if there is nothing to send.
   * @throws McpError -32602 if the revision cannot express them at all
   */
  encodeParams(method: string, params: JsonObject | undefined): JsonObject | undefined;

  /**
   * Encodes the params of an outbound request, as `encodeParams` does. On stateless revisions it adds the client's identity to
   * `_meta`; the caller's own keys have priority.
   * @throws McpError -32602 if the revision cannot express them at all
   */
  encodeRequest(method: string, params: JsonObject | undefined, from: ClientIdentity): JsonObject | undefined;

  /**
   * Encodes an outbound result: removes members of other revisions and adds required ones.
   * @throws McpError -32603 if the revision has no results of that type
   * @throws TypeError with `check`, if no peer could read the result; its message is for the operator
   */
  encodeResult(method: string, result: JsonObject, options?: EncodeResultOptions): JsonObject;

  /** The error object of this revision for a failure: codes of other revisions are never sent. */
  encodeError(error: McpError): ErrorData;

  /** The capabilities without those that the revision cannot declare. */
  encodeClientCapabilities(capabilities: ClientCapabilities): ClientCapabilities;
  /** The identity of a program without members that the revision does not have. */
  encodeImplementation(info: Implementation): Implementation;
}
