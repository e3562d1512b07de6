/**
 * Answers one inbound request, exactly once or, after a cancel, not at all: for those who take requests in one place and
 * answer them in another (checklist RR-01…RR-16). Handlers of a server need none of this: they return.
 *
 * `using responder = incoming.enter()` is its scope. Leaving it without an answer leaves the request in flight.
 */
import type { RunInContext } from "../base/async-context.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import { ErrorCode, McpUsageError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { RequestMeta } from "../protocol/base.ts";
import type { Outbound } from "../dispatch/dispatcher.ts";
import type { MessageMetadata } from "../transport/session-message.ts";

/** Where the answers go. */
export interface ResponseSender {
  /** Sends the one answer to that request: a result, or an error object. */
  sendResponse(requestId: RequestId, response: JsonObject | ErrorData): MaybePromise<void>;
}

/** What a {@link RequestResponder} is made of (RR-02). */
export interface RequestResponderOptions<Request> {
  /** Of the request, as the peer wrote it. */
  readonly requestId: RequestId;
  /** The request's `_meta`, if it has one. */
  readonly requestMeta?: RequestMeta | undefined;
  /** The request, checked. */
  readonly request: Request;
  /** Where the answer goes. */
  readonly session: ResponseSender;
  /** Told when the scope is left and the request is answered or cancelled: forget it. */
  readonly onComplete?: (responder: RequestResponder<Request>) => void;
  /** What the transport said beside the message. */
  readonly messageMetadata?: MessageMetadata | undefined;
  /** The context the request was sent from. */
  readonly context?: RunInContext | undefined;
  /** Aborts when the sender of the request no longer wants an answer. */
  readonly signal?: AbortSignal;
  /** The request's own channel: what is sent here belongs to it. */
  readonly outbound?: Outbound;
}

const OUTSIDE_CONTEXT_MESSAGE = "RequestResponder must be used as a context manager";

/** Answers one request, once: {@link enter} it, then {@link respond} (RR-01). Made by `BaseSession`. */
export class RequestResponder<Request = unknown, Response extends JsonObject = JsonObject> implements Disposable {
  /** Of the request, as the peer wrote it. */
  readonly requestId: RequestId;
  /** The request's `_meta`, if it has one (RR-14). */
  readonly requestMeta: RequestMeta | undefined;
  /** The request, checked. */
  readonly request: Request;
  /** What the transport said beside the message (RR-15). */
  readonly messageMetadata: MessageMetadata | undefined;
  /** The context the request was sent from, where its transport carries one (RR-16). */
  readonly context: RunInContext | undefined;
  /** The request's own channel: what is sent here belongs to it. */
  readonly outbound: Outbound | undefined;
  readonly #options: RequestResponderOptions<Request>;
  #abort = new AbortController();
  #completed = false;
  #entered = false;

  /** In flight, and not entered yet. */
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

  /** Opens the scope, with a signal of its own (RR-03). */
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

  /** Aborts when the request is cancelled, by either side. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Neither answered nor cancelled (RR-12). */
  get inFlight(): boolean {
    return !this.#completed && !this.cancelled;
  }

  /** Cancelled, whether the handler has noticed or not (RR-13). */
  get cancelled(): boolean {
    return this.signal.aborted;
  }

  /**
   * Answers with a result or an error. After a cancel it does nothing: the handler cannot know that it was too late (RR-07).
   * @throws McpUsageError outside of the scope, or when it was answered already, even if that is still being written
   */
  async respond(response: Response | ErrorData): Promise<void> {
    if (!this.#entered) throw new McpUsageError(OUTSIDE_CONTEXT_MESSAGE);
    if (this.cancelled) return;
    if (this.#completed) throw new McpUsageError("Request already responded to");
    this.#completed = true;
    await this.#options.session.sendResponse(this.requestId, response);
  }

  /**
   * Gives the request up: aborts the signal, then answers with an error (-32800, CF-02). Does nothing to one that was
   * answered. Not what a cancel of the peer leads to: that is never answered.
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

  /** Leaves the scope (RR-04). @throws McpUsageError where there is none, and whatever `onComplete` throws */
  [Symbol.dispose](): void {
    if (!this.#entered) throw new McpUsageError("No active cancel scope");
    try {
      if (this.#completed) this.#options.onComplete?.(this);
    } finally {
      this.#entered = false;
    }
  }
}
