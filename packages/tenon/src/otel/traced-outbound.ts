/** The outbound channel of an inbound request: puts its questions in spans and the trace context in its notifications. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Outbound, RequestOptions } from "../dispatch/dispatcher.ts";
import type { Tracing } from "./tracing.ts";

/** Frequent notifications, already described by the span of their request. */
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
