/**
 * The server of one generation: serves the connections that the front opens, over the channel of the process.
 *
 * The server may come from another copy of this package: only its public methods are used.
 */
import { type Acceptor, JsonRpcDispatcher } from "tenon";
import type { ListName, Order, Report } from "../channel.ts";
import { HostedTransport } from "./hosted-transport.ts";

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
