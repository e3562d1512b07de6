/**
 * Writes an event stream to a response of Node.
 *
 * Node hands a chunk to its socket in four pieces, which costs more than a small event itself. This sink frames a chunk as
 * one text (RFC 9112 section 7.1), unless a framework has replaced `write`. Node writes the last chunk.
 */
import { ServerResponse } from "node:http";
import { unsent } from "../../base/unsent.ts";
import type { EventStream, StreamSink } from "../../server/http/exchange/event-stream.ts";
import type { StreamResponse } from "../../server/http/http-message.ts";
import type { Outlet } from "./backlog.ts";
import { endResponse, PIECE, piecesOf, type Chunk } from "./http-response.ts";

/** Characters from which on a copy costs more than four pieces. */
const LARGE_TEXT = 4_096;

/** Begins a streamed response, unless the client has gone. */
export function writeStream(outlet: Outlet, response: ServerResponse, { status, headers, body }: StreamResponse): void {
  if (response.destroyed || response.headersSent) return body.gone();
  response.writeHead(status, [...headers]);
  new ResponseSink(outlet, response).carry(body);
}

class ResponseSink implements StreamSink {
  readonly #outlet: Outlet;
  readonly #response: ServerResponse;
  /** Whether this sink frames the chunks: not for HTTP/1.0, and not if a framework has replaced `write`. */
  readonly #frames: boolean;
  #begun = false;
  /** Bytes that Node holds for a slow client. */
  #waiting = 0;
  /** The rest of a large text. */
  #rest: Iterator<Chunk, void> | undefined;

  /** @param response its head must be written */
  constructor(outlet: Outlet, response: ServerResponse) {
    this.#outlet = outlet;
    this.#response = response;
    this.#frames = response.chunkedEncoding && writesToSocket(response);
  }

  /** Lets `stream` write from now on. The head is sent together with the stream's first events. */
  carry(stream: EventStream): void {
    const response = this.#response;
    const gone = (): void => {
      this.#wait(0);
      stream.gone();
    };
    response.on("drain", () => this.#onDrain(stream));
    response.on("close", gone).on("error", gone);
    stream.attach(this);
    if (!this.#begun) response.flushHeaders();
  }

  #onDrain(stream: EventStream): void {
    stream.progressed();
    for (let next = this.#rest?.next(); next !== undefined && next.done !== true; next = this.#rest?.next()) {
      if (!this.#response.write(next.value)) return;
    }
    this.#rest = undefined;
    this.#wait(0);
    stream.drained();
  }

  #wait(bytes: number): void {
    unsent.size += bytes - this.#waiting;
    this.#waiting = bytes;
  }

  /** Writes a text. All of it counts as unsent until the client has read all of it. */
  write(text: string): boolean {
    const taken = text.length > PIECE ? this.#writePieces(text) : this.#write(text);
    if (!taken) this.#wait(text.length);
    return taken;
  }

  #writePieces(text: string): boolean {
    this.#begun = true;
    this.#rest = piecesOf([text]);
    const first = this.#rest.next();
    return first.done === true || this.#response.write(first.value);
  }

  #write(text: string): boolean {
    this.#begun = true;
    const response = this.#response;
    if (!this.#frames || text.length >= LARGE_TEXT) return response.write(text);
    response.chunkedEncoding = false;
    const read = response.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
    response.chunkedEncoding = true;
    return read;
  }

  end(text: string): void {
    this.#begun = true;
    endResponse(this.#outlet, this.#response, text === "" ? [] : [text], text.length);
  }

  cut(): void {
    this.#begun = true;
    this.#response.destroy();
  }
}

const NODE: { readonly write: unknown } = ServerResponse.prototype;

function writesToSocket(response: { readonly write: unknown }): boolean {
  return response.write === NODE.write;
}
