/**
 * Where an event stream writes on Node: a response of unknown length.
 *
 * Node hands a chunk to its socket in four pieces, which costs more than the small event in it. Here it leaves as one text
 * (RFC 9112, 7.1), unless somebody between us and the socket wants to see the text itself. The last chunk is Node's.
 */
import { ServerResponse } from "node:http";
import type { EventStream, StreamSink } from "../server/http/event-stream.ts";

/** Characters from which on copying them once more costs more than the pieces. */
const LARGE_TEXT = 4_096;

export class ResponseSink implements StreamSink {
  readonly #response: ServerResponse;
  /** Whether the chunks are ours to frame: not to HTTP/1.0, not where somebody has put a `write` of its own in the place of Node's. */
  readonly #frames: boolean;
  #begun = false;

  /** `response`: one whose head is made. */
  constructor(response: ServerResponse) {
    this.#response = response;
    this.#frames = response.chunkedEncoding && writesToSocket(response);
  }

  /** Lets `stream` write from now on. The head leaves together with what the stream has to say already. */
  carry(stream: EventStream): void {
    const response = this.#response;
    response.on("drain", () => stream.drained());
    response.on("close", () => stream.gone());
    response.on("error", () => stream.gone());
    stream.attach(this);
    if (!this.#begun) response.flushHeaders();
  }

  write(text: string): boolean {
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
    if (text === "") this.#response.end();
    else this.#response.end(text);
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
