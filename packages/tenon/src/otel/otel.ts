/**
 * `otel()`: spans and metrics for the requests of a server or a client, and their trace context on the wire.
 *
 * It is middleware. On a client it handles both directions. On a server it also wraps the channel to the client, so that questions get
 * their own spans and notifications carry the trace of their request.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { propagation, trace, type TextMapPropagator, type TracerProvider } from "@opentelemetry/api";
import { onAbort } from "../base/abort.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { AnswerContext } from "../client/options.ts";
import type { OutgoingRequest } from "../client/call/outgoing-request.ts";
import type { Handler, HandlerContext, TwoWayMiddleware } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import { SCOPE } from "./in-span.ts";
import type { MetricsOptions } from "./metric-options.ts";
import { Metrics } from "./metrics.ts";
import { Tracing } from "./tracing.ts";
import type { Outbound, RequestOptions } from "../dispatch/dispatcher.ts";

/** The tracer provider, the propagator and the metrics of {@link otel}. */
export interface OtelOptions {
  /** Makes the spans. Default: the registered provider; without one there are no spans. */
  tracerProvider?: TracerProvider;
  /**
   * Writes and reads the trace context of messages. Only `traceparent`, `tracestate` and `baggage` are sent. Default: the registered
   * propagator. To keep baggage from other servers, pass a propagator without it.
   */
  propagator?: TextMapPropagator;
  /** Records durations, errors, sessions and sizes by OpenTelemetry's metrics. `true` uses the registered meter provider. Default false. */
  metrics?: boolean | MetricsOptions;
}

const OTEL_OPTIONS: OptionKeys<OtelOptions> = { tracerProvider: 1, propagator: 1, metrics: 1 };

/**
 * `server.use(otel())`, `client.use(otel())`, or `connect(target, { middleware: [otel()] })` to include the handshake. Add it before other middleware, so that spans include their time. Follows docs/serving/observability.md.
 * @throws TypeError for an unknown option; RangeError if `metrics.maxNames` is not a whole number above 0
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
  const { tracerProvider = trace, propagator = propagation, metrics: wanted = false } = options;
  const metrics = wanted === false ? undefined : new Metrics(wanted);
  const tracing = new Tracing(tracerProvider.getTracer(SCOPE), propagator, metrics);
  const layer =
    <C extends HandlerContext>(next: Handler<C>): Handler<C> =>
    (context) =>
      isOutgoing(context)
        ? send(tracing, watchedByClient(metrics, context, next), context)
        : receive(tracing, context, watchedByServer(metrics, context, next));
  return Object.assign(layer, { bothWays: true as const });
}

type Answer = () => MaybePromise<JsonObject>;

function isOutgoing<C extends HandlerContext>(context: C): context is C & OutgoingRequest {
  return "options" in context;
}

function isFromServer(context: HandlerContext): context is AnswerContext {
  return "asked" in context;
}

function send<C extends OutgoingRequest>(tracing: Tracing, next: Handler<C>, context: C): MaybePromise<JsonObject> {
  return tracing.send(context, (params, options) => next({ ...context, params, options }));
}

function receive(tracing: Tracing, context: HandlerContext, answer: Answer): MaybePromise<JsonObject> {
  return isFromServer(context) ? answerServer(tracing, context, answer) : serve(tracing, context as RequestContext, answer); // the only other kind
}

function answerServer(tracing: Tracing, context: AnswerContext, answer: Answer): MaybePromise<JsonObject> {
  const ownRequest = context.asked === "request";
  const started = tracing.begin(context, undefined, { requestId: ownRequest ? context.requestId : undefined });
  if (started === undefined) return answer();
  return tracing.receive(started, context, ownRequest ? (error) => error.toErrorData() : undefined, answer);
}

function serve(tracing: Tracing, context: RequestContext, answer: Answer): MaybePromise<JsonObject> {
  const { kind } = context.transport;
  const started = tracing.begin(context, kind, { requestId: context.requestId, bodySize: context.header("content-length") });
  if (started === undefined) return answer();
  context.outbound = new TracedOutbound(context.outbound, tracing, context.protocolVersion, kind);
  return tracing.receive(started, context, (error) => context.codec.encodeError(error), answer);
}

/** The handler that also measures the session which an `initialize` of a client opens. */
function watchedByServer<C extends HandlerContext>(metrics: Metrics | undefined, context: C, next: Handler<C>): Answer {
  const answer = (): MaybePromise<JsonObject> => next(context);
  if (metrics === undefined || context.method !== "initialize" || isFromServer(context)) return answer;
  return () =>
    andThen(answer(), (result) => {
      const { connection, transport, protocolVersion } = context as unknown as RequestContext; // the only other kind
      if (connection.dispatcher.canSendRequest !== false) {
        metrics.session("server", { protocolVersion, transport: transport.kind }, (callback) => connection.atEnd(callback));
      }
      return result;
    });
}

/** The handler that also measures the session which it opens. */
function watchedByClient<C extends OutgoingRequest>(
  metrics: Metrics | undefined,
  { method, ended, transport, endpoint, server }: C,
  next: Handler<C>,
): Handler<C> {
  if (metrics === undefined || method !== "initialize" || ended === undefined) return next;
  return (context) =>
    andThen(next(context), (result) => {
      const protocolVersion = String(result["protocolVersion"]);
      metrics.session("client", { protocolVersion, transport, endpoint, server }, (callback) => void onAbort(ended, callback));
      return result;
    });
}

/** Frequent notifications, already described by the span of their request. */
const UNTRACED: ReadonlySet<string> = new Set(["notifications/progress", "notifications/cancelled"]);

/** The outbound channel of an inbound request: puts its questions in spans and the trace context in its notifications. */
class TracedOutbound implements Outbound {
  readonly #outbound: Outbound;
  readonly #tracing: Tracing;
  readonly #protocolVersion: string;
  readonly #transport: string;

  constructor(outbound: Outbound, tracing: Tracing, protocolVersion: string, transport: string) {
    this.#outbound = outbound;
    this.#tracing = tracing;
    this.#protocolVersion = protocolVersion;
    this.#transport = transport;
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const request = { method, params, options, protocolVersion: this.#protocolVersion, transport: this.#transport };
    return this.#tracing.send(request, (sent, how) => this.#outbound.request(method, sent, how));
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#outbound.notify(method, UNTRACED.has(method) ? params : this.#tracing.inject(params));
  }
}
