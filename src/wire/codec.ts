/**
 * What a revision of the protocol looks like on the wire: the seam between the one handler model and all revisions.
 *
 * A codec is chosen once at the edge (`revisions.ts` on the server, negotiation on the client). Above this layer no code
 * names a revision; it asks the codec. Codecs are stateless and shared by all connections. They never change what they
 * are given: if nothing has to change they return the same object, else a shallow copy.
 */
import type { ErrorData, McpError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { LoggingLevel } from "../protocol/types.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";

/** Who sends a message: the side that was connected to is the server. */
export type Sender = "client" | "server";

/** Who is asking and what they can do: from the handshake, or (stateless) from the request's own `_meta`. */
export interface ClientIdentity {
  /** Absent if the client chose not to say. Never a base for security decisions. */
  readonly info?: Implementation | undefined;
  /** What it can do; `{}` if it did not say. */
  readonly capabilities: ClientCapabilities;
  /** The least severe log message this request wants; stateless revisions only. */
  readonly logLevel?: LoggingLevel | undefined;
}

/** What a codec does with a result besides shaping it. */
export interface EncodeResultOptions {
  /**
   * Who answers: stateless revisions say so in the result. Such a result is to be written or copied, not to be read
   * (`HeadedResult`). Default: the result does not say.
   */
  readonly server?: Implementation;
  /** Whether a complete result is checked as its reader would check it. Default false. */
  readonly check?: boolean;
}

/** In what a revision differs from others besides its messages: code above the codec asks for these, never for a revision. */
export interface CodecFacts {
  /** Whether an array of messages is legal (2025-03-26). */
  readonly acceptsBatches: boolean;
  /** What answers tool arguments that do not fit: a result the model reads, or a protocol error (SEP-1303). */
  readonly invalidToolInput: "result" | "error";
  /** Over HTTP a stream of a session begins with an event id, so that the client can resume it before anything was said. */
  readonly primesStreams: boolean;
  /** Over HTTP every request of a session names the revision in `MCP-Protocol-Version`, once it is agreed on. */
  readonly namesVersionInHeader: boolean;
  /** Its HTTP transport is HTTP+SSE: one stream for all that the server says, and an endpoint for messages to it. */
  readonly hasHttpSse: boolean;
}

/** One revision of the protocol on the wire: what it has, and how it writes and reads it. */
export interface Codec extends CodecFacts {
  /** The revision it is of. */
  readonly version: ProtocolVersion;
  /** Each request stands alone and says who is asking; there is no handshake and no request from the server. */
  readonly stateless: boolean;

  /** Whether `sender` may send that core request on this revision. Methods of extensions are not its business. */
  hasRequest(method: string, sender: Sender): boolean;
  /** Whether `sender` may send that core notification on this revision. */
  hasNotification(method: string, sender: Sender): boolean;

  /**
   * Checks the params of a request or notification that arrived and returns them; `{}` if it has none.
   * Methods unknown to the revision pass unchecked. On stateless revisions the `_meta` of a request is left to
   * `decodeIdentity`, so that nothing is checked twice.
   * @throws McpError -32602 "Invalid request parameters" whose `cause` says what is wrong (for the operator only)
   */
  decodeParams(method: string, params: JsonObject | undefined): JsonObject;

  /**
   * Stateless revisions: who is asking, from the request's `_meta`. Stateful: undefined.
   * @throws McpError -32602 (a required key is missing or ill-typed), -32022 (version not supported)
   */
  decodeIdentity(params: JsonObject | undefined): ClientIdentity | undefined;

  /**
   * Checks a result that arrived and returns it in the neutral model. On stateless revisions `extensionTypes` are the
   * values of `resultType` that extensions in use add; results of those types pass unchecked.
   * @throws ProtocolViolationError naming the method and the member that is wrong
   */
  decodeResult(method: string, result: JsonObject, extensionTypes?: ReadonlySet<string>): JsonObject;

  /**
   * Shapes params that leave: members this revision does not have are left out. Returns undefined if nothing is sent.
   * @throws McpError -32602 if the revision has no way at all to say it
   */
  encodeParams(method: string, params: JsonObject | undefined): JsonObject | undefined;

  /**
   * Shapes the params of a request that leaves, as `encodeParams` does. On stateless revisions the identity of the client
   * is put into `_meta`; what the caller put there wins.
   * @throws McpError -32602 if the revision has no way at all to say it
   */
  encodeRequest(method: string, params: JsonObject | undefined, from: ClientIdentity): JsonObject | undefined;

  /**
   * Shapes a result that leaves: members of other revisions are left out, required ones are added.
   * @throws McpError -32603 if the revision has no results of that type
   * @throws TypeError with `check`, if no peer could read the result; its message is for the operator
   */
  encodeResult(method: string, result: JsonObject, options?: EncodeResultOptions): JsonObject;

  /** The error object this revision uses for a failure: codes of other revisions never leave. */
  encodeError(error: McpError): ErrorData;

  /** The capabilities without what the revision cannot tell. */
  encodeClientCapabilities(capabilities: ClientCapabilities): ClientCapabilities;
  /** The name of a program without what the revision cannot tell. */
  encodeImplementation(info: Implementation): Implementation;
}
