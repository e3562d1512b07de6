/**
 * The transport of 2024-11-05: one GET stream for the server's messages, and a POST for each message to the server.
 *
 * It is deprecated since 2025-03-26 and exists to reach servers that have nothing else. When its stream ends, the
 * connection ends, because the stream cannot be resumed.
 */
import { LinkedAbort } from "../../base/abort.ts";
import { sleep, systemClock } from "../../base/clock.ts";
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
import { pauseBefore, toFailure } from "./failed-response.ts";
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

/**
 * Where a path that a server named is, if a proxy serves it below a prefix that the server does not know: below what stands before their
 * common part in the path of its stream, and below the folder of its stream.
 */
export function placesBelow(stream: string, reference: string): readonly string[] {
  if (!reference.startsWith("/") || reference.startsWith("//")) return [];
  const folder = stream.slice(0, stream.lastIndexOf("/"));
  const first = /^\/[^/?#]*/.exec(reference)![0]; // it begins with a slash
  const common = `${folder}/`.indexOf(`${first}/`);
  const prefixes = [common > 0 ? folder.slice(0, common) : "", folder];
  return [...new Set(prefixes)]
    .filter((prefix) => prefix !== "" && !reference.startsWith(`${prefix}/`))
    .map((prefix) => prefix + reference);
}

class SseTransport implements Transport, EventSink {
  readonly kind = "http+sse";
  readonly #stream: Endpoint;
  readonly #options: SseTransportOptions;
  readonly #queue = new ReceiveQueue();
  readonly #abort = new AbortController();
  #messages: Endpoint | undefined;
  /** Other places of the endpoint for messages, if the server is below a prefix that it does not know. Empty once it has taken a message. */
  #elsewhere: Endpoint[] = [];
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
    this.#elsewhere = placesBelow(this.#stream.url.pathname, reference).map((place) => this.#stream.sibling(place));
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

  unended(): boolean {
    return false; // the connection ends with this stream
  }

  // ---- the transport ----

  async send(message: Outgoing): Promise<void> {
    if (this.#queue.ended || this.#messages === undefined) throw new ConnectionClosedError();
    const body = stringifyMessage(message);
    const abort = new LinkedAbort(this.#abort.signal); // `fetch` listens to the signal of each request
    try {
      await this.#post(this.#messages, body, abort.signal);
    } finally {
      abort.unlink();
    }
  }

  /** Sends a message, after a 429 or 503 again, and after a 404 to where the server is below a prefix. */
  async #post(messages: Endpoint, body: string, signal: AbortSignal): Promise<void> {
    for (let retries = 0; ;) {
      const headers = { ...(await this.#options.headers()), "content-type": "application/json" };
      const response = await messages.send({ method: "POST", headers, body, signal });
      const pause = pauseBefore(response, systemClock, retries);
      const other = response.status === 404 ? this.#elsewhere.shift() : undefined;
      if (response.ok) {
        this.#messages = messages;
        this.#elsewhere = [];
        await readBeginning(response, 1024);
        return;
      }
      if (other === undefined && pause === undefined) throw await toFailure(response, this.#messages!.name); // the server has named it
      discard(response);
      if (other !== undefined) messages = other;
      else await sleep(systemClock, pause!, signal); // one of the two is there
      retries += other === undefined ? 1 : 0;
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
