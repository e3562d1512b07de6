/** One request in one span, on its way out or on its way in. What `otel()` puts around handlers. */
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

/** A request on its way out: whatever its context is, this is what a span tells of it. */
export interface Sending<Options extends RequestOptions> {
  readonly method: string;
  readonly params: JsonObject;
  readonly protocolVersion: string;
  readonly transport: string | undefined;
  readonly options: Options;
}

/** A request that arrived. */
export interface Received {
  readonly method: string;
  readonly params: JsonObject;
  readonly protocolVersion: string;
  /** Asked for when the request has been answered: it costs something to make. */
  readonly signal: AbortSignal;
}

/** What the peer is told of a failure; undefined where it is told nothing. */
export type ToErrorObject = ((error: McpError) => { code: number }) | undefined;

/** A request that is traced: the span that was started for it, and what it was started in. */
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

  /** The peer's work becomes a child of the span: it travels in `_meta` of what `send` is given. */
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
   * The span of a request that arrived: a child of the sender's, where the message names one, and linked to what else is
   * active here. Undefined where nobody records spans.
   */
  begin(
    { method, params, protocolVersion }: Received,
    transport: string | undefined,
    requestId: RequestId | undefined,
  ): StartedSpan | undefined {
    const active = context.active();
    const parent = extractTraceContext(params["_meta"] as RequestMeta | undefined, active, this.#propagator); // takes anything
    const attributes = requestAttributes(method, params, protocolVersion, transport);
    if (requestId !== undefined) attributes[REQUEST_ID] = String(requestId);
    const links = linksTo(trace.getSpanContext(active), trace.getSpanContext(parent));
    const span = this.#tracer.startSpan(spanName(method, params), { kind: SpanKind.SERVER, attributes, links }, parent);
    return isSpanContextValid(span.spanContext()) ? { span, parent } : undefined;
  }

  /** Answers it inside its span. */
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

  /** `params` with the active span in their `_meta`; the same object where there is nothing to say. */
  inject<Params extends JsonObject | undefined>(params: Params): Params | JsonObject {
    const meta = params?.["_meta"] as RequestMeta | undefined; // ours, or checked
    const injected = injectTraceContext(meta, context.active(), this.#propagator);
    return injected === meta ? params : { ...params, _meta: injected };
  }
}

/** What is active beside the parent: the span of the transport, such as an HTTP server's. */
function linksTo(active: SpanContext | undefined, parent: SpanContext | undefined): Link[] {
  if (active === undefined || !isSpanContextValid(active) || active.spanId === parent?.spanId) return [];
  return [{ context: active }];
}
