/**
 * Responds to one inbound request exactly once, or not at all after a cancel: for programs that receive requests in one place and
 * respond in another. Handlers of a server do not need it: they return.
 *
 * `using responder = incoming.enter()` is its scope. Leaving the scope without a response leaves the request pending.
 */
import type { RunInContext } from "../../base/async-context.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import { ErrorCode, McpUsageError, type ErrorData } from "../../jsonrpc/mcp-error.ts";
import type { RequestMeta } from "../../protocol/base.ts";
import type { Outbound } from "../../dispatch/dispatcher.ts";
import type { MessageMetadata } from "../../transport/session-message.ts";

/** Sends responses. */
export interface ResponseSender {
  /** Sends the one response to that request: a result, or an error object. */
  sendResponse(requestId: RequestId, response: JsonObject | ErrorData): MaybePromise<void>;
}

/** What a {@link RequestResponder} is made of. */
export interface RequestResponderOptions<Request> {
  /** The request's id, as the peer wrote it. */
  readonly requestId: RequestId;
  /** The request's `_meta`, if it has one. */
  readonly requestMeta?: RequestMeta | undefined;
  /** The request, checked. */
  readonly request: Request;
  /** Sends the response. */
  readonly session: ResponseSender;
  /** Called when the scope is left and the request has its response or was cancelled. */
  readonly onComplete?: (responder: RequestResponder<Request>) => void;
  /** The transport's metadata of the message. */
  readonly messageMetadata?: MessageMetadata | undefined;
  /** The context that the request was sent from. */
  readonly context?: RunInContext | undefined;
  /** Aborts when the sender of the request no longer wants a response. */
  readonly signal?: AbortSignal;
  /** The request's own channel. */
  readonly outbound?: Outbound;
}

const OUTSIDE_CONTEXT_MESSAGE = "RequestResponder must be used as a context manager";

/** Responds to one request, once: {@link enter} it, then {@link respond}. Made by `BaseSession`. */
export class RequestResponder<Request = unknown, Response extends JsonObject = JsonObject> implements Disposable {
  /** The request's id, as the peer wrote it. */
  readonly requestId: RequestId;
  /** The request's `_meta`, if it has one. */
  readonly requestMeta: RequestMeta | undefined;
  /** The request, checked. */
  readonly request: Request;
  /** The transport's metadata of the message. */
  readonly messageMetadata: MessageMetadata | undefined;
  /** The context that the request was sent from, if its transport carries one. */
  readonly context: RunInContext | undefined;
  /** The request's own channel. */
  readonly outbound: Outbound | undefined;
  readonly #options: RequestResponderOptions<Request>;
  #abort = new AbortController();
  #completed = false;
  #entered = false;

  /** The new responder is pending, and not entered yet. */
  constructor(options: RequestResponderOptions<Request>) {
    this.#options = options;
    this.requestId = options.requestId;
    this.requestMeta = options.requestMeta;
    this.request = options.request;
    this.messageMetadata = options.messageMetadata;
    this.context = options.context;
    this.outbound = options.outbound;
    this.#follow();
  }

  /** Opens the scope, with its own signal. */
  enter(): this {
    this.#entered = true;
    this.#abort = new AbortController();
    this.#follow();
    return this;
  }

  #follow(): void {
    const { signal } = this.#options;
    const abort = this.#abort;
    if (signal?.aborted) abort.abort(signal.reason);
    else signal?.addEventListener("abort", () => abort.abort(signal.reason), { once: true, signal: abort.signal });
  }

  /** Aborts when the request is cancelled, by the peer or by {@link cancel}. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether the request has no response yet and is not cancelled. */
  get inFlight(): boolean {
    return !this.#completed && !this.cancelled;
  }

  /** Whether the request is cancelled, even if the handler has not noticed. */
  get cancelled(): boolean {
    return this.signal.aborted;
  }

  /**
   * Responds with a result or an error. After a cancel it does nothing, because the handler cannot know of it in time.
   * @throws McpUsageError outside of the scope, or if there was a response already, even if it is still being written
   */
  async respond(response: Response | ErrorData): Promise<void> {
    if (!this.#entered) throw new McpUsageError(OUTSIDE_CONTEXT_MESSAGE);
    if (this.cancelled) return;
    if (this.#completed) throw new McpUsageError("Request already responded to");
    this.#completed = true;
    await this.#options.session.sendResponse(this.requestId, response);
  }

  /**
   * Cancels the request from this side: aborts the signal, then responds with an error (-32800). Does nothing if there was a
   * response already. A cancel by the peer gets no response.
   * @throws McpUsageError outside of the scope
   */
  async cancel(reason?: string): Promise<void> {
    if (!this.#entered) throw new McpUsageError(OUTSIDE_CONTEXT_MESSAGE);
    if (this.#completed) return;
    const message = reason === undefined ? "Request cancelled" : `Request cancelled: ${reason}`;
    this.#abort.abort(new Error(message));
    this.#completed = true;
    await this.#options.session.sendResponse(this.requestId, { code: ErrorCode.RequestCancelled, message });
  }

  /** Leaves the scope. @throws McpUsageError if it was not entered, and what `onComplete` throws */
  [Symbol.dispose](): void {
    if (!this.#entered) throw new McpUsageError("No active cancel scope");
    try {
      if (this.#completed) this.#options.onComplete?.(this);
    } finally {
      this.#entered = false;
    }
  }
}
