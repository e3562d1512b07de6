/**
 * The requests of the peer: keeps one `InFlight` each while its handler runs, and sends exactly one answer, or none
 * after a cancel.
 *
 * Half of an `Exchange`. A handler that answers at once costs no promise.
 */
import { isPromise } from "../base/maybe-promise.ts";
import {
  coerceRequestId,
  type JsonObject,
  type JSONRPCError,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from "../jsonrpc/message.ts";
import { ErrorCode, McpError, toPlain, type ErrorData } from "../jsonrpc/mcp-error.ts";
import { SUBSCRIPTION_ID_KEY } from "../protocol/meta-keys.ts";
import type { Batch } from "./batch.ts";
import { Deadlines } from "./deadlines.ts";
import type { OnRequest, RawResult, RequestOptions } from "./dispatcher.ts";
import { InFlight, type InFlightOwner } from "./in-flight.ts";
import type { Link } from "./link.ts";

/** Who sends what a handler asks. */
interface Caller {
  /** Set when nobody waits for any answer any more. */
  readonly closed: boolean;
  call(method: string, params: JsonObject | undefined, options: RequestOptions | undefined, related: RequestId): Promise<JsonObject>;
}

const NOTHING: ReadonlyMap<unknown, InFlight> = /* @__PURE__ */ new Map();

export class Answers implements InFlightOwner {
  readonly link: Link;
  readonly #caller: Caller;
  /** Under its id until the peer cancels it; then under itself: the id is free again, the slot is not (ID-05, T8). */
  #waiting: Map<unknown, InFlight> | undefined;
  /** The one whose handler has been called and has not returned: most answer at once, and never have to be found. */
  #starting: InFlight | undefined;
  #deadlines: Deadlines | undefined;
  #onIdle: (() => void) | undefined;
  #draining = false;

  constructor(link: Link, caller: Caller) {
    this.link = link;
    this.#caller = caller;
  }

  /** Everything that runs. */
  get #inFlight(): ReadonlyMap<unknown, InFlight> {
    this.#keepStarting();
    return this.#waiting ?? NOTHING;
  }

  #keepStarting(): void {
    const inFlight = this.#starting;
    if (inFlight === undefined) return;
    this.#starting = undefined;
    (this.#waiting ??= new Map()).set(inFlight.requestId, inFlight);
  }

  accept(message: JSONRPCRequest, onRequest: OnRequest, batch: Batch | undefined): void {
    const { id } = message;
    batch?.expect();
    const refusal = this.#refusal(id);
    if (refusal !== undefined) return this.#send({ jsonrpc: "2.0", id, error: refusal }, batch);
    const inFlight = new InFlight(this, message, batch);
    // Can be found before the handler runs: what it sends may bring about a cancel, or the end of the connection.
    this.#starting = inFlight;
    try {
      const outcome = onRequest(inFlight);
      if (!isPromise(outcome)) return inFlight.settle(outcome);
      this.#keepStarting();
      if (!this.#caller.closed) inFlight.limit();
      outcome.then(
        (result) => inFlight.settle(result),
        (error: unknown) => inFlight.settle(this.#toError(error)),
      );
    } catch (error) {
      inFlight.settle(this.#toError(error));
    }
  }

  /** Why a request is not even started; undefined where it may run. */
  #refusal(id: RequestId): ErrorData | undefined {
    if (this.#draining) return { code: ErrorCode.InternalError, message: "The server is shutting down" };
    if (this.#inFlight.has(id)) return { code: ErrorCode.InvalidRequest, message: "A request with this id is in flight already" };
    const max = this.link.limits.maxInFlight;
    if (this.#inFlight.size < max) return undefined;
    return {
      code: ErrorCode.InternalError,
      message: `Busy: ${max} requests are in flight (limit "maxInFlight")`,
      data: { limit: "maxInFlight", max, retryAfterMs: 1000 },
    };
  }

  /** `onRequest` answers with an `McpError` or not at all; anything else is a bug that must not reach the peer. */
  #toError(error: unknown): McpError {
    try {
      if (McpError.isMcpError(error)) return error;
    } catch {
      // A proxy that throws when it is looked at.
    }
    this.link.report(error);
    return new McpError(ErrorCode.InternalError, "Internal error");
  }

  /** The peer no longer wants an answer. An unknown id is ignored: it may have been answered just now (G1). */
  cancel(params: JsonObject | undefined): void {
    const id = params?.["requestId"];
    const inFlight = this.#inFlight.get(id) ?? this.#inFlight.get(coerceRequestId(id));
    if (inFlight === undefined) return;
    this.#waiting!.delete(inFlight.requestId); // where it was found
    this.#waiting!.set(inFlight, inFlight);
    inFlight.giveGrace();
    const reason = params?.["reason"];
    inFlight.cancel(
      new McpError(ErrorCode.InvalidRequest, typeof reason === "string" ? `Request cancelled: ${reason}` : "Request cancelled"),
    );
  }

  /** Refuses what is new. Resolves when what runs has ended, or time is up. */
  idleWithin(ms: number): Promise<void> {
    this.#draining = true;
    if (this.#inFlight.size === 0) return Promise.resolve();
    const { clock } = this.link;
    return new Promise((resolve) => {
      const timer = clock.setTimer(ms, resolve);
      const others = this.#onIdle;
      this.#onIdle = () => {
        clock.clearTimer(timer);
        resolve();
        others?.();
      };
    });
  }

  /** Aborts the signals of what runs; it may still answer. */
  abortAll(reason: unknown): void {
    for (const inFlight of [...this.#inFlight.values()]) inFlight.stop(reason);
  }

  /** Answers what runs with `error`: there is no time left for its handlers. */
  failAll(error: McpError): void {
    for (const inFlight of [...this.#inFlight.values()]) inFlight.fail(error);
  }

  /** Nobody waits for any answer any more. */
  cancelAll(reason: unknown): void {
    for (const inFlight of [...this.#inFlight.values()]) inFlight.cancel(reason);
    this.#waiting = undefined;
    this.#deadlines?.stop();
    this.#onIdle?.();
  }

  // ---- what a request in flight asks of us ----

  watch(deadline: number): void {
    this.#deadlines ??= new Deadlines(this.link.clock, () => this.#inFlight.values());
    this.#deadlines.watch(deadline);
  }

  call(related: RequestId, method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#caller.call(method, params, options, related);
  }

  answer(inFlight: InFlight, outcome: RawResult | McpError): void {
    if (this.#caller.closed) return;
    this.#forget(inFlight);
    if (inFlight.cancelled) inFlight.batch?.settle(undefined);
    else {
      this.#send(this.#toAnswer(inFlight, outcome), inFlight.batch);
      if (this.link.cancelListens && inFlight.staysOpen) this.#tellEnd(inFlight.requestId);
    }
    if (this.#draining && this.#inFlight.size === 0) this.#onIdle?.();
  }

  #forget(inFlight: InFlight): void {
    const id = inFlight.requestId;
    const waiting = this.#waiting;
    if (this.#starting === inFlight) this.#starting = undefined;
    else if (waiting !== undefined && waiting.size > 1) waiting.delete(waiting.get(id) === inFlight ? id : inFlight);
    // V8 keeps each table of a map alive from the one before: where all that came has gone, a new map lets them go.
    else this.#waiting = undefined;
  }

  /** For clients that wait for this instead of the result (ruling Z1). */
  #tellEnd(requestId: RequestId): void {
    const params = { requestId, reason: "The server ends the stream", _meta: { [SUBSCRIPTION_ID_KEY]: requestId } };
    void this.link.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params }, requestId);
  }

  /** There is always an answer: what cannot be serialised becomes "Internal error" (F12). */
  #toAnswer(inFlight: InFlight, outcome: RawResult | McpError): JSONRPCResponse | JSONRPCError {
    const id = inFlight.requestId;
    try {
      if (!McpError.isMcpError(outcome)) return { jsonrpc: "2.0", id, result: inFlight.toRaw(outcome) };
      return { jsonrpc: "2.0", id, error: toPlain(outcome) };
    } catch (error) {
      this.link.report(error);
      return { jsonrpc: "2.0", id, error: { code: ErrorCode.InternalError, message: "Internal error" } };
    }
  }

  #send(answer: JSONRPCResponse | JSONRPCError, batch: Batch | undefined): void {
    if (batch === undefined) void this.link.tell(answer, answer.id ?? undefined);
    else batch.settle(answer);
  }
}
