/** What a request of the client sends back while it is answered: its questions in spans, its notifications with their trace. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Outbound, RequestOptions } from "../dispatch/dispatcher.ts";
import type { Tracing } from "./tracing.ts";

/** Many, and about a request whose own span says it all. */
const UNTRACED: ReadonlySet<string> = new Set(["notifications/progress", "notifications/cancelled"]);

export class TracedOutbound implements Outbound {
  readonly #outbound: Outbound;
  readonly #tracing: Tracing;
  readonly #protocolVersion: string;
  readonly #transport: string;

  constructor(outbound: Outbound, tracing: Tracing, protocolVersion: string, transport: string) {
    this.#outbound = outbound;
    this.#tracing = tracing;
    this.#protocolVersion = protocolVersion;
    this.#transport = transport;
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const request = { method, params, options, protocolVersion: this.#protocolVersion, transport: this.#transport };
    return this.#tracing.send(request, (sent, how) => this.#outbound.request(method, sent, how));
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#outbound.notify(method, UNTRACED.has(method) ? params : this.#tracing.inject(params));
  }
}
