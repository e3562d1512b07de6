/**
 * The edge of the endpoint for `Request` and `Response`. `createFetchHandler` loads it with the first request. It uses no API of a single
 * runtime.
 */
import { decodeUtf8 } from "../../base/bytes.ts";
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { LimitExceededError, McpError, ErrorCode } from "../../jsonrpc/mcp-error.ts";
import { JsonText } from "../../jsonrpc/message.ts";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import { type Clock, type Timer, unref } from "../../base/clock.ts";
import { EventStream, type StreamSink } from "./exchange/event-stream.ts";
import { Endpoint } from "./endpoint/endpoint.ts";
import { addressOf } from "./client-address.ts";
import type { HttpRequest, HttpResponse } from "./http-message.ts";
import type { ClientAddress, FetchHandlerOptions } from "./options.ts";
import type { HttpSettings } from "./settings.ts";

/** What `createFetchHandler` returns, once the HTTP code is loaded. */
interface ServedFetch {
  (request: Request): Promise<Response>;
  drain(ms?: number): Promise<void>;
  close(): Promise<void>;
}

/** Makes a function that serves web requests with one endpoint. @throws TypeError, RangeError for an option with a wrong value */
export function serveFetch(server: Acceptor, options: FetchHandlerOptions): ServedFetch {
  const endpoint = new Endpoint(server, options);
  const { settings } = endpoint;
  const handle = async (request: Request): Promise<Response> => {
    const httpRequest = new FetchRequest(request, settings.limits.maxBodyBytes, options.clientAddress);
    return toResponse(await endpoint.handle(httpRequest), request.signal, settings);
  };
  return Object.assign(handle, { drain: (ms?: number) => endpoint.drain(ms), close: () => endpoint.close() });
}

class FetchRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly #request: Request;
  readonly #maxBytes: number;
  readonly #clientAddress: ClientAddress<Request> | undefined;

  constructor(request: Request, maxBytes: number, clientAddress: ClientAddress<Request> | undefined) {
    this.#clientAddress = clientAddress;
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.method = request.method;
    this.url = request.url;
  }

  /** Takes the host from the URL if the runtime has removed the header. */
  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? (name === "host" ? new URL(this.url).host : undefined);
  }

  get address(): string | undefined {
    return addressOf(this.#clientAddress, { request: this.#request, header: (name) => this.header(name) });
  }

  async text(): Promise<string> {
    const bytes = new GatheredBytes();
    for await (const chunk of bytesOf(this.#request.body)) {
      bytes.add(chunk);
      if (bytes.length > this.#maxBytes) throw new LimitExceededError("limits.maxBodyBytes", this.#maxBytes);
    }
    return toText(bytes.pieces());
  }

  onClose(listener: () => void): void {
    if (this.#request.signal.aborted) return listener();
    this.#request.signal.addEventListener("abort", listener, { once: true });
  }
}

async function* bytesOf(body: ReadableStream<Uint8Array> | null): AsyncIterable<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // The client must not keep sending a body that is not read.
    await reader.cancel().catch(() => undefined);
  }
}

function toText(chunks: readonly Uint8Array[]): string {
  try {
    return decodeUtf8(chunks);
  } catch (cause) {
    throw new McpError(ErrorCode.ParseError, "Parse error: the body is not UTF-8", undefined, { cause });
  }
}

function toResponse({ status, headers, body }: HttpResponse, signal: AbortSignal, settings: HttpSettings): Response {
  const pairs: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i]!, headers[i + 1]!]);
  return new Response(toBody(body, signal, settings), { status, headers: pairs });
}

function toBody(body: HttpResponse["body"], signal: AbortSignal, settings: HttpSettings): string | ReadableStream<Uint8Array> | null {
  if (body === undefined) return null;
  if (typeof body === "string") return body;
  if (body instanceof EventStream) return toReadable(body, signal, settings);
  return body.map((part) => (part instanceof JsonText ? part.text : part)).join("");
}

/** Bytes of a stream that may wait in the runtime before the sender must wait. */
const HIGH_WATER_MARK = 65_536;

function toReadable(stream: EventStream, signal: AbortSignal, settings: HttpSettings): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const sink = new PulledSink(stream, settings);
  const gone = (): void => {
    stream.gone();
    sink.cut();
  };
  signal.addEventListener("abort", gone, { once: true });
  stream.attach(sink);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller): Promise<void> {
        const text = await sink.next();
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (sink.state === "ended") controller.close();
        else if (sink.state === "cut") controller.error(new Error("The stream was cut"));
        else stream.drained();
      },
      cancel: gone,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_MARK }),
  );
}

/**
 * Text that waits until the response pulls it. In workers a request may write to its own response only, and ends if it waits for nothing
 * of its own. So the response pulls text that other requests cause, and runs a timer meanwhile. The timer also sends the heartbeat,
 * because the shared timer may have ended with the request that set it.
 */
class PulledSink implements StreamSink {
  #state: "open" | "ended" | "cut" = "open";
  #waiting = "";
  #wake: (() => void) | undefined;
  readonly #stream: EventStream;
  readonly #keepAlive: number;
  readonly #clock: Clock;

  constructor(stream: EventStream, { streams, clock }: HttpSettings) {
    this.#stream = stream;
    this.#keepAlive = streams.keepAlive;
    this.#clock = clock;
  }

  /** `"open"` until all text is pulled, then how the stream ended. */
  get state(): "open" | "ended" | "cut" {
    return this.#waiting === "" ? this.#state : "open";
  }

  write(text: string): boolean {
    this.#waiting += text;
    this.#wake?.();
    return this.#waiting.length < HIGH_WATER_MARK;
  }

  end(text: string): void {
    this.#state = "ended";
    this.write(text);
  }

  cut(): void {
    this.#state = "cut";
    this.#waiting = "";
    this.#wake?.();
  }

  /** The next text; an empty string when the stream has ended. */
  async next(): Promise<string> {
    while (this.#waiting === "" && this.#state === "open") await this.#woken();
    const text = this.#waiting;
    this.#waiting = "";
    return text;
  }

  async #woken(): Promise<void> {
    let timer: Timer;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = this.#clock.setTimer(this.#keepAlive, () => {
        this.#stream.beat(this.#keepAlive);
        resolve();
      });
      unref(timer);
    });
    this.#clock.clearTimer(timer);
  }
}
