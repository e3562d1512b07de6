/**
 * The transport of 2024-11-05: one GET stream for the server's messages, and a POST for each message to the server.
 *
 * It is deprecated since 2025-03-26 and exists to reach servers that have nothing else. When its stream ends, the
 * connection ends, because the stream cannot be resumed.
 */
import { LinkedAbort } from "../../base/abort.ts";
import type { Incoming, Outgoing } from "../../jsonrpc/incoming.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import {
  ConnectionClosedError,
  LimitExceededError,
  McpError,
  ProtocolViolationError,
  ConnectionLostError,
} from "../../jsonrpc/mcp-error.ts";
import { parseMessage } from "../../jsonrpc/parse.ts";
import { stringifyMessage } from "../../jsonrpc/serialise.ts";
import { ReceiveQueue } from "../../transport/receive-queue.ts";
import type { Transport } from "../../transport/transport.ts";
import type { Endpoint } from "./endpoint.ts";
import type { HttpResponse } from "./fetch.ts";
import { toFailure } from "./failed-response.ts";
import { UnusableResponseError } from "./errors.ts";
import { discard, readBeginning } from "./response.ts";
import { readEvents, type EventSink, type ReceivedEvent } from "./read-events.ts";

export interface SseTransportOptions {
  /** The user's headers, for each request. */
  readonly headers: () => MaybePromise<{ readonly [name: string]: string }>;
  /** Characters of one event. */
  readonly maxResponseBytes: number;
  /** Characters of messages that may wait. */
  readonly maxWaiting: number;
  /** Abandons opening. It belongs to this one opening. */
  readonly signal: AbortSignal;
  readonly onError?: (error: Error) => void;
}

/** Opens the stream and waits until the server has named the URL for messages. @throws McpError, or `signal.reason` */
export async function openSseTransport(endpoint: Endpoint, options: SseTransportOptions): Promise<Transport> {
  const transport = new SseTransport(endpoint, options);
  await transport.open();
  return transport;
}

class SseTransport implements Transport, EventSink {
  readonly kind = "http+sse";
  readonly #stream: Endpoint;
  readonly #options: SseTransportOptions;
  readonly #queue = new ReceiveQueue();
  readonly #abort = new AbortController();
  #messages: Endpoint | undefined;
  #ready: { resolve(): void; reject(error: unknown): void } | undefined;

  constructor(stream: Endpoint, options: SseTransportOptions) {
    this.#stream = stream;
    this.#options = options;
  }

  async open(): Promise<void> {
    const { headers, signal } = this.#options;
    signal.addEventListener("abort", () => this.#abort.abort(signal.reason));
    try {
      signal.throwIfAborted();
      const response = await this.#stream.send({
        method: "GET",
        headers: { ...(await headers()), accept: "text/event-stream" },
        signal: this.#abort.signal,
      });
      await this.#begin(response);
    } catch (error) {
      this.#abort.abort(error);
      throw error;
    }
  }

  async #begin(response: HttpResponse): Promise<void> {
    if (!response.ok) throw await toFailure(response, this.#stream.name);
    if (response.body === null || !response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream")) {
      discard(response);
      throw new UnusableResponseError(`${this.#stream.name} answered a GET with no event stream`);
    }
    const ready = new Promise<void>((resolve, reject) => {
      this.#ready = { resolve, reject };
    });
    readEvents(response.body, this.#options.maxResponseBytes, this).then(
      ({ error }) => this.#ended(this.#abort.signal.aborted ? this.#abort.signal.reason : error),
      (error: unknown) => this.#ended(error),
    );
    await ready;
  }

  #ended(cause: unknown): void {
    const error = McpError.isMcpError(cause)
      ? new ConnectionClosedError(`Connection closed: ${cause.message}`, cause.data, { cause })
      : new ConnectionLostError(`The stream from ${this.#stream.name} ended`, "unknown", { cause });
    this.#ready?.reject(cause ?? error);
    this.#queue.end(error);
    this.#abort.abort(error);
  }

  // ---- events of the stream ----

  opened(): void {
    // The abort controller ends the stream.
  }

  event({ event, data }: ReceivedEvent): void {
    if (event === "endpoint") return this.#nameEndpoint(data);
    if (this.#messages === undefined) throw new ProtocolViolationError(`${this.#stream.name} did not begin its stream with an endpoint`);
    if (event !== undefined && event !== "message") return;
    if (data === "") return;
    const { maxWaiting, maxResponseBytes } = this.#options;
    if (!this.#queue.hasRoom(data.length, maxWaiting))
      throw new LimitExceededError("limits.maxWaiting", maxWaiting, this.#queue.characters + data.length);
    this.#queue.push(parseMessage(data, { size: maxResponseBytes }), data.length);
  }

  #nameEndpoint(reference: string): void {
    if (this.#messages !== undefined) {
      this.#options.onError?.(new ProtocolViolationError(`${this.#stream.name} named a second endpoint: ignored`));
      return;
    }
    this.#messages = this.#stream.sibling(reference);
    this.#ready?.resolve();
  }

  retry(): void {
    // The stream cannot be resumed.
  }

  alive(): void {
    // This transport does not watch for idle streams.
  }

  keepsAlive(): void {
    // See `alive`.
  }

  // ---- the transport ----

  async send(message: Outgoing): Promise<void> {
    if (this.#queue.ended || this.#messages === undefined) throw new ConnectionClosedError();
    const body = stringifyMessage(message);
    const abort = new LinkedAbort(this.#abort.signal); // `fetch` listens to the signal of each request
    try {
      const response = await this.#messages.send({
        method: "POST",
        headers: { ...(await this.#options.headers()), "content-type": "application/json" },
        body,
        signal: abort.signal,
      });
      if (!response.ok) throw await toFailure(response, this.#messages.name);
      await readBeginning(response, 1024);
    } finally {
      abort.unlink();
    }
  }

  receive(): MaybePromise<Incoming> {
    return this.#queue.receive();
  }

  close(): Promise<void> {
    this.#queue.end(new ConnectionClosedError());
    this.#abort.abort(new ConnectionClosedError());
    return Promise.resolve();
  }
}
