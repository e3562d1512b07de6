/**
 * What a revision of the protocol looks like on the wire: the seam between the one handler model and five revisions.
 *
 * This is what both sides need of it; what only those do who call is in `calling.ts`, what those do who answer in `answering.ts`.
 * A codec is chosen once at the edge (`detect.ts` on the server, negotiation on the client). Above this layer no code
 * names a revision; it asks the codec. Codecs are stateless and shared by all connections. They never change what they
 * are given: where nothing has to change they return the same object, else a shallow copy.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { LoggingLevel } from "../protocol/types.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { RevisionMessages } from "./revision-messages.ts";

/** Who sends a message: the side that was connected to is the server. */
export type Sender = "client" | "server";

/** Who is asking and what they can do: from the handshake, or (stateless) from the request's own `_meta`. */
export interface ClientIdentity {
  /** Absent where the client chose not to say. Never a base for security decisions. */
  readonly info?: Implementation | undefined;
  /** What it can do; `{}` where it did not say. */
  readonly capabilities: ClientCapabilities;
  /** The least severe log message this request wants; stateless revisions only. */
  readonly logLevel?: LoggingLevel | undefined;
}

/** @internal Returns what is sent of a result that has its final shape, or throws. */
export type CheckResult = (messages: RevisionMessages, method: string, result: JsonObject) => JsonObject;

/** One revision of the protocol on the wire: what it has, and how it writes it. */
export interface Codec {
  /** The revision it is of. */
  readonly version: ProtocolVersion;
  /** Each request stands alone and says who is asking; there is no handshake and no request from the server. */
  readonly stateless: boolean;
  /** Whether an array of messages is legal (2025-03-26). */
  readonly acceptsBatches: boolean;
  /** What answers tool arguments that do not fit: a result the model reads, or a protocol error (SEP-1303). */
  readonly invalidToolInput: "result" | "error";
  /** @internal What it goes by, for its other half (`calling.ts`). */
  readonly messages: RevisionMessages;

  /** Whether `sender` may send that core request on this revision. Methods of extensions are not its business. */
  hasRequest(method: string, sender: Sender): boolean;
  /** Whether `sender` may send that core notification on this revision. */
  hasNotification(method: string, sender: Sender): boolean;

  /**
   * Checks the params of a request or notification that arrived and returns them; `{}` for none.
   * Methods unknown to the revision pass unchecked. On stateless revisions the `_meta` of a request is left to
   * `decodeIdentity`, so that nothing is checked twice.
   * @throws McpError -32602 "Invalid request parameters" whose `cause` says what is wrong (for the operator only)
   */
  decodeParams(method: string, params: JsonObject | undefined): JsonObject;

  /**
   * Shapes params that leave: members this revision does not have are left out. Undefined where nothing is sent. Requests
   * say who asks besides (`calling.ts`).
   * @throws McpError -32602 where the revision has no way at all to say it
   */
  encodeParams(method: string, params: JsonObject | undefined): JsonObject | undefined;
}
