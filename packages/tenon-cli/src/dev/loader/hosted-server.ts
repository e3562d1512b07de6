/**
 * The server of one generation: serves the connections that the front opens, over the channel of the process.
 *
 * The server may come from another copy of this package: only its public methods are used.
 */
import { type Acceptor, JsonRpcDispatcher, type Incoming, type MaybePromise, type Outgoing, type SendOptions, type Transport } from "tenon";
import type { ListName, Order, Report, Sender } from "../channel.ts";
import { ConnectionClosedError } from "tenon/client";
import { ReceiveQueue, type TransportContext, UNAUTHENTICATED, parseMessage, stringifyMessage } from "tenon/internal";

/** What `McpServer` has besides, to tell clients of changes. */
interface Announcing {
  listChanged?(list: ListName): void;
  resourceUpdated?(uri: string): void;
}

export class HostedServer {
  readonly #server: Acceptor & Announcing;
  readonly #report: (report: Report) => void;
  readonly #connections = new Map<number, HostedTransport>();

  constructor(server: Acceptor, report: (report: Report) => void) {
    this.#server = server;
    this.#report = report;
  }

  /** Takes what the front says of a connection. */
  take(order: Extract<Order, { kind: "open" | "message" | "close" }>): void {
    if (order.kind === "open") this.#open(order);
    else if (order.kind === "message") this.#connections.get(order.connection)?.push(order.text, order.sender);
    else void this.#connections.get(order.connection)?.close();
  }

  #open({ connection, sender }: Extract<Order, { kind: "open" }>): void {
    const transport = new HostedTransport(connection, sender, this.#report);
    this.#connections.set(connection, transport);
    // The front has bounded these requests already. A handler has as long as it has in production.
    const dispatcher = new JsonRpcDispatcher(transport, { limits: { maxInFlight: Number.MAX_SAFE_INTEGER }, onError: report });
    this.#server
      .accept(dispatcher)
      .catch(report)
      .finally(() => {
        this.#connections.delete(connection);
        void dispatcher.close();
      });
  }

  /** Tells clients that what they have read of the version before is out of date. */
  announce({ lists, resources }: Extract<Order, { kind: "announce" }>): void {
    for (const list of lists) this.#server.listChanged?.(list);
    for (const uri of resources) this.#server.resourceUpdated?.(uri);
  }

  async close(): Promise<void> {
    await this.#server.close?.();
  }
}

function report(error: unknown): void {
  console.error(error);
}

/** The front has applied the limits of the author already. Here they must only never be lower. */
const UNLIMITED = { size: Number.MAX_SAFE_INTEGER, nodes: Number.MAX_SAFE_INTEGER, depth: 1_000 };

/** One connection of the front: JSON-RPC messages over the channel of the process. */
class HostedTransport implements Transport {
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
