/** Node's request as the endpoint sees it. Nothing is copied: headers are looked up where Node keeps them. */
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { ErrorCode, LimitExceededError, McpError, McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { HttpRequest } from "../../server/http/http-message.ts";
import { SlowBodyError } from "../../server/http/refusals.ts";
import { textOf } from "../text-bytes.ts";
import type { ArrivingBody, SlowBodies } from "./slow-bodies.ts";

/** A request whose body something before us may have read already. */
export type ReadRequest = IncomingMessage & {
  body?: unknown;
  rawBody?: unknown;
  /** What the client asked for, where a framework has taken the place something is mounted at off `url`. */
  originalUrl?: string;
};

const AUTHORIZATION = "authorization";

export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly #request: IncomingMessage;
  readonly #headers: IncomingHttpHeaders;
  readonly #response: ServerResponse;

  constructor(request: ReadRequest, response: ServerResponse) {
    this.#request = request;
    this.#headers = request.headers;
    this.#response = response;
    this.method = request.method ?? "";
    this.url = request.originalUrl ?? request.url ?? "";
  }

  header(name: string): string | undefined {
    let value = name === AUTHORIZATION ? this.#everyAuthorization() : this.#headers[name];
    if (name === "host") value = this.#headers[":authority"] ?? value; // what HTTP/2 calls it
    return typeof value === "object" ? value.join(", ") : value;
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

  /** The body was read by whoever writes {@link readBody}'s callbacks. */
  text(): never {
    throw new McpUsageError("The body of a Node request is read by its edge");
  }

  onClose(listener: () => void): void {
    if (this.#response.destroyed) return listener();
    this.#response.once("close", () => {
      if (!this.#response.writableFinished) listener();
    });
  }
}

/**
 * Reads a body of at most `max` bytes, no slower than `slow` allows where it is given. One of the callbacks is called once,
 * or none where the client goes away first.
 */
export function readBody(
  request: ReadRequest,
  max: number,
  onText: (text: string) => void,
  onError: (error: McpError) => void,
  slow?: SlowBodies,
): void {
  const ready = bodyAlreadyRead(request);
  if (ready !== undefined) return ready.length > max ? onError(new LimitExceededError("maxBodyBytes", max)) : onText(ready);
  if (request.readableEnded) return onError(new McpError(ErrorCode.ParseError, "Parse error: the body was read before"));
  new BodyReader(request, max, onText, onError, slow).read();
}

/** One body while it comes. */
class BodyReader implements ArrivingBody {
  size = 0;
  readonly #request: IncomingMessage;
  readonly #max: number;
  readonly #onText: (text: string) => void;
  readonly #onError: (error: McpError) => void;
  readonly #slow: SlowBodies | undefined;
  /** Most bodies are one chunk. */
  #first: Buffer | undefined;
  #all: GatheredBytes | undefined;
  /** It was refused: what still comes is thrown away. */
  #refused = false;

  constructor(
    request: IncomingMessage,
    max: number,
    onText: (text: string) => void,
    onError: (error: McpError) => void,
    slow: SlowBodies | undefined,
  ) {
    this.#request = request;
    this.#max = max;
    this.#onText = onText;
    this.#onError = onError;
    this.#slow = slow;
  }

  read(): void {
    this.#slow?.add(this);
    this.#request.on("data", (chunk: Buffer) => this.#take(chunk)).on("end", () => this.#end());
  }

  get gone(): boolean {
    return this.#request.destroyed;
  }

  onSlow(minBodyRate: number): void {
    this.#refuse(new SlowBodyError(minBodyRate));
  }

  #take(chunk: Buffer): void {
    if (this.#refused) return;
    this.size += chunk.length;
    if (this.size > this.#max) this.#refuse(new LimitExceededError("maxBodyBytes", this.#max));
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
    this.#refused = true;
    this.#letGo();
    this.#onError(error);
  }

  /** Its request goes on for as long as the answer takes, with its listeners: not with the body. */
  #letGo(): void {
    this.#slow?.delete(this);
    this.#first = this.#all = undefined;
  }

  #end(): void {
    if (this.#refused) return;
    const bytes = this.#all === undefined ? this.#first : Buffer.concat(this.#all.pieces());
    this.#letGo();
    if (bytes === undefined) this.#onText("");
    else if (isUtf8(bytes)) this.#onText(textOf(bytes));
    else this.#onError(new McpError(ErrorCode.ParseError, "Parse error: the body is not UTF-8"));
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
