/** One connection of the front, inside a generation: JSON-RPC messages over the channel of the process. */
import type { Incoming, MaybePromise, Outgoing, SendOptions, Transport } from "tenon";
import { ConnectionClosedError } from "tenon/client";
import { ReceiveQueue, type TransportContext, UNAUTHENTICATED, parseMessage, stringifyMessage } from "tenon/internal";
import type { Report, Sender } from "../channel.ts";

/** The front has applied the limits of the author already. Here they must only never be lower. */
const UNLIMITED = { size: Number.MAX_SAFE_INTEGER, nodes: Number.MAX_SAFE_INTEGER, depth: 1_000 };

export class HostedTransport implements Transport {
  readonly kind: string;
  lastSender: TransportContext;
  readonly #connection: number;
  readonly #report: (report: Report) => void;
  readonly #queue = new ReceiveQueue();
  /** The sender of each message that waits; undefined for the same as before. */
  readonly #senders: (Sender | undefined)[] = [];

  constructor(connection: number, sender: Sender, report: (report: Report) => void) {
    this.kind = sender.kind;
    this.lastSender = contextOf(sender);
    this.#connection = connection;
    this.#report = report;
  }

  push(text: string, sender: Sender | undefined): void {
    this.#senders.push(sender);
    this.#queue.push(parseMessage(text, UNLIMITED), text.length);
  }

  send(message: Outgoing, options?: SendOptions): void {
    if (this.#queue.ended) throw new ConnectionClosedError();
    this.#report({ kind: "message", connection: this.#connection, text: stringifyMessage(message), related: options?.relatedRequestId });
  }

  receive(): MaybePromise<Incoming> {
    const incoming = this.#queue.receive();
    return incoming instanceof Promise ? incoming.then((late) => this.#deliver(late)) : this.#deliver(incoming);
  }

  #deliver(incoming: Incoming): Incoming {
    const sender = this.#senders.shift();
    if (sender !== undefined) this.lastSender = contextOf(sender);
    return incoming;
  }

  close(): Promise<void> {
    if (!this.#queue.ended) this.#report({ kind: "closed", connection: this.#connection });
    this.#queue.end(new ConnectionClosedError());
    return Promise.resolve();
  }
}

/** What handlers see: over HTTP a request has no scopes, because `tenon dev` serves without a login. */
function contextOf({ kind, address, headers }: Sender): TransportContext {
  if (kind !== "http") return { kind, address };
  return { kind, address, requirements: UNAUTHENTICATED.requirements, header: (name) => headers?.[name] };
}
