/**
 * Throws the errors of handlers as they were thrown, for tests of a server in this process: the option `raiseExceptions`.
 *
 * It wraps the client's end of a direct pair. Other transports do not have it, because a client must not see the server's
 * internal errors.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { TransportContext } from "../transport/transport-context.ts";
import type { Pauses } from "../dispatch/pauses.ts";
import type { Dispatcher, OnNotification, OnRequest, RequestOptions } from "../dispatch/dispatcher.ts";

/** Errors that handlers throw for the client to read. */
const PUBLIC_ERRORS: ReadonlySet<string> = new Set(["ToolError", "InvalidToolInputError"]);

class RaisingDispatcher implements Dispatcher {
  readonly #inner: Dispatcher;
  /** Errors by the id of their request, until its caller gets them. */
  readonly #thrown = new Map<RequestId, unknown>();
  readonly #all: unknown[] = [];
  #requests = 0;

  constructor(inner: Dispatcher, server: Dispatcher) {
    this.#inner = inner;
    server.onFailure = (requestId, error) => {
      if (McpError.isMcpError(error) || (error instanceof Error && PUBLIC_ERRORS.has(error.name))) return;
      this.#thrown.set(requestId, error);
      this.#all.push(error);
    };
  }

  readonly context: TransportContext = { kind: "direct" };

  get acceptsBatches(): boolean {
    return this.#inner.acceptsBatches;
  }

  get pauses(): Pauses | undefined {
    return this.#inner.pauses;
  }

  set acceptsBatches(legal: boolean) {
    this.#inner.acceptsBatches = legal;
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    return this.#inner.run(onRequest, onNotification);
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#inner.notify(method, params);
  }

  /** @throws McpError whose `cause` is what the handler threw, whatever the response was */
  async request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    const requestId = options?.requestId ?? `call-${++this.#requests}`;
    const answer = this.#inner.request(method, params, { ...options, requestId });
    await Promise.allSettled([answer]);
    if (!this.#thrown.has(requestId)) return answer;
    const cause = this.#thrown.get(requestId);
    this.#thrown.delete(requestId);
    throw new McpError(ErrorCode.InternalError, `The handler of "${method}" threw`, undefined, { cause });
  }

  /** @throws what handlers threw; an AggregateError if there are several errors */
  async close(reason?: unknown): Promise<void> {
    await this.#inner.close(reason);
    const all = this.#all.splice(0);
    if (all.length > 1) throw new AggregateError(all, "Handlers threw");
    if (all.length > 0) throw all[0];
  }
}

export function raiseHandlerErrors(client: Dispatcher, server: Dispatcher): Dispatcher {
  return new RaisingDispatcher(client, server);
}
