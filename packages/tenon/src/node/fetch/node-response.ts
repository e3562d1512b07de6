/**
 * One response of undici: its head settles the request, and its body is buffered until it is read.
 *
 * A body that is not read yet pauses the connection at `MAX_BUFFERED_BYTES`. Cancelling the body closes the connection.
 */
import { Readable } from "node:stream";
import { decompressed, decompressorsOf } from "./decompress.ts";
import type { Dispatcher } from "undici";
import { addAbortListener, removeAbortListener, type Abortable, type AbortListener } from "../../base/abort.ts";
import type { HttpResponse } from "../../client/http/fetch.ts";

/** Most bytes that are buffered for the reader. */
const MAX_BUFFERED_BYTES = 64 * 1024;

const NO_LINES: readonly string[] = [];

type Headers = { readonly [name: string]: string | string[] | undefined };
type Resolve<T> = (value: T) => void;
type Reject = (error: unknown) => void;
/** A reader of the body: all of it as text, or piece by piece. */
interface Reader {
  data(chunk: Buffer): void;
  end(): void;
  error(error: unknown): void;
}

export class NodeResponse implements HttpResponse, Dispatcher.DispatchHandler {
  readonly type = "basic";
  status = 0;
  readonly #abort: Abortable;
  readonly #resolve: Resolve<HttpResponse>;
  readonly #reject: Reject;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #headers: Headers = {};
  #controller: Dispatcher.DispatchController | undefined;
  #end: { readonly error?: unknown } | undefined;
  #reader: Reader | undefined;
  #body: ReadableStream<Uint8Array> | undefined;

  constructor(abort: Abortable, resolve: Resolve<HttpResponse>, reject: Reject) {
    this.#abort = abort;
    this.#resolve = resolve;
    this.#reject = reject;
    addAbortListener(abort, this.#listener);
  }

  // ---- events of undici ----

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#end !== undefined) controller.abort(toError(this.#end.error));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.status = status;
    this.#headers = headers;
    this.#resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#reader !== undefined) return this.#reader.data(chunk);
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= MAX_BUFFERED_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_: unknown, error: Error): void {
    this.#finish({ error });
  }

  readonly #listener: AbortListener = { handleEvent: () => this.#cancel(this.#abort.reason) };

  #cancel(reason: unknown): void {
    const error = toError(reason);
    this.#finish({ error });
    this.#controller?.abort(error);
  }

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    removeAbortListener(this.#abort, this.#listener);
    if ("error" in end) {
      this.#reject(end.error);
      this.#reader?.error(end.error);
    } else this.#reader?.end();
  }

  // ---- members for the client ----

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  get headers(): HttpResponse["headers"] {
    return this;
  }

  get(name: string): string | null {
    const value = this.#headers[name];
    return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
  }

  has(name: string): boolean {
    return this.#headers[name] !== undefined;
  }

  getSetCookie(): readonly string[] {
    const lines = this.#headers["set-cookie"];
    return lines === undefined ? NO_LINES : typeof lines === "string" ? [lines] : lines;
  }

  /** Reads an uncompressed body without a limit. Read `body` to limit its size. */
  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      this.#read({
        data: (chunk) => void chunks.push(chunk),
        end: () => resolve(withoutMark((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString())),
        error: reject,
      });
    });
  }

  get body(): ReadableStream<Uint8Array> {
    this.#body ??= decompress(this.#stream(), this.get("content-encoding"));
    return this.#body;
  }

  #stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (stream) =>
          this.#read({
            data: (chunk) => {
              stream.enqueue(chunk);
              if ((stream.desiredSize ?? 0) <= 0) this.#controller?.pause();
            },
            end: () => stream.close(),
            error: (error) => stream.error(error),
          }),
        pull: () => this.#controller?.resume(),
        cancel: (reason) => this.#cancel(reason),
      },
      { highWaterMark: MAX_BUFFERED_BYTES, size: (chunk) => chunk.byteLength },
    );
  }

  #read(reader: Reader): void {
    for (const chunk of this.#waiting) reader.data(chunk);
    this.#reader = reader;
    if (this.#end === undefined) this.#controller?.resume();
    else if ("error" in this.#end) reader.error(this.#end.error);
    else reader.end();
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("Aborted");
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function decompress(body: ReadableStream<Uint8Array>, encodings: string | null): ReadableStream<Uint8Array> {
  if (encodings === null) return body;
  const decompressors = decompressorsOf(encodings);
  if (decompressors.length === 0) return body;
  // Node types its web streams differently from the web, but they are the same.
  const packed: Readable = Readable.fromWeb(body as unknown as Parameters<typeof Readable.fromWeb>[0]);
  return Readable.toWeb(decompressed(packed, decompressors)) as unknown as ReadableStream<Uint8Array>;
}
