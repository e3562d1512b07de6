/**
 * `otel()`: spans for the requests of a server or a client, and their trace context on the wire.
 *
 * It is middleware. On a client it handles both directions. On a server it also wraps the channel to the client, so that questions get
 * their own spans and notifications carry the trace of their request.
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

/** The tracer provider and the propagator of {@link otel}. */
export interface OtelOptions {
  /** Makes the spans. Default: the registered provider; without one there are no spans. */
  tracerProvider?: TracerProvider;
  /**
   * Writes and reads the trace context of messages. Only `traceparent`, `tracestate` and `baggage` are sent. Default: the registered
   * propagator. To keep baggage from other servers, pass a propagator without it.
   */
  propagator?: TextMapPropagator;
}

const OTEL_OPTIONS: OptionKeys<OtelOptions> = { tracerProvider: 1, propagator: 1 };

/**
 * `server.use(otel())`, `client.use(otel())`, or `connect(target, { middleware: [otel()] })` to include the handshake. Add it before other middleware, so that spans include their time. Follows docs/serving/observability.md.
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { otel } from "tenon/otel";
 * import { McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * server.use(otel()); // spans go to the tracer provider that the process has registered
 * await using client = await connect(server, { middleware: [otel()] });
 * console.log((await client.callTool("hello")).text); // Hello
 * ```
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
  return isFromServer(context) ? answerServer(tracing, context, answer) : serve(tracing, context as RequestContext, answer); // the only other kind
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
