/**
 * What handlers call the questions they ask. In a result a question has its name; in a request of its own, on stateful
 * revisions, it has only an id. Here, where both ends are in one process, the names are read at the server's end.
 */
import type { RequestId } from "../jsonrpc/message.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Dispatcher, OnNotification, OnRequest, RequestOptions, TransportContext } from "../dispatch/dispatcher.ts";

/** A server's end of a connection, whose questions are told by name. */
export class NamedQuestions implements Dispatcher {
  readonly #inner: Dispatcher;
  readonly #names: Map<RequestId, string> = new Map();

  constructor(inner: Dispatcher) {
    this.#inner = inner;
  }

  /** The name of the question that a request of the server asks; undefined where it was asked without one. */
  nameOf(id: RequestId): string | undefined {
    return this.#names.get(id);
  }

  get context(): TransportContext {
    return this.#inner.context ?? { kind: "memory" };
  }

  get acceptsBatches(): boolean {
    return this.#inner.acceptsBatches;
  }

  set acceptsBatches(accepts: boolean) {
    this.#inner.acceptsBatches = accepts;
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#inner.request(method, params, this.#listen(options));
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#inner.notify(method, params);
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    return this.#inner.run((inbound) => {
      // Questions go out on the channel of the request that is being answered.
      const request = inbound.request.bind(inbound);
      inbound.request = (method, params, options) => request(method, params, this.#listen(options));
      return onRequest(inbound);
    }, onNotification);
  }

  close(reason?: unknown): Promise<void> {
    return this.#inner.close(reason);
  }

  /** The id is minted with the request, and told before anybody can answer it. */
  #listen(options: RequestOptions | undefined): RequestOptions | undefined {
    const name = options?.question;
    if (name === undefined) return options;
    return { ...options, onId: (id) => this.#names.set(id, name) };
  }
}
