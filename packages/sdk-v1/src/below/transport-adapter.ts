/**
 * A transport of the official SDK 1.x (`start`, `send`, `onmessage`) as a transport of Tenon (`send`, `receive`).
 *
 * 1.x serves messages before a handshake, and Tenon does not: a connection that begins with another message gets a handshake here.
 */
import type { Transport as OfficialTransport } from "mcp-sdk-v1/shared/transport.js";
import type { JSONRPCMessage as OfficialMessage, MessageExtraInfo } from "mcp-sdk-v1/types.js";
import type { Incoming, JSONRPCMessage, Outgoing, RequestId, SendOptions, Transport } from "tenon";
import { ConnectionClosedError, LATEST_HANDSHAKE_VERSION, PROTOCOL_VERSION_KEY, ReceiveQueue } from "tenon/internal/embedding";

/** The id of the handshake that stands in for one that the client did not make. */
export const HANDSHAKE_ID = "tenon-sdk-v1:handshake";

const HANDSHAKE: JSONRPCMessage = {
  jsonrpc: "2.0",
  id: HANDSHAKE_ID,
  method: "initialize",
  params: { protocolVersion: LATEST_HANDSHAKE_VERSION, capabilities: {}, clientInfo: { name: "unknown", version: "0" } },
};

/** Methods that come before a handshake. */
const FIRST = new Set(["initialize", "ping"]);

/** A message as an official transport takes it: a list of tools is serialised text. */
export function plainOf(message: Outgoing): OfficialMessage {
  if (!("result" in message)) return message as OfficialMessage; // both describe the same messages; no batches, because the client may send none
  const { result } = message;
  const toJson = result["toJSON"];
  return (typeof toJson === "function" ? { ...message, result: toJson.call(result) as unknown } : message) as OfficialMessage; // the same
}

export class TransportAdapter implements Transport {
  /** A later handshake replaces an earlier one, as on stdio. */
  readonly kind = "stdio";
  readonly takesValues = true;
  readonly #official: OfficialTransport;
  readonly #queue = new ReceiveQueue();
  readonly #extras = new Map<RequestId, MessageExtraInfo>();
  /** What arrived after the handshake that was made here, until its response. */
  #waiting: JSONRPCMessage[] | undefined;
  #begun = false;

  constructor(official: OfficialTransport) {
    this.#official = official;
  }

  /** Takes a message that the official transport has received. */
  deliver(message: OfficialMessage, extra: MessageExtraInfo | undefined): void {
    const incoming = message as JSONRPCMessage; // both describe the same messages
    if ("method" in message) {
      if ("id" in message && extra !== undefined) this.#extras.set(message.id, extra);
      this.#begin(message.method, message.params?._meta);
    }
    if (this.#waiting === undefined) this.#queue.push(incoming, 0);
    else this.#waiting.push(incoming);
  }

  #begin(method: string, meta: object | undefined): void {
    if (this.#begun || method === "ping") return;
    this.#begun = true;
    if (FIRST.has(method) || (meta !== undefined && PROTOCOL_VERSION_KEY in meta)) return;
    this.#waiting = [];
    this.#queue.push(HANDSHAKE, 0);
  }

  #handshakeDone(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.#queue.push(message, 0);
  }

  /** What the official transport says of a request beside its message. */
  extraOf(id: RequestId): MessageExtraInfo | undefined {
    return this.#extras.get(id);
  }

  receive(): Incoming | Promise<Incoming> {
    return this.#queue.receive();
  }

  async send(message: Outgoing, { relatedRequestId }: SendOptions = {}): Promise<void> {
    if ("id" in message && !("method" in message)) {
      if (message.id === HANDSHAKE_ID) return this.#handshakeDone();
      if (message.id !== null && message.id !== undefined) this.#extras.delete(message.id);
      return this.#official.send(plainOf(message)); // with no second argument, as the original sends a response
    }
    await this.#official.send(plainOf(message), relatedRequestId === undefined ? undefined : { relatedRequestId });
  }

  /** Ends the connection, because the official transport is closed. */
  end(): void {
    this.#queue.end(new ConnectionClosedError());
  }

  /** Closes the official transport, unless it has closed by itself. */
  async close(): Promise<void> {
    if (this.#queue.ended) return;
    this.end();
    await this.#official.close();
  }
}
