/** Makes one span and one point of the metrics for one request, outbound or inbound. `otel()` puts it around handlers. */
import {
  context,
  isSpanContextValid,
  SpanKind,
  trace,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type TextMapPropagator,
  type Tracer,
} from "@opentelemetry/api";
import type { Abortable } from "../base/abort.ts";
import { settle, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { RequestMeta } from "../protocol/base.ts";
import type { RequestOptions } from "../dispatch/dispatcher.ts";
import { destinationAttributes, requestAttributes, spanName } from "./attributes.ts";
import { inSpan, type SpanOutcome } from "./in-span.ts";
import type { Measurement } from "./measurement.ts";
import type { Measured } from "./metric-attributes.ts";
import type { Metrics } from "./metrics.ts";
import { abortFailure, answerFailure, callFailure, record, resultFailure, type Failure, type ToErrorObject } from "./outcome.ts";
import { extractTraceContext, injectTraceContext } from "./trace-context.ts";

export interface Sending<Options extends RequestOptions> extends Measured {
  readonly options: Options;
}

/** An inbound request: what its span records. */
export interface Received extends Omit<Measured, "transport"> {
  /** Read after the handler has ended, because making it has a cost. */
  readonly signal: AbortSignal;
  /** The same without that cost, at a server. */
  readonly cancellation?: Abortable;
}

/** The span and the measurement of an inbound request. One of both may be missing. */
export interface Started {
  readonly span: Span | undefined;
  readonly parent: Context;
  readonly measurement: Measurement | undefined;
}

const REQUEST_ID = "jsonrpc.request.id";

export class Tracing {
  readonly #tracer: Tracer;
  readonly #propagator: Pick<TextMapPropagator, "inject" | "extract">;
  readonly #metrics: Metrics | undefined;

  constructor(tracer: Tracer, propagator: Pick<TextMapPropagator, "inject" | "extract">, metrics: Metrics | undefined) {
    this.#tracer = tracer;
    this.#propagator = propagator;
    this.#metrics = metrics;
  }

  /** Sends a request in a span. `_meta` carries the span, so that the peer's span becomes its child. */
  send<Options extends RequestOptions>(
    request: Sending<Options>,
    send: (params: JsonObject, options: Options) => MaybePromise<JsonObject>,
  ): MaybePromise<JsonObject> {
    const { method, params, protocolVersion, transport, options } = request;
    const active = context.active();
    const measurement = this.#metrics?.begin("client", request);
    const attributes = { ...requestAttributes(method, params, protocolVersion, transport), ...destinationAttributes(request) };
    const name = `MCP send ${spanName(method, params)}`;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, ...startOf(measurement) }, active);
    const ending = (span: Span | undefined): SpanOutcome<JsonObject> => ({
      succeeded: (result) => {
        if (measurement !== undefined) this.#metrics?.learn(method, result);
        return finish({ span, parent: active, measurement }, resultFailure(method, result));
      },
      failed: (error) => finish({ span, parent: active, measurement }, callFailure(error, options.signal)),
    });
    if (!isSpanContextValid(span.spanContext()))
      return measured(
        measurement,
        () => send(params, options),
        () => ending(undefined),
      );
    const onId = (id: RequestId): void => {
      span.setAttribute(REQUEST_ID, String(id));
      options.onId?.(id);
    };
    return inSpan(span, active, () => send(this.inject(params), { ...options, onId }), ending(span));
  }

  /**
   * Starts the span of an inbound request: a child of the sender's span, if the message has one, and linked to the active span. Undefined
   * if no provider records spans or metrics.
   */
  begin(
    request: Received,
    transport: string | undefined,
    { requestId, bodySize }: { readonly requestId: RequestId | undefined; readonly bodySize?: string | undefined },
  ): Started | undefined {
    const { method, params, protocolVersion } = request;
    const active = context.active();
    const measurement = this.#metrics?.begin("server", { method, params, protocolVersion, transport }, bodySize);
    const parent = extractTraceContext(params["_meta"] as RequestMeta | undefined, active, this.#propagator); // any value is accepted
    const attributes = requestAttributes(method, params, protocolVersion, transport);
    if (requestId !== undefined) attributes[REQUEST_ID] = String(requestId);
    const links = linksTo(trace.getSpanContext(active), trace.getSpanContext(parent));
    const options = { kind: SpanKind.SERVER, attributes, links, ...startOf(measurement) };
    const span = this.#tracer.startSpan(spanName(method, params), options, parent);
    if (isSpanContextValid(span.spanContext())) return { span, parent, measurement };
    return measurement && { span: undefined, parent, measurement };
  }

  receive(
    started: Started,
    request: Received,
    toErrorObject: ToErrorObject,
    answer: () => MaybePromise<JsonObject>,
  ): MaybePromise<JsonObject> {
    const { method } = request;
    const finishWith = (describe: () => Failure | undefined): number | undefined => {
      const { aborted, reason } = request.cancellation ?? request.signal;
      if (!aborted) return finish(started, describe());
      const failure = abortFailure(reason);
      if (failure === undefined) started.span?.addEvent("mcp.request.cancelled");
      return finish(started, failure, true);
    };
    const ending: SpanOutcome<JsonObject> = {
      succeeded: (result) => finishWith(() => resultFailure(method, result)),
      failed: (error) => finishWith(() => answerFailure(method, error, toErrorObject)),
    };
    const { span, parent, measurement } = started;
    return span === undefined ? measured(measurement, answer, () => ending) : inSpan(span, parent, answer, ending);
  }

  /** Adds the active span to `_meta` of `params`. Returns the same object if there is nothing to add. */
  inject<Params extends JsonObject | undefined>(params: Params): Params | JsonObject {
    const meta = params?.["_meta"] as RequestMeta | undefined; // made here, or checked
    const injected = injectTraceContext(meta, context.active(), this.#propagator);
    return injected === meta ? params : { ...params, _meta: injected };
  }
}

/** A link to the active span of the transport, such as an HTTP server's. */
function linksTo(active: SpanContext | undefined, parent: SpanContext | undefined): Link[] {
  if (active === undefined || !isSpanContextValid(active) || active.spanId === parent?.spanId) return [];
  return [{ context: active }];
}

/** The start of a span whose request is measured too: both use one reading of the clock. */
function startOf(measurement: Measurement | undefined): { startTime?: number } {
  return measurement === undefined ? {} : { startTime: measurement.startTime };
}

/** Records how a request ended. Returns when that was, if it is measured. */
function finish({ span, parent, measurement }: Started, failure: Failure | undefined, cancelled = false): number | undefined {
  if (span !== undefined && failure !== undefined) record(span, failure);
  return measurement?.end(failure, cancelled, span === undefined ? parent : trace.setSpan(parent, span));
}

/** Runs work that has no span, and measures it if there is a measurement. */
function measured<T>(measurement: Measurement | undefined, work: () => MaybePromise<T>, ending: () => SpanOutcome<T>): MaybePromise<T> {
  if (measurement === undefined) return work();
  const end = ending();
  const fail = (error: unknown): never => {
    end.failed(error);
    throw error;
  };
  const succeed = (value: T): T => {
    end.succeeded?.(value);
    return value;
  };
  return settle(work, succeed, fail);
}
