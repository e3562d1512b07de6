/** The real SDK with spans kept in memory, registered for the whole test file, as a process that is traced does it. */
import { context, propagation, trace, type SpanContext } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach } from "vitest";

export interface Recording {
  /** Ended spans, oldest first. */
  readonly spans: readonly ReadableSpan[];
  /** The one span of that name that has ended. @throws if there is not exactly one */
  one(name: string): ReadableSpan;
  /** Runs `work` inside a span of a caller; resolves with its result and the span. */
  calling<T>(work: () => Promise<T>): Promise<{ result: T; caller: SpanContext }>;
}

export function recording(): Recording {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(
      new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
    );
    trace.setGlobalTracerProvider(provider);
  });
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    await provider.shutdown();
    trace.disable();
    propagation.disable();
    context.disable();
  });
  return {
    get spans() {
      return exporter.getFinishedSpans();
    },
    one(name) {
      const found = exporter.getFinishedSpans().filter((span) => span.name === name);
      if (found.length !== 1)
        throw new Error(
          `${found.length} spans "${name}" among: ${exporter
            .getFinishedSpans()
            .map((span) => span.name)
            .join(", ")}`,
        );
      return found[0]!;
    },
    async calling(work) {
      const span = provider.getTracer("test").startSpan("caller");
      const result = await context.with(trace.setSpan(context.active(), span), work);
      span.end();
      return { result, caller: span.spanContext() };
    },
  };
}

/** The id of a span's parent, and the trace it is in. */
export function lineage(span: ReadableSpan): { traceId: string; parent: string | undefined } {
  return { traceId: span.spanContext().traceId, parent: span.parentSpanContext?.spanId };
}
