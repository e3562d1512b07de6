/**
 * The extras of a connection that may never need them, as a server's stdio: loaded with their first use.
 *
 * Until then no call waits for anything, so nothing that is said about calls concerns one. Where they cannot be loaded the
 * operator is told why, and whoever needed them that there was an internal error; the next one tries again.
 */
import { Late } from "../base/late.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { isBatch, type Incoming } from "../jsonrpc/incoming.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject, JSONRPCNotification, JSONRPCRequest, RequestId } from "../jsonrpc/message.ts";
import type { RequestOptions } from "./dispatcher.ts";
import type { CreateExtras, Exchange, Extras } from "./exchange.ts";
import type { Link } from "./link.ts";

export const createLateExtras: CreateExtras = (exchange, link) =>
  new LateExtras(exchange, link, async () => (await import("./exchange-extras.ts")).createExtras);

export class LateExtras implements Extras {
  readonly #exchange: Exchange;
  readonly #link: Link;
  readonly #extras: Late<Extras>;

  constructor(exchange: Exchange, link: Link, load: () => Promise<CreateExtras>) {
    this.#exchange = exchange;
    this.#link = link;
    this.#extras = new Late(() => load().then((create) => create(exchange, link), this.#failed));
  }

  readonly #failed = (cause: unknown): never => {
    this.#link.report(cause);
    throw new McpError(ErrorCode.InternalError, "Internal error", undefined, { cause });
  };

  send(method: string, params: JsonObject | undefined, options: RequestOptions, related?: RequestId): Promise<JsonObject> {
    const extras = this.#extras.get();
    // The connection may end meanwhile, so it is asked again.
    if (isPromise(extras)) return extras.then(() => this.#exchange.call(method, params, options, related));
    return extras.send(method, params, options, related);
  }

  accept(incoming: Incoming): MaybePromise<void> {
    const extras = this.#extras.get();
    if (!isPromise(extras)) return extras.accept(incoming);
    return extras.then(
      (loaded) => loaded.accept(incoming),
      (error: McpError) => this.#refuse(incoming, error),
    );
  }

  /** Whoever sent it hears of it, unless it answers something itself. */
  #refuse(incoming: Incoming, error: McpError): void {
    const isAnswer = "isResponse" in incoming ? incoming.isResponse : !isBatch(incoming);
    if (!isAnswer) void this.#link.tell({ jsonrpc: "2.0", id: "id" in incoming ? incoming.id : null, error: error.toErrorData() });
  }

  heard(message: JSONRPCRequest | JSONRPCNotification): void {
    this.#extras.loaded?.heard(message);
  }

  fail(id: RequestId, error: unknown): void {
    this.#extras.loaded?.fail(id, error);
  }

  failAll(error: McpError): void {
    this.#extras.loaded?.failAll(error);
  }
}
