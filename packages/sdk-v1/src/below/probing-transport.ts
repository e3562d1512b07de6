/**
 * A 1.x transport to a program, while the newest revision is asked for and after it was agreed, as a transport of Tenon.
 *
 * The ids of its requests are texts, so that a late response is never taken for the response to an official client's request.
 */
import type { Transport as OfficialTransport } from "mcp-sdk-v1/shared/transport.js";
import type { JSONRPCMessage as OfficialMessage } from "mcp-sdk-v1/types.js";
import type { Incoming, JSONRPCMessage, JsonObject, Outgoing, RequestId, Transport } from "tenon";
import { ConnectionClosedError, ReceiveQueue } from "tenon/internal/embedding";
import { callbacksOf, setCallbacks } from "./first-attempt.ts";

const PREFIX = "tenon:";

export class ProbingTransport implements Transport {
  readonly kind = "stdio";
  readonly #official: OfficialTransport;
  readonly #queue = new ReceiveQueue();
  readonly #owners: ReturnType<typeof callbacksOf>;
  #agreed = false;

  /** Takes the transport over, which is started. */
  constructor(official: OfficialTransport, failed: (error: Error) => void) {
    this.#official = official;
    this.#owners = callbacksOf(official);
    const { onclose, onerror, onmessage } = this.#owners;
    official.onclose = () => {
      this.#queue.end(new ConnectionClosedError());
      if (this.#agreed) onclose?.();
    };
    official.onerror = (error) => {
      onerror?.(error);
      failed(error);
    };
    official.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      this.#deliver(message);
    };
  }

  #deliver(message: OfficialMessage): void {
    const incoming = message as JSONRPCMessage; // both describe the same messages
    const id = "method" in message ? undefined : message.id;
    const isOwn = typeof id === "string" && id.startsWith(PREFIX);
    this.#queue.push(isOwn ? { ...incoming, id: Number(id.slice(PREFIX.length)) } : incoming, 0); // the dispatcher's ids are numbers
  }

  receive(): Incoming | Promise<Incoming> {
    return this.#queue.receive();
  }

  async send(message: Outgoing): Promise<void> {
    await this.#official.send(withOwnIds(message));
  }

  /** The revision is agreed: from now on the transport belongs to this connection. */
  agreed(): void {
    this.#agreed = true;
  }

  /** Gives the transport back as it was, so that the official client can go on with it. */
  giveBack(): void {
    this.#queue.end(new ConnectionClosedError());
    setCallbacks(this.#official, this.#owners);
  }

  /** Ends the connection; if its revision is agreed, the program with it. */
  async close(): Promise<void> {
    if (this.#queue.ended) return;
    this.#queue.end(new ConnectionClosedError());
    if (this.#agreed) await this.#official.close();
  }
}

const ownId = (id: RequestId): RequestId => `${PREFIX}${id}`;

/** A message of the client: a request, or a notification, which may cancel a request. */
function withOwnIds(message: Outgoing): OfficialMessage {
  if (!("method" in message)) return message as OfficialMessage; // both describe the same messages
  if ("id" in message) return { ...message, id: ownId(message.id) };
  const { requestId, ...params }: JsonObject = message.params ?? {};
  const isCancel = message.method === "notifications/cancelled" && requestId !== undefined;
  return isCancel ? { ...message, params: { ...params, requestId: ownId(requestId as RequestId) } } : message; // an id, if it is there
}
