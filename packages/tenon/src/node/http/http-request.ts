/** Node's request as the endpoint sees it. Headers are read from Node's request without copying. */
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { HttpRequest } from "../../server/http/http-message.ts";
import type { ClientAddress } from "../../server/http/options.ts";
import { addressOf } from "../../server/http/client-address.ts";
import { SlowBodyError } from "../../server/http/refusals.ts";
import { endOfWhole, textOf } from "../text-bytes.ts";
import { isBehind } from "./http-response.ts";
import type { ArrivingBody, SlowBodies } from "./slow-bodies.ts";

/** A request whose body a framework may have read already. */
export type ReadRequest = IncomingMessage & {
  body?: unknown;
  rawBody?: unknown;
  /** The URL that the client requested, if a framework has removed the mount path from `url`. */
  originalUrl?: string;
};

export interface RequestTerms {
  readonly body: BodyLimits;
  readonly clientAddress?: ClientAddress<IncomingMessage> | undefined;
  /** The address of every connection without one, such as a connection over a Unix socket. All of them share its limits. */
  readonly peer?: string | undefined;
}

const AUTHORIZATION = "authorization";

export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
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
    this.#peer = request.socket.remoteAddress ?? terms.peer;
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

  /** Returns every `Authorization` header. Node keeps only the first, but a proxy may have checked another one. */
  #everyAuthorization(): string | undefined {
    const { rawHeaders } = this.#request;
    let found: string | undefined;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i]!;
      if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION)
        found = found === undefined ? rawHeaders[i + 1]! : `${found}, ${rawHeaders[i + 1]!}`;
    }
    return found;
  }

  text(): MaybePromise<string> {
    this.#wanted = true;
    return readBody(this.#request, this.#terms.body);
  }

  parts(): MaybePromise<string | readonly string[]> {
    this.#wanted = true;
    return readParts(this.#request, this.#terms.body);
  }

  /** Drops the body unless it is read, because the connection is not free before the body has arrived. */
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

export interface BodyLimits {
  readonly maxBytes: number;
  /** Refuses bodies that arrive too slowly. Default: no minimum rate. */
  readonly slow?: SlowBodies;
}

/**
 * Reads a body, synchronously if a framework has read it already. Never settles if the client goes away first.
 * @throws LimitExceededError if it is too large, SlowBodyError, McpError -32700 if it is not UTF-8 or was read before
 */
export function readBody(request: ReadRequest, limits: BodyLimits): MaybePromise<string> {
  return andThen(readParts(request, limits), (text) => (typeof text === "string" ? text : text.join("")));
}

/** The same, with a long body in parts. */
function readParts(request: ReadRequest, limits: BodyLimits): MaybePromise<string | readonly string[]> {
  const ready = bodyAlreadyRead(request);
  if (ready === undefined) {
    if (request.readableEnded) throw new McpError(ErrorCode.ParseError, "Parse error: the body was read before");
    return new BodyReader(request, limits).read();
  }
  if (ready.length > limits.maxBytes) throw new LimitExceededError("limits.maxBodyBytes", limits.maxBytes);
  return ready;
}

/** Bytes of a long body that are decoded at once. */
const PART = 2 ** 20;

const notUtf8 = (): McpError => new McpError(ErrorCode.ParseError, "Parse error: the body is not UTF-8");

interface Reading {
  resolve(text: string | readonly string[]): void;
  reject(error: McpError): void;
}

class BodyReader implements ArrivingBody {
  size = 0;
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  /** Undefined once the body was read or refused. Further bytes are dropped. */
  #reading: Reading | undefined;
  /** Most bodies are one chunk. */
  #first: Buffer | undefined;
  #all: GatheredBytes | undefined;
  /** The text of what has arrived of a long body. */
  #parts: string[] | undefined;

  constructor(request: IncomingMessage, limits: BodyLimits) {
    this.#request = request;
    this.#limits = limits;
  }

  read(): Promise<string | readonly string[]> {
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
    if (this.#all.length >= PART) this.#decodePart(this.#all);
  }

  /** Decodes while the body arrives: to join a long body, and to decode it at once, would each take tens of milliseconds. */
  #decodePart(gathered: GatheredBytes): void {
    const bytes = Buffer.concat(gathered.pieces());
    const end = endOfWhole(bytes);
    if (!isUtf8(bytes.subarray(0, end))) return this.#refuse(notUtf8());
    (this.#parts ??= []).push(textOf(bytes, 0, end));
    this.#all = new GatheredBytes();
    this.#all.add(bytes.subarray(end));
  }

  #refuse(error: McpError): void {
    this.#finish()?.reject(error);
  }

  #end(): void {
    const bytes = this.#all === undefined ? this.#first : Buffer.concat(this.#all.pieces());
    const parts = this.#parts;
    const reading = this.#finish();
    if (bytes === undefined) reading?.resolve("");
    else if (!isUtf8(bytes)) reading?.reject(notUtf8());
    else reading?.resolve(parts === undefined ? textOf(bytes) : [...parts, textOf(bytes)]);
  }

  /** Frees the body, because the request holds this reader until its response is sent. */
  #finish(): Reading | undefined {
    const reading = this.#reading;
    this.#limits.slow?.delete(this);
    this.#first = this.#all = this.#parts = this.#reading = undefined;
    return reading;
  }
}

/**
 * The text of a body that a framework has read. A parsed body is serialised again, so that it passes every check of a text. Only
 * duplicate keys can no longer be detected.
 */
function bodyAlreadyRead({ body, rawBody, readableEnded }: ReadRequest): string | undefined {
  const whole = rawBody ?? body;
  if (whole === undefined || whole === null) return undefined;
  if (typeof whole === "string") return whole;
  if (whole instanceof Uint8Array)
    return isUtf8(whole) ? Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString() : "\uFFFD";
  // Some frameworks set an empty object if they did not read the body.
  return readableEnded || Object.keys(whole).length > 0 ? JSON.stringify(whole) : undefined;
}
