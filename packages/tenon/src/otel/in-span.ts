/** Runs work inside a span, synchronous or not. This is the only place that ends spans. */
import { context, trace, type Attributes, type Context, type Span } from "@opentelemetry/api";
import { settle, type MaybePromise } from "../base/maybe-promise.ts";
import { recordThrown } from "./outcome.ts";

export const SCOPE = "tenon";

/** Records the outcome of the work on the span before it ends. Each returns when it ended, or undefined for now. */
export interface SpanOutcome<T> {
  succeeded?(value: T): number | undefined;
  failed(error: unknown): number | undefined;
}

/** Runs `work` with `span` active in `around`, and ends the span once, when the work has settled. */
export function inSpan<T>(span: Span, around: Context, work: () => MaybePromise<T>, ending: SpanOutcome<T>): MaybePromise<T> {
  const succeed = (value: T): T => {
    span.end(ending.succeeded?.(value));
    return value;
  };
  const fail = (error: unknown): never => {
    span.end(ending.failed(error));
    throw error;
  };
  return settle(() => context.with(trace.setSpan(around, span), work), succeed, fail);
}

/**
 * Runs `work` in a child span of the active span, for a part of a handler. The span ends when the work settles, and records an error.
 * Uses the registered tracer provider.
 * @throws what `work` throws
 */
export function withSpan<T>(name: string, attributes: Attributes, work: (span: Span) => MaybePromise<T>): MaybePromise<T> {
  const active = context.active();
  const span = trace.getTracer(SCOPE).startSpan(name, { attributes }, active);
  return inSpan(span, active, () => work(span), {
    failed: (error) => {
      recordThrown(span, error);
      return undefined;
    },
  });
}
