/**
 * One request over HTTP: a POST whose HTTP response, JSON or a stream, brings the JSON-RPC response.
 *
 * It ends when the response is delivered, when the call fails, or when its caller abandons it. The dispatcher handles time
 * limits, progress and ids.
 */
import { MalformedMessage, type Incoming } from "../../jsonrpc/incoming.ts";
import { isBatch, isJsonObject, type JSONRPCMessage, type JSONRPCRequest, type RequestId } from "../../jsonrpc/message.ts";
import { McpError, ConnectionLostError, LimitExceededError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { reviveError } from "../../protocol/error-revival.ts";
import { MAX_RETRY_AFTER, pauseBefore, retryAfterOf, sampleOf, toFailure } from "./failed-response.ts";
import { UnusableResponseError } from "./errors.ts";
import { speaksOfLoss } from "./session/forgotten.ts";
import { UnsendableHeaderError } from "./header-check.ts";
import { adoptResponse, answersNobody, discard, mediaTypeOf, parseResponse, readText, responseIn } from "./response.ts";
import type { HttpConnection } from "./connection.ts";
import { statelessVersionOf } from "./headers.ts";
import { HttpStream } from "./stream.ts";
import { sleep } from "../../base/clock.ts";
import { LazyAbort } from "../../base/lazy-abort.ts";
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { AbortableRequest, type HttpResponse } from "./fetch.ts";
import type { ClientMessageMetadata } from "../../transport/session-message.ts";

/** Milliseconds a server has to end a stream that is no longer needed, so that its connection can be used again. */
const LINGER = 1_000;
/** The beginning of an event stream. */
const BEGINS_EVENT = /^\uFEFF?\s*(data|event|id|retry)?:/;

export class HttpCall {
  readonly id: RequestId;
  readonly stateless: boolean;
  readonly #connection: HttpConnection;
  readonly #request: JSONRPCRequest;
  readonly #body: string;
  readonly #metadata: ClientMessageMetadata | undefined;
  readonly #abort = new LazyAbort();
  #sessionId: string | undefined;
  /** An error with a success status that may be about the session. */
  #doubtful: McpError | undefined;
  #limited = false;
  #settled = false;
  /** Whether the server has refused the request for now, so that it does not run. */
  #waiting = false;
  #lingering: unknown;
  /** The session id in the response to `initialize`, or null without one. Undefined for any other request. */
  #onInitialize: string | null | undefined;

  /** @param body the request as text @param metadata headers, and the point at which to resume an earlier stream */
  constructor(connection: HttpConnection, request: JSONRPCRequest, body: string, metadata?: ClientMessageMetadata) {
    this.#metadata = metadata;
    this.#connection = connection;
    this.#request = request;
    this.id = request.id;
    this.#body = body;
    this.stateless = statelessVersionOf(request.params) !== undefined;
  }

  /** Sends the request, now or when its turn comes. Streams that stay open do not count for the limit. */
  start(): void {
    this.#limited = this.#request.method !== "subscriptions/listen";
    if (this.#limited) this.#connection.limiter.enter(this.#begin);
    else this.#begin();
  }

  readonly #begin = (): void => void this.#run();

  /**
   * Stops waiting. Returns false if the request was never sent. On stateful revisions a disconnect cancels nothing, and the
   * server withdraws its questions on this stream, so the stream is read until the server ends it.
   */
  cancel(): boolean {
    if (this.#limited && this.#connection.limiter.leave(this.#begin)) {
      this.#connection.finished(this);
      return false;
    }
    this.#settled = true;
    if (this.#waiting) {
      this.#abort.abort();
      return false;
    }
    this.#release();
    if (this.stateless) this.#abort.abort();
    else this.#linger();
    return true;
  }

  /** Gives the server a short time to end the stream by itself. */
  #linger(): void {
    this.#lingering ??= this.#connection.clock.setTimer(LINGER, () => this.#abort.abort());
  }

  async #run(): Promise<void> {
    this.#connection.open.add(this.#abort);
    try {
      if (this.#metadata?.resumptionToken === undefined) await this.#read(await this.#post());
      else await this.#readStream();
    } catch (error) {
      const final = this.#doubtful !== undefined && error === this.#doubtful ? await this.#judged(this.#doubtful) : error;
      if (!this.#settled) this.#connection.failCall(this.#request.id, this.#toMcpError(final));
    } finally {
      this.#connection.clock.clearTimer(this.#lingering);
      this.#connection.open.delete(this.#abort);
      this.#release();
    }
  }

  #release(): void {
    this.#connection.finished(this);
    if (this.#limited) this.#connection.limiter.release();
    this.#limited = false;
  }

  #toMcpError(error: unknown): unknown {
    if (McpError.isMcpError(error) || error instanceof UnsendableHeaderError) return error;
    return new ConnectionLostError(`The answer of ${this.#connection.endpoint.name} broke off`, "unknown", { cause: error });
  }

  /** Sends the POST. After a 429 or 503 it waits and sends it again, if the server did not run it or it may run twice. */
  async #post(): Promise<HttpResponse> {
    const { clock, endpoint, session } = this.#connection;
    for (let retries = 0; ; retries++) {
      if (!this.stateless) this.#sessionId = session.id;
      const made = this.#connection.headers.of(this.#request, this.#metadata?.headers);
      const headers = isPromise(made) ? await made : made;
      const init = new AbortableRequest("POST", headers, this.#body, this.#abort);
      const response = await endpoint.send(init, !this.stateless && session.asksNobody(this.#sessionId));
      if (response.ok) return response;
      const pause = pauseBefore(response, clock, retries);
      if (pause === undefined || this.#settled || pause >= this.#timeLeft || !this.#mayRepeat(response)) return response;
      discard(response);
      this.#waiting = true;
      await sleep(clock, pause, this.#abort.signal);
      this.#waiting = false;
    }
  }

  get #timeLeft(): number {
    return this.#connection.timeLeft(this.#request.id);
  }

  /** Whether the request may be sent again. One that is refused by 429 was not run, and a handshake may be made twice. */
  #mayRepeat({ status }: HttpResponse): boolean {
    return status === 429 || this.#request.method === "initialize" || this.#connection.isRepeatable(this.#request);
  }

  #read(response: HttpResponse): Promise<void> {
    if (!response.ok) return this.#refuse(response);
    this.#onInitialize = this.#request.method === "initialize" ? response.headers.get("mcp-session-id") : undefined;
    if (!this.stateless && this.#onInitialize === undefined) this.#connection.session.check(response);
    const type = mediaTypeOf(response);
    if (type === "text/event-stream") return this.#readStream(response);
    if (type === "application/json") return this.#readJson(response);
    return this.#readUnlabelled(response, type);
  }

  /** Reads a body whose media type says nothing of a message, if it is one nevertheless. */
  async #readUnlabelled(response: HttpResponse, type: string | undefined): Promise<void> {
    const { endpoint, reading } = this.#connection;
    const found = reading.strict ? discard(response) : await (await import("./unlabelled.ts")).recognise(response);
    if (found === undefined) {
      const what = type === undefined ? "no content" : sampleOf(type);
      throw new UnusableResponseError(`${endpoint.name} answered "${this.#request.method}" with HTTP ${response.status} and ${what}`);
    }
    this.#deviated("media-type", `with the Content-Type ${type === undefined ? "missing" : sampleOf(type)}`);
    return found.form === "json" ? this.#readJson(found.response) : this.#readStream(found.response);
  }

  #deviated(kind: "media-type" | "response-id", how: string): void {
    const { endpoint, reading } = this.#connection;
    const { method } = this.#request;
    const path = kind === "media-type" ? "content-type" : "id";
    reading.deviated({ kind, method, path, message: `${endpoint.name} answered "${method}" ${how}` });
  }

  /** Fails the call with what an error status says. */
  async #refuse(response: HttpResponse): Promise<never> {
    const { clock, endpoint } = this.#connection;
    const failure = await toFailure(response, endpoint.name, this.#request.id);
    const wait = response.status === 429 || response.status === 503 ? (retryAfterOf(response, clock) ?? 0) : 0;
    const left = this.#timeLeft;
    if (wait > MAX_RETRY_AFTER || (wait > 0 && wait >= left)) {
      const most =
        wait > MAX_RETRY_AFTER ? `the client waits for ${MAX_RETRY_AFTER / 1000} s` : `the call waits for ${Math.floor(left / 1000)} s`;
      failure.message += ` (it asks to wait ${Math.ceil(wait / 1000)} s; ${most} at most)`;
    }
    throw await this.#judged(failure, response);
  }

  /** The error of the request, once it is clear whether the server knows its session. The handshake may need the place of this call. */
  #judged(failure: McpError, response?: HttpResponse): MaybePromise<McpError> {
    if (this.#sessionId === undefined) return failure;
    this.#release();
    return this.#connection.session.refused(this.#sessionId, failure, response);
  }

  async #readJson(response: HttpResponse): Promise<void> {
    const { endpoint, limits } = this.#connection;
    const text = await readText(response, limits.maxResponseBytes);
    const incoming = this.#parse(text, limits.maxResponseBytes);
    if (incoming === undefined && !this.#connection.reading.strict && BEGINS_EVENT.test(text)) {
      this.#deviated("media-type", "with events as JSON");
      return this.#readStream((await import("./unlabelled.ts")).asEvents(response, text));
    }
    if (incoming === undefined)
      throw new UnusableResponseError(`${endpoint.name} answered "${this.#request.method}" with something else: ${sampleOf(text)}`);
    this.#take(incoming);
  }

  #parse(text: string, size: number): Incoming | undefined {
    try {
      const incoming = this.#own(parseResponse(text, size));
      return responseIn(incoming, this.id) === undefined ? undefined : incoming;
    } catch (error) {
      if (McpError.isMcpError(error) && !(error instanceof LimitExceededError)) this.#doubtful = error;
      throw error;
    }
  }

  /**
   * Reads a stream, and resumes it if it ends without the response and the server supports that. Without `first` it resumes the
   * stream of an earlier call.
   */
  async #readStream(first?: HttpResponse): Promise<void> {
    const stream = new HttpStream(this.#connection, {
      abort: this.#abort,
      deliver: (incoming) => {
        this.#take(first === undefined ? adoptResponse(incoming, this.id) : incoming);
        if (this.#settled) this.#linger();
      },
      metadata: this.#metadata,
    });
    for (let response = first ?? (await stream.get()); ;) {
      const { error } = await stream.read(response);
      if (this.#settled) return;
      if (this.stateless || stream.lastEventId === undefined) {
        throw new ConnectionLostError(`The stream from ${this.#connection.endpoint.name} ended before the answer`, "unknown", {
          cause: error,
        });
      }
      response = await stream.reopen(error);
    }
  }

  /** @throws ProtocolViolationError if the server sends a request on a stateless revision */
  #take(incoming: Incoming): void {
    if (this.stateless && "method" in incoming && "id" in incoming) {
      const method = this.#request.method;
      throw new ProtocolViolationError(`The server sent a request while it answered "${method}": this revision does not allow that`);
    }
    const own = this.#own(incoming);
    const response = responseIn(own, this.id);
    if (!this.#settled) this.#checkError(response ?? own);
    if (response !== undefined && !this.#settled) this.#settle(response);
    this.#connection.deliver(own, this.id);
  }

  /** A response whose id no request has answers this call, because its POST had no other request. */
  #own(incoming: Incoming): Incoming {
    if (!answersNobody(incoming) || responseIn(incoming, this.id) !== undefined || this.#connection.reading.strict) return incoming;
    this.#deviated("response-id", "with an id that no request has");
    return adoptResponse(incoming, this.id);
  }

  /** Handles an error that names no request, and one that speaks of a lost session. @throws McpError */
  #checkError(message: Incoming): void {
    if (isBatch(message) || !("error" in message) || message instanceof MalformedMessage) return;
    if (message.id !== null && (this.#sessionId === undefined || !speaksOfLoss(message.error))) return;
    const error = reviveError(message.error);
    if (this.#sessionId !== undefined) this.#doubtful = error;
    throw error;
  }

  #settle(response: JSONRPCMessage | MalformedMessage): void {
    if (this.#onInitialize !== undefined && "result" in response && isJsonObject(response.result)) {
      this.#connection.session.opened(this.#request.params, this.#onInitialize, response.result);
    }
    this.#settled = true;
    this.#release();
  }
}
