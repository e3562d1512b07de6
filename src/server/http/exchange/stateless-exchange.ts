/**
 * One request of a stateless revision, from its body to its response.
 *
 * There is no connection behind it: what the handler sees is the HTTP exchange alone. Nothing can be asked of the
 * client, and a client that closes the exchange has cancelled the request (F1.5, F1.6).
 */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import {
  JsonText,
  type JsonObject,
  type JSONRPCError,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError, toPlain, NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import type { Outgoing } from "../../../jsonrpc/incoming.ts";
import { stringifyMessage } from "../../../jsonrpc/serialise.ts";
import type { Clock } from "../../../base/clock.ts";
import type { DispatcherLimits } from "../../../dispatch/limits.ts";
import type { OnRequest, RawResult, TransportContext } from "../../../dispatch/dispatcher.ts";
import { InFlight, type InFlightOwner } from "../../../dispatch/in-flight.ts";
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import { NOBODY } from "../caller.ts";
import type { EventStream } from "./event-stream.ts";
import { resultText } from "./message-text.ts";
import { ACCEPTED, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { argumentMismatch } from "../endpoint/mirrored-headers.ts";
import { dropKeyOf } from "./dropped-events.ts";
import type { ResponseMode } from "../options.ts";
import { Reply, type MessageStream, type ReplyOwner } from "./reply.ts";
import type { Serving } from "../serving.ts";

export class StatelessExchange implements InFlightOwner, ReplyOwner, TransportContext {
  readonly kind = "http";
  readonly mode: ResponseMode;
  /** Told when the handler has ended. */
  onDone: (() => void) | undefined;
  readonly serving: Serving;
  readonly #request: HttpRequest;
  readonly #reply: Reply;
  readonly #inFlight: InFlight;
  /** The HTTP status an error is sent with while there is no stream. */
  readonly #statusOf: (error: McpError) => number;
  #body: EventStream | undefined;

  constructor(serving: Serving, request: HttpRequest, message: JSONRPCRequest, mode: ResponseMode, statusOf: (error: McpError) => number) {
    this.serving = serving;
    this.#request = request;
    this.mode = mode;
    this.#statusOf = statusOf;
    this.#reply = new Reply(this);
    this.#inFlight = new InFlight(this, message);
  }

  /** Runs the handler. The response is there at once where the handler is as quick. */
  run(onRequest: OnRequest): MaybePromise<HttpResponse> {
    const inFlight = this.#inFlight;
    try {
      const outcome = onRequest(inFlight);
      if (isPromise(outcome)) this.#await(outcome);
      else inFlight.settle(outcome);
    } catch (error) {
      inFlight.settle(this.#toError(error));
    }
    return this.#reply.response();
  }

  /** Whether the handler has ended. */
  get done(): boolean {
    return this.#inFlight.done;
  }

  #await(outcome: Promise<RawResult>): void {
    const inFlight = this.#inFlight;
    inFlight.limit();
    if (!this.#reply.streaming) this.serving.awaitReply(this.#reply);
    this.#request.onClose?.(() => this.#clientGone());
    outcome.then(
      (result) => inFlight.settle(result),
      (error: unknown) => inFlight.settle(this.#toError(error)),
    );
  }

  #toError(error: unknown): McpError {
    if (McpError.isMcpError(error)) return error;
    this.serving.report(error);
    return new McpError(ErrorCode.InternalError, "Internal error");
  }

  #clientGone(): void {
    if (this.#inFlight.done) return;
    this.cancel(new McpError(ErrorCode.InvalidRequest, "The client closed the request"));
  }

  /** Nobody waits for the answer any more. */
  cancel(reason: unknown): void {
    this.#inFlight.giveGrace();
    this.#inFlight.cancel(reason);
    this.#reply.abandon(ACCEPTED);
    this.#body?.gone();
  }

  /** Answers with `error` in the place of the handler. */
  fail(error: McpError): void {
    this.#inFlight.fail(error);
  }

  /** Asks the handler to end; its answer still counts. */
  stop(reason: unknown): void {
    this.#inFlight.stop(reason);
  }

  // ---- what the request in flight asks of its connection ----

  get link(): this {
    return this;
  }

  get context(): TransportContext {
    return this;
  }

  header(name: string): string | undefined {
    return this.#request.header(name);
  }

  get auth(): AuthInfo | undefined {
    return this.#request.caller?.auth;
  }

  get principal(): string | undefined {
    return this.#request.principal;
  }

  requireScopes(scopes: readonly string[], method: string, params: JsonObject): void {
    (this.#request.caller ?? NOBODY).requireScopes?.(scopes, method, params);
  }

  checkArguments(inputSchema: JsonObject, args: unknown): void {
    const fault = argumentMismatch(this.#request, inputSchema, args);
    if (fault !== undefined) throw fault;
  }

  get clock(): Clock {
    return this.serving.settings.clock;
  }

  get limits(): DispatcherLimits {
    return this.serving.limits;
  }

  watch(): void {
    this.serving.watch(this.#inFlight);
  }

  report(error: unknown): void {
    this.serving.report(error);
  }

  encode(result: JsonObject): RawResult {
    return resultText(result, this.serving.settings.maxResultSize);
  }

  call(_related: RequestId, method: string): Promise<JsonObject> {
    return Promise.reject(new NoBackChannelError(method));
  }

  tell(message: Outgoing): MaybePromise<void> {
    const notification = message as JSONRPCNotification; // nothing else is sent before the answer
    return this.#reply.send(stringifyMessage(notification), this.#reply.crowded ? dropKeyOf(notification) : undefined);
  }

  answer(inFlight: InFlight, outcome: RawResult | McpError): void {
    this.serving.forget(inFlight);
    this.onDone?.();
    if (inFlight.cancelled) return this.#reply.abandon(ACCEPTED);
    const answer = this.#toAnswer(outcome);
    if ("error" in answer) this.#fail(answer, outcome as McpError);
    else this.#reply.answer(answer);
  }

  #fail(answer: JSONRPCError, error: McpError): void {
    const refusal = this.#request.caller?.refusal;
    if (refusal === undefined) this.#reply.answer(answer, this.#statusOf(error));
    else this.#reply.answer(answer, refusal.status, refusal.headers);
  }

  #toAnswer(outcome: RawResult | McpError): JSONRPCResponse | JSONRPCError {
    const id = this.#inFlight.requestId;
    if (outcome instanceof JsonText) return { jsonrpc: "2.0", id, result: outcome };
    try {
      if (McpError.isMcpError(outcome)) return { jsonrpc: "2.0", id, error: toPlain(outcome) };
      return { jsonrpc: "2.0", id, result: this.#inFlight.toRaw(outcome) };
    } catch (error) {
      this.serving.report(error);
      return { jsonrpc: "2.0", id, error: { code: ErrorCode.InternalError, message: "Internal error" } };
    }
  }

  // ---- what the reply asks ----

  openStream(): { messages: MessageStream; body: EventStream } {
    const body = this.serving.openStream();
    this.#body = body;
    body.whenEnded(() => {
      this.serving.heartbeat.delete(body);
      this.#clientGone();
    });
    return { messages: body, body };
  }
}
