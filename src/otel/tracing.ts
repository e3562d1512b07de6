/** Makes one span for one request, outbound or inbound. `otel()` puts it around handlers. */
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
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { McpError } from "../jsonrpc/mcp-error.ts";
import type { RequestMeta } from "../protocol/base.ts";
import type { RequestOptions } from "../dispatch/dispatcher.ts";
import { requestAttributes, spanName } from "./attributes.ts";
import { inSpan } from "./in-span.ts";
import { recordAbort, recordAnswerFailure, recordCallFailure, recordResult } from "./outcome.ts";
import { extractTraceContext, injectTraceContext } from "./trace-context.ts";

/** An outbound request: what its span records. */
export interface Sending<Options extends RequestOptions> {
  readonly method: string;
  readonly params: JsonObject;
  readonly protocolVersion: string;
  readonly transport: string | undefined;
  readonly options: Options;
}

/** An inbound request: what its span records. */
export interface Received {
  readonly method: string;
  readonly params: JsonObject;
  readonly protocolVersion: string;
  /** Read after the handler has ended, because making it has a cost. */
  readonly signal: AbortSignal;
}

/** Encodes an error for the peer; undefined if the peer gets no error. */
export type ToErrorObject = ((error: McpError) => { code: number }) | undefined;

/** The span of an inbound request, and its parent context. */
export interface StartedSpan {
  readonly span: Span;
  readonly parent: Context;
}

const REQUEST_ID = "jsonrpc.request.id";

export class Tracing {
  readonly #tracer: Tracer;
  readonly #propagator: Pick<TextMapPropagator, "inject" | "extract">;

  constructor(tracer: Tracer, propagator: Pick<TextMapPropagator, "inject" | "extract">) {
    this.#tracer = tracer;
    this.#propagator = propagator;
  }

  /** Sends a request in a span. `_meta` carries the span, so that the peer's span becomes its child. */
  send<Options extends RequestOptions>(
    request: Sending<Options>,
    send: (params: JsonObject, options: Options) => MaybePromise<JsonObject>,
  ): MaybePromise<JsonObject> {
    const { method, params, protocolVersion, transport, options } = request;
    const active = context.active();
    const attributes = requestAttributes(method, params, protocolVersion, transport);
    const span = this.#tracer.startSpan(`MCP send ${spanName(method, params)}`, { kind: SpanKind.CLIENT, attributes }, active);
    if (!isSpanContextValid(span.spanContext())) return send(params, options);
    const onId = (id: RequestId): void => {
      span.setAttribute(REQUEST_ID, String(id));
      options.onId?.(id);
    };
    return inSpan(span, active, () => send(this.inject(params), { ...options, onId }), {
      succeeded: (result) => recordResult(span, method, result),
      failed: (error) => recordCallFailure(span, error, options.signal),
    });
  }

  /**
   * Starts the span of an inbound request: a child of the sender's span, if the message has one, and linked to the active span. Undefined
   * if no provider records spans.
   */
  begin(
    { method, params, protocolVersion }: Received,
    transport: string | undefined,
    requestId: RequestId | undefined,
  ): StartedSpan | undefined {
    const active = context.active();
    const parent = extractTraceContext(params["_meta"] as RequestMeta | undefined, active, this.#propagator); // any value is accepted
    const attributes = requestAttributes(method, params, protocolVersion, transport);
    if (requestId !== undefined) attributes[REQUEST_ID] = String(requestId);
    const links = linksTo(trace.getSpanContext(active), trace.getSpanContext(parent));
    const span = this.#tracer.startSpan(spanName(method, params), { kind: SpanKind.SERVER, attributes, links }, parent);
    return isSpanContextValid(span.spanContext()) ? { span, parent } : undefined;
  }

  /** Runs the handler inside the span. */
  receive(
    { span, parent }: StartedSpan,
    request: Received,
    toErrorObject: ToErrorObject,
    answer: () => MaybePromise<JsonObject>,
  ): MaybePromise<JsonObject> {
    const { method } = request;
    const unlessAborted = (record: () => void): void => {
      const { signal } = request;
      if (signal.aborted) recordAbort(span, signal.reason);
      else record();
    };
    return inSpan(span, parent, answer, {
      succeeded: (result) => unlessAborted(() => recordResult(span, method, result)),
      failed: (error) => unlessAborted(() => recordAnswerFailure(span, method, error, toErrorObject)),
    });
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
