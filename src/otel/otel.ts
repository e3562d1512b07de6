/**
 * `otel()`: spans for the requests of a server or a client, and their trace context on the wire.
 *
 * Middleware like any other. On a client it is for both ways; on a server it stands between a request and the client, too, so that
 * the server's questions are spans of their own and its notifications say which request they belong to.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { propagation, trace, type TextMapPropagator, type TracerProvider } from "@opentelemetry/api";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { AnswerContext } from "../client/options.ts";
import type { OutgoingRequest } from "../client/call/outgoing-request.ts";
import type { Handler, HandlerContext, TwoWayMiddleware } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import { SCOPE } from "./in-span.ts";
import { TracedOutbound } from "./traced-outbound.ts";
import { Tracing } from "./tracing.ts";

/** What {@link otel} makes spans with, and writes into messages. */
export interface OtelOptions {
  /** Makes the spans. Default: the provider the process has registered; none, no spans. */
  tracerProvider?: TracerProvider;
  /**
   * What is written into messages and believed in them. Of its fields only `traceparent`, `tracestate` and `baggage` travel.
   * Default: the propagator the process has registered. To keep baggage from servers of others, give one without it.
   */
  propagator?: TextMapPropagator;
}

const OTEL_OPTIONS: OptionKeys<OtelOptions> = { tracerProvider: 1, propagator: 1 };

/**
 * `server.use(otel())`, `client.use(otel())`, or `connect(target, { middleware: [otel()] })` to have the handshake in it. First of
 * all middleware, so that the others' time is in the spans. Follows docs/serving/observability.md.
 */
export function otel(options: OtelOptions = {}): TwoWayMiddleware {
  assertKnown("otel()", options, OTEL_OPTIONS);
  const { tracerProvider = trace, propagator = propagation } = options;
  const tracing = new Tracing(tracerProvider.getTracer(SCOPE), propagator);
  const layer =
    <C extends HandlerContext>(next: Handler<C>): Handler<C> =>
    (context) =>
      isOutgoing(context) ? send(tracing, context, next) : receive(tracing, context, () => next(context));
  return Object.assign(layer, { bothWays: true as const });
}

type Answer = () => MaybePromise<JsonObject>;

function isOutgoing<C extends HandlerContext>(context: C): context is C & OutgoingRequest {
  return "options" in context;
}

function isFromServer(context: HandlerContext): context is AnswerContext {
  return "asked" in context;
}

function send<C extends OutgoingRequest>(tracing: Tracing, context: C, next: Handler<C>): MaybePromise<JsonObject> {
  return tracing.send(context, (params, options) => next({ ...context, params, options }));
}

function receive(tracing: Tracing, context: HandlerContext, answer: Answer): MaybePromise<JsonObject> {
  return isFromServer(context) ? answerServer(tracing, context, answer) : serve(tracing, context as RequestContext, answer); // there is no fourth
}

function answerServer(tracing: Tracing, context: AnswerContext, answer: Answer): MaybePromise<JsonObject> {
  const ownRequest = context.asked === "request";
  const started = tracing.begin(context, undefined, ownRequest ? context.requestId : undefined);
  if (started === undefined) return answer();
  return tracing.receive(started, context, ownRequest ? (error) => error.toErrorData() : undefined, answer);
}

function serve(tracing: Tracing, context: RequestContext, answer: Answer): MaybePromise<JsonObject> {
  const { kind } = context.transport;
  const started = tracing.begin(context, kind, context.requestId);
  if (started === undefined) return answer();
  context.outbound = new TracedOutbound(context.outbound, tracing, context.protocolVersion, kind);
  return tracing.receive(started, context, (error) => context.codec.encodeError(error), answer);
}
