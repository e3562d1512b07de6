/**
 * Finds the names of questions. In a result a question has its name; as a request, on stateful revisions, it has only an id. A test has
 * both ends in one process, so the name is read at the server's end.
 */
import type { RequestId, JsonObject } from "../jsonrpc/message.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Dispatcher, OnNotification, OnRequest, RequestOptions, TransportContext } from "../dispatch/dispatcher.ts";

/** A server's end of a connection that records the names of questions. */
export class NamedQuestions implements Dispatcher {
  readonly #inner: Dispatcher;
  readonly #names: Map<RequestId, string> = new Map();

  constructor(inner: Dispatcher) {
    this.#inner = inner;
  }

  /** The name of the question in a request of the server; undefined if it has none. */
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
      // Questions are sent on the channel of the request that is running.
      const request = inbound.request.bind(inbound);
      inbound.request = (method, params, options) => request(method, params, this.#listen(options));
      return onRequest(inbound);
    }, onNotification);
  }

  close(reason?: unknown): Promise<void> {
    return this.#inner.close(reason);
  }

  /** `onId` gets the id before the client can answer. */
  #listen(options: RequestOptions | undefined): RequestOptions | undefined {
    const name = options?.question;
    if (name === undefined) return options;
    return { ...options, onId: (id) => this.#names.set(id, name) };
  }
}
