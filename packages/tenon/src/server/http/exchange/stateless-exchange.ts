/**
 * One request of a stateless revision, from its body to its response: joins the call to the HTTP reply.
 *
 * There is no connection: the handler sees the HTTP exchange only, and no request can be sent to the client. A client that closes the
 * exchange cancels the request. `dispatch/in-flight.ts` runs the call.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { OnRequest, OutboundCall, TransportContext } from "../../../dispatch/dispatcher.ts";
import { InFlight, type RequestChannel } from "../../../dispatch/in-flight.ts";
import { ErrorCode, McpError, NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import type { JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse } from "../../../jsonrpc/message.ts";
import { stringifyMessage } from "../../../jsonrpc/serialise.ts";
import type { Requirements } from "../../../transport/transport-context.ts";
import type { Reading } from "../../../wire/deviations.ts";
import { StatelessContext } from "../endpoint/requirements.ts";
import { ACCEPTED_202, type HttpRequest, type HttpResponse } from "../http-message.ts";
import type { ResponseMode } from "../options.ts";
import type { Serving } from "../serving.ts";
import { dropKeyOf } from "./dropped-events.ts";
import type { EventStream } from "./event-stream.ts";
import { Reply, type OpenedStream, type ReplyOwner } from "./reply.ts";
import { retryAfterOf, statusOf } from "./stateless-faults.ts";

interface Beginning {
  readonly serving: Serving;
  readonly request: HttpRequest;
  readonly message: JSONRPCRequest;
  readonly mode: ResponseMode;
  readonly required: Requirements | undefined;
  readonly reading: Reading;
}

export class StatelessExchange implements RequestChannel, ReplyOwner {
  readonly serving: Serving;
  readonly mode: ResponseMode;
  readonly context: TransportContext;
  /** Called when the handler has ended. */
  onDone: (() => void) | undefined;
  readonly #request: HttpRequest;
  readonly #message: JSONRPCRequest;
  readonly #reading: Reading;
  readonly #reply: Reply;
  readonly #call: InFlight;
  #body: EventStream | undefined;

  constructor({ serving, request, message, mode, required, reading }: Beginning) {
    this.serving = serving;
    this.mode = mode;
    this.context = new StatelessContext(request, message.params, required);
    this.#request = request;
    this.#message = message;
    this.#reading = reading;
    this.#reply = new Reply(this);
    this.#call = new InFlight(this, message);
  }

  /** Runs the handler. Returns the response at once if the handler does. */
  run(onRequest: OnRequest): MaybePromise<HttpResponse> {
    this.#call.run(onRequest);
    if (!this.#call.done) this.#wait();
    return this.#reply.response();
  }

  #wait(): void {
    if (!this.#reply.streaming) this.serving.awaitReply(this.#reply);
    this.#request.onClose?.(() => this.#clientGone());
  }

  /** Whether the handler has ended. */
  get done(): boolean {
    return this.#call.done;
  }

  #clientGone(): void {
    if (!this.#call.done) this.cancel(new McpError(ErrorCode.InvalidRequest, "The client closed the request"));
  }

  /** No client waits for the response any more. */
  cancel(reason: unknown): void {
    this.#call.cancel(reason);
    this.#reply.abandon(ACCEPTED_202);
    this.#body?.gone();
  }

  /** Responds with `error` instead of the handler's result. */
  fail(error: McpError): void {
    this.#call.fail(error);
  }

  /** Asks the handler to end; its result still counts. */
  stop(reason: unknown): void {
    this.#call.stop(reason);
  }

  // ---- the channel of the call ----

  get terms(): Serving {
    return this.serving;
  }

  notify(notification: JSONRPCNotification): MaybePromise<void> {
    try {
      const key = this.#reply.crowded ? dropKeyOf(notification) : undefined;
      return this.#reply.send(stringifyMessage(notification), key);
    } catch (error) {
      this.serving.report(error);
      return undefined;
    }
  }

  request({ method }: OutboundCall): Promise<never> {
    return Promise.reject(new NoBackChannelError(method));
  }

  watch(call: InFlight): void {
    this.serving.watch(call);
  }

  respond(call: InFlight, response: JSONRPCResponse | JSONRPCError | undefined): void {
    this.serving.forget(call);
    this.onDone?.();
    if (response === undefined) this.#reply.abandon(ACCEPTED_202);
    else if ("error" in response) this.#refuse(response);
    else this.#reply.respond(response);
  }

  /** The HTTP status counts while there is no stream. */
  #refuse(response: JSONRPCError): void {
    const refusal = this.#request.caller?.refusal;
    const wait = retryAfterOf(response.error);
    const headers = wait === undefined ? undefined : ["Retry-After", String(Math.ceil(wait / 1_000))];
    if (refusal === undefined) this.#reply.respond(response, statusOf(response.error, this.#message, this.#reading), headers);
    else this.#reply.respond(response, refusal.status, refusal.headers);
  }

  // ---- for the reply ----

  openStream(): OpenedStream {
    const body = this.serving.openStream();
    this.#body = body;
    body.whenEnded(() => {
      this.serving.heartbeat.delete(body);
      this.#clientGone();
    });
    return { messages: body, body };
  }
}
