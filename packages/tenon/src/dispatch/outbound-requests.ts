/**
 * The outbound requests: generates their ids, keeps one `Pending` each, and passes responses and progress to the right one.
 *
 * Half of an `Exchange`; it writes through the channel and never reads.
 */
import { isPromise } from "../base/maybe-promise.ts";
import { McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import {
  coerceRequestId,
  isJsonObject,
  isRequestId,
  JsonText,
  type ErrorData,
  type JsonObject,
  type JSONRPCError,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from "../jsonrpc/message.ts";
import { reviveError } from "../protocol/error-revival.ts";
import type { ClientMessageMetadata } from "../transport/session-message.ts";
import type { Channel } from "./channel.ts";
import { Deadlines } from "./deadlines.ts";
import type { OutboundCall, RequestOptions } from "./dispatcher.ts";
import { PassingMap } from "../base/passing.ts";
import { abortOf, Pending, type PendingOwner } from "./pending.ts";
import { toProgress } from "./progress.ts";

/** Recent ids that callers chose: a late response to one of them is not an unknown response. */
const REMEMBERED_IDS = 256;
/** Ids of callers up to here are skipped by the counter; no program ever counts up to larger ones. */
const HIGHEST_COUNTED = 2 ** 52;

export class OutboundRequests implements PendingOwner {
  readonly channel: Channel;
  /** By coerced id, so that one response cannot match two calls. */
  readonly #pending = new PassingMap<unknown, Pending>();
  readonly #deadlines: Deadlines;
  readonly #settledIds = new Set<RequestId>();
  #nextId = 1;
  #closed = false;

  constructor(channel: Channel) {
    this.channel = channel;
    this.#deadlines = new Deadlines(
      channel.clock,
      () => this.#pending.values(),
      (error) => channel.report(error),
    );
  }

  /** Writes a request; the promise settles exactly once. */
  send(call: OutboundCall): Promise<JsonObject> {
    const { method, params, options } = call;
    const abort = abortOf(options);
    if (abort?.aborted === true) return Promise.reject(abort.reason);
    let pending: Pending;
    try {
      pending = new Pending(this, this.#idFor(options), call);
    } catch (error) {
      return Promise.reject(error);
    }
    // Kept before it is written: the response may come while the write is under way.
    this.#pending.set(coerceRequestId(pending.id), pending);
    options.onId?.(pending.id);
    const message: JSONRPCRequest = { jsonrpc: "2.0", id: pending.id, method };
    const body = options.onProgress === undefined ? params : withProgressToken(params, pending.id);
    if (body !== undefined) message.params = body;
    this.#write(pending, message, options.metadata);
    return pending.promise;
  }

  #write(pending: Pending, message: JSONRPCRequest, metadata: ClientMessageMetadata | undefined): void {
    try {
      const written = this.channel.send(message, pending.related, metadata);
      if (!isPromise(written)) return pending.sent();
      pending.writing();
      written.then(
        () => pending.sent(),
        (error: unknown) => pending.reject(error),
      );
    } catch (error) {
      pending.reject(error);
    }
  }

  #idFor(options: RequestOptions): RequestId {
    const wanted = options.requestId;
    if (wanted === undefined) {
      if (this.channel.nextId !== undefined) return this.channel.nextId();
      while (this.#pending.has(this.#nextId)) this.#nextId++;
      return this.#nextId++;
    }
    if (!isRequestId(wanted)) throw new RangeError("A request id must be a safe integer or a short, well-formed string");
    const key = coerceRequestId(wanted);
    if (this.#pending.has(key)) throw new RangeError(`Request id ${JSON.stringify(wanted)} is in flight already`);
    // Generated ids stay above, so that none is used twice.
    if (typeof key === "number" && key >= this.#nextId && key <= HIGHEST_COUNTED) this.#nextId = key + 1;
    return wanted;
  }

  /** The call that an id from the peer means: that id, or the integer that a string spells. */
  #find(id: unknown): Pending | undefined {
    return this.#pending.get(coerceRequestId(id));
  }

  /** Settles the call a response belongs to. A response to no call is dropped or reported. */
  settle(message: JSONRPCResponse | JSONRPCError): void {
    const pending = this.#find(message.id);
    if (pending === undefined) return this.#settleStray(message);
    if ("error" in message) pending.reject(reviveError(message.error));
    else pending.resolve(message.result instanceof JsonText ? (message.result.toJSON() as JsonObject) : message.result);
  }

  #settleStray(message: JSONRPCResponse | JSONRPCError): void {
    const { id } = message;
    const key = id === null ? undefined : coerceRequestId(id);
    if (key !== undefined && (this.#isCounted(key) || this.#settledIds.has(key))) return;
    if ("error" in message && this.#settledByError(message.error)) return;
    if (key !== undefined)
      this.channel.report(new ProtocolViolationError(`Received response with an unknown request ID: ${JSON.stringify(id)}`));
    else if ("error" in message) this.#reportWithoutId(message.error);
    else this.channel.report(new ProtocolViolationError("Received a result without an id"));
  }

  /** Settles the only pending call with an error that names no call of this side, if that call accepts it. */
  #settledByError(error: ErrorData): boolean {
    const [only, ...others] = this.#pending.values();
    const isMeant = only !== undefined && only.takesErrorWithoutId && others.length === 0;
    if (isMeant) only.reject(reviveError(error));
    return isMeant;
  }

  #reportWithoutId({ code, message, data }: ErrorData): void {
    const cause = new ProtocolViolationError("Received an error without an id");
    this.channel.report(new McpError(code, message, data, { cause }));
  }

  #isCounted(key: RequestId): boolean {
    return typeof key === "number" && key > 0 && key < this.#nextId;
  }

  /** Fails a call that will get no usable response. */
  fail(id: unknown, error: unknown): void {
    this.#find(id)?.reject(error);
  }

  /** Milliseconds until a call times out if nothing comes; 0 for a call that has ended. */
  timeLeft(id: RequestId): number {
    const pending = this.#find(id);
    return pending === undefined ? 0 : Math.max(0, pending.deadline - this.channel.clock.now());
  }

  cancelled(params: JsonObject | undefined): void {
    this.#find(params?.["requestId"])?.cancelledByPeer();
  }

  progressed(params: JsonObject | undefined): void {
    const step = params && toProgress(params);
    if (step !== undefined) this.#find(params?.["progressToken"])?.progressed(step);
  }

  /** Fails all pending calls: no response will come any more. No call may be made from now on. */
  failAll(error: McpError): void {
    this.#closed = true;
    for (const pending of [...this.#pending.values()]) pending.reject(error);
    this.#deadlines.stop();
  }

  // ---- what a pending call needs ----

  watch(deadline: number): void {
    this.#deadlines.watch(deadline);
  }

  forget(pending: Pending): void {
    const key = coerceRequestId(pending.id);
    this.#pending.delete(key);
    if (!this.#isCounted(key)) this.#remember(key);
  }

  #remember(key: RequestId): void {
    this.#settledIds.add(key);
    if (this.#settledIds.size <= REMEMBERED_IDS) return;
    for (const oldest of this.#settledIds) return void this.#settledIds.delete(oldest);
  }

  abandon(pending: Pending, reason: string): void {
    if (this.#closed) return;
    const params = { requestId: pending.id, reason };
    void this.channel.sendQuietly({ jsonrpc: "2.0", method: "notifications/cancelled", params }, pending.related);
  }
}

function withProgressToken(params: JsonObject | undefined, id: RequestId): JsonObject {
  const meta = params?.["_meta"];
  const sent: JsonObject = { ...params };
  const sentMeta: JsonObject = isJsonObject(meta) ? { ...meta } : {};
  sentMeta["progressToken"] = id; // a spread with a new member costs a microsecond on Node 20
  sent["_meta"] = sentMeta;
  return sent;
}
