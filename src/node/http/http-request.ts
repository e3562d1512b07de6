/** Node's request as the endpoint sees it. Nothing is copied: headers are looked up where Node keeps them. */
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { HttpRequest } from "../../server/http/http-message.ts";
import type { ClientAddress } from "../../server/http/options.ts";
import { addressOf } from "../../server/http/client-address.ts";
import { SlowBodyError } from "../../server/http/refusals.ts";
import { textOf } from "../text-bytes.ts";
import { isBehind } from "./http-response.ts";
import type { ArrivingBody, SlowBodies } from "./slow-bodies.ts";

/** A request whose body something before us may have read already. */
export type ReadRequest = IncomingMessage & {
  body?: unknown;
  rawBody?: unknown;
  /** What the client asked for, where a framework has taken the place something is mounted at off `url`. */
  originalUrl?: string;
};

/** What all requests of one endpoint are read with. */
export interface RequestTerms {
  readonly body: BodyLimits;
  readonly clientAddress?: ClientAddress<IncomingMessage> | undefined;
}

const AUTHORIZATION = "authorization";

export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Where its reply is written. */
  readonly response: ServerResponse;
  readonly #request: ReadRequest;
  readonly #headers: IncomingHttpHeaders;
  readonly #terms: RequestTerms;
  /** The address of the connection. A socket that is closed no longer tells it. */
  readonly #peer: string | undefined;
  #wanted = false;

  constructor(request: ReadRequest, response: ServerResponse, terms: RequestTerms) {
    this.#terms = terms;
    this.#request = request;
    this.#peer = request.socket.remoteAddress;
    this.#headers = request.headers;
    this.response = response;
    this.method = request.method ?? "";
    this.url = request.originalUrl ?? request.url ?? "";
  }

  header(name: string): string | undefined {
    let value = name === AUTHORIZATION ? this.#everyAuthorization() : this.#headers[name];
    if (name === "host") value = this.#headers[":authority"] ?? value; // what HTTP/2 calls it
    return typeof value === "object" ? value.join(", ") : value;
  }

  get address(): string | undefined {
    return addressOf(this.#terms.clientAddress, { request: this.#request, header: (name) => this.header(name), peer: this.#peer });
  }

  /** Node keeps the first of several; what stands before us may have looked at another. */
  #everyAuthorization(): string[] | undefined {
    const { rawHeaders } = this.#request;
    let found: string[] | undefined;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i]!;
      if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) (found ??= []).push(rawHeaders[i + 1]!);
    }
    return found;
  }

  text(): MaybePromise<string> {
    this.#wanted = true;
    return readBody(this.#request, this.#terms.body);
  }

  /** Throws away the body as it comes, unless it was read: the connection is free for the next request only then. */
  discardBody(): void {
    if (!this.#wanted) this.#request.resume();
  }

  isBehind(max: number): boolean {
    return isBehind(this.response, max);
  }

  onClose(listener: () => void): void {
    if (this.response.destroyed) return listener();
    this.response.once("close", () => {
      if (!this.response.writableFinished) listener();
    });
  }
}

/** What bounds the bodies of one endpoint. */
export interface BodyLimits {
  /** Bytes a body may have. */
  readonly maxBytes: number;
  /** Cuts off the bodies that come too slowly. Default: no body is too slow. */
  readonly slow?: SlowBodies;
}

/**
 * Reads a body, at once if something before us has read it. Never settles if the client goes away first.
 * @throws LimitExceededError if it is too large, SlowBodyError, McpError -32700 if it is not UTF-8 or was read before
 */
export function readBody(request: ReadRequest, limits: BodyLimits): MaybePromise<string> {
  const ready = bodyAlreadyRead(request);
  if (ready === undefined) {
    if (request.readableEnded) throw new McpError(ErrorCode.ParseError, "Parse error: the body was read before");
    return new BodyReader(request, limits).read();
  }
  if (ready.length > limits.maxBytes) throw new LimitExceededError("limits.maxBodyBytes", limits.maxBytes);
  return ready;
}

interface Reading {
  resolve(text: string): void;
  reject(error: McpError): void;
}

/** One body while it comes. */
class BodyReader implements ArrivingBody {
  size = 0;
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  /** Unset once the body was read or refused: what still comes is thrown away. */
  #reading: Reading | undefined;
  /** Most bodies are one chunk. */
  #first: Buffer | undefined;
  #all: GatheredBytes | undefined;

  constructor(request: IncomingMessage, limits: BodyLimits) {
    this.#request = request;
    this.#limits = limits;
  }

  read(): Promise<string> {
    this.#limits.slow?.add(this);
    this.#request.on("data", (chunk: Buffer) => this.#take(chunk)).on("end", () => this.#end());
    return new Promise((resolve, reject) => {
      this.#reading = { resolve, reject };
    });
  }

  get gone(): boolean {
    return this.#request.destroyed;
  }

  onSlow(minBodyRate: number): void {
    this.#refuse(new SlowBodyError(minBodyRate));
  }

  #take(chunk: Buffer): void {
    if (this.#reading === undefined) return;
    const { maxBytes } = this.#limits;
    this.size += chunk.length;
    if (this.size > maxBytes) this.#refuse(new LimitExceededError("limits.maxBodyBytes", maxBytes));
    else if (this.#first === undefined) this.#first = chunk;
    else this.#gather(this.#first, chunk);
  }

  #gather(first: Buffer, next: Buffer): void {
    if (this.#all === undefined) {
      this.#all = new GatheredBytes();
      this.#all.add(first);
    }
    this.#all.add(next);
  }

  #refuse(error: McpError): void {
    this.#finish()?.reject(error);
  }

  #end(): void {
    const bytes = this.#all === undefined ? this.#first : Buffer.concat(this.#all.pieces());
    const reading = this.#finish();
    if (bytes === undefined) reading?.resolve("");
    else if (isUtf8(bytes)) reading?.resolve(textOf(bytes));
    else reading?.reject(new McpError(ErrorCode.ParseError, "Parse error: the body is not UTF-8"));
  }

  /** The request goes on with these listeners until its response has left: the body must not. Its promise holds the text. */
  #finish(): Reading | undefined {
    const reading = this.#reading;
    this.#limits.slow?.delete(this);
    this.#first = this.#all = this.#reading = undefined;
    return reading;
  }
}

/**
 * The text of a body that a framework has read. A parsed one is written out again, so that it goes through every check
 * of a text; only equal keys can no longer be told (H17).
 */
function bodyAlreadyRead({ body, rawBody, readableEnded }: ReadRequest): string | undefined {
  const whole = rawBody ?? body;
  if (whole === undefined || whole === null) return undefined;
  if (typeof whole === "string") return whole;
  if (whole instanceof Uint8Array)
    return isUtf8(whole) ? Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString() : "\uFFFD";
  // Some frameworks leave an empty object where they did not read.
  return readableEnded || Object.keys(whole).length > 0 ? JSON.stringify(whole) : undefined;
}
