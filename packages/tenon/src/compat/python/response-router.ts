/**
 * Responses that do not belong to the calls of a session: responses to side channels, such as task queues, which send requests under
 * their own ids.
 *
 * A transport in front of the real one: a response that a router takes never reaches the dispatcher.
 */
import type { RunInContext } from "../../base/async-context.ts";
import { MalformedMessage, type Incoming, type Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch, coerceRequestId, isResponse, JsonText, type JsonObject, type RequestId } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { ErrorData } from "../../jsonrpc/mcp-error.ts";
import type { MessageMetadata } from "../../transport/session-message.ts";
import type { SendOptions, Transport } from "../../transport/transport.ts";

/**
 * Takes responses before the calls of the session do; returns true if it took one. The id is the one that was sent, as a number if
 * the peer echoed it as a string.
 */
export interface ResponseRouter {
  /** Takes a result. If it throws, the error is reported, and the response counts as not taken. */
  routeResponse(requestId: RequestId, result: JsonObject): boolean;
  /** Takes an error, in the same way. */
  routeError(requestId: RequestId, error: ErrorData): boolean;
}

type SingleMessage = Exclude<Incoming, readonly unknown[]>;

/** A transport whose responses go to routers first. It owns the inner one and closes it. */
export class RoutedTransport implements Transport {
  readonly #inner: Transport;
  readonly #report: (error: unknown) => void;
  readonly #routers = new Set<{ readonly router: ResponseRouter }>();

  /** @param report called with what a router throws; the response then continues as if the router had not taken it */
  constructor(inner: Transport, report: (error: unknown) => void = () => undefined) {
    this.#inner = inner;
    this.#report = report;
  }

  /** Adds `router` after those added before; the first router that takes a response is the last to see it. */
  addResponseRouter(router: ResponseRouter): Disposable {
    const entry = { router };
    this.#routers.add(entry);
    return { [Symbol.dispose]: () => void this.#routers.delete(entry) };
  }

  get kind(): string {
    return this.#inner.kind;
  }

  get lastMetadata(): MessageMetadata | undefined {
    return this.#inner.lastMetadata;
  }

  get lastContext(): RunInContext | undefined {
    return this.#inner.lastContext;
  }

  send(message: Outgoing, options?: SendOptions): MaybePromise<void> {
    return this.#inner.send(message, options);
  }

  async receive(): Promise<Incoming> {
    for (;;) {
      const incoming = await this.#inner.receive();
      if (!isBatch(incoming)) {
        if (!this.#isTaken(incoming)) return incoming;
        continue;
      }
      const rest = incoming.filter((one) => !this.#isTaken(one));
      if (rest.length > 0) return rest;
    }
  }

  close(reason?: unknown): Promise<void> {
    return this.#inner.close(reason);
  }

  #isTaken(message: SingleMessage): boolean {
    if (message instanceof MalformedMessage || !isResponse(message) || message.id === null) return false;
    const id = coerceRequestId(message.id);
    for (const { router } of this.#routers) {
      try {
        if ("error" in message ? router.routeError(id, message.error) : router.routeResponse(id, toPlainResult(message.result)))
          return true;
      } catch (error) {
        this.#report(error);
      }
    }
    return false;
  }
}

function toPlainResult(result: JsonObject | JsonText): JsonObject {
  return result instanceof JsonText ? (result.toJSON() as JsonObject) : result; // a JsonText is an object
}
