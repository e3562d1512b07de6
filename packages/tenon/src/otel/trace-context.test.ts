import { context, propagation, trace, type Context, type SpanContext } from "@opentelemetry/api";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { RequestMeta } from "../protocol/base.ts";
import { extractTraceContext, injectTraceContext } from "./trace-context.ts";

const w3c = new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] });
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;
const ambientSpan: SpanContext = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", traceFlags: 1 };
const ambient = trace.setSpanContext(context.active(), ambientSpan);

const extracted = (meta: unknown): Context => extractTraceContext(meta as JsonObject, ambient, w3c); // it takes anything
const parentOf = (meta: unknown): SpanContext | undefined => trace.getSpanContext(extracted(meta));

describe("extracting [OT-05]", () => {
  it("takes the parent, the vendors' state and the baggage [XT-23]", () => {
    const found = extracted({ traceparent: TRACEPARENT, tracestate: "a=1,b=2", baggage: "user=Ada%20L" });
    expect(trace.getSpanContext(found)).toMatchObject({ traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: 1, isRemote: true });
    expect(trace.getSpanContext(found)?.traceState?.serialize()).toBe("a=1,b=2");
    expect(propagation.getBaggage(found)?.getEntry("user")?.value).toBe("Ada L");
  });

  it.each([
    ["nothing", undefined],
    ["no object", "00-1-2-3"],
    ["an array", [TRACEPARENT]],
    ["a number", { traceparent: 1 }],
    ["null", { traceparent: null }],
    ["an array of one", { traceparent: [TRACEPARENT] }],
    ["too few digits", { traceparent: `00-${TRACE_ID}-${SPAN_ID.slice(1)}-01` }],
    ["no trace", { traceparent: `00-${"0".repeat(32)}-${SPAN_ID}-01` }],
    ["no span", { traceparent: `00-${TRACE_ID}-${"0".repeat(16)}-01` }],
    ["upper case", { traceparent: TRACEPARENT.toUpperCase() }],
    ["an invalid version", { traceparent: `ff${TRACEPARENT.slice(2)}` }],
    ["more than a version 00 has", { traceparent: `${TRACEPARENT}-x` }],
    ["a second line", { traceparent: `${TRACEPARENT}\r\nx: y` }],
    ["state without a parent", { tracestate: "a=1" }],
    ["a member behind the prototype", JSON.parse(`{"__proto__":{"traceparent":"${TRACEPARENT}"}}`) as unknown],
  ])("the ambient span is the parent where there is %s [XT-23]", (_what, meta) => {
    expect(parentOf(meta)).toEqual(ambientSpan);
  });

  it("takes the parent of a later version with more members, up to 512 characters", () => {
    const later = `01-${TRACE_ID}-${SPAN_ID}-01-`;
    expect(parentOf({ traceparent: later.padEnd(512, "x") })).toMatchObject({ traceId: TRACE_ID, spanId: SPAN_ID });
    expect(extracted({ traceparent: later.padEnd(513, "x") })).toBe(ambient);
  });

  it("a state or baggage that is too long is left out, the parent is kept [rule R6]", () => {
    const long = { traceparent: TRACEPARENT, tracestate: `a=${"1".repeat(600)}`, baggage: `a=${"1".repeat(9_000)}` };
    expect(parentOf(long)).toMatchObject({ traceId: TRACE_ID });
    expect(parentOf(long)?.traceState).toBeUndefined();
    expect(propagation.getBaggage(extracted(long))).toBeUndefined();
  });

  it("a parser that throws costs what it could not read only", () => {
    expect(parentOf({ traceparent: TRACEPARENT, baggage: "a=%zz" })).toMatchObject({ traceId: TRACE_ID });
    const throwing = {
      ...w3c,
      inject: () => undefined,
      extract: (): Context => {
        throw new Error("no");
      },
    };
    expect(extractTraceContext({ traceparent: TRACEPARENT }, ambient, throwing)).toBe(ambient);
  });

  it("hostile states are bounded in members, size and time, whatever they are [rule R6]", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 2_000 }),
      fc.string({ unit: "binary", maxLength: 2_000 }),
      fc.constantFrom(TRACEPARENT, ",".repeat(512), "a=1,".repeat(128)),
    );
    const meta = fc.record(
      {
        traceparent: fc.oneof(fc.constant(TRACEPARENT), text, fc.jsonValue()),
        tracestate: fc.oneof(text, fc.jsonValue()),
        baggage: fc.oneof(text, fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(meta, (any) => {
        const found = extracted(any);
        const span = trace.getSpanContext(found)!;
        expect([TRACE_ID, ambientSpan.traceId]).toContain(span.traceId);
        expect((span.traceState?.serialize() ?? "").length).toBeLessThanOrEqual(512);
        expect(propagation.getBaggage(found)?.getAllEntries().length ?? 0).toBeLessThanOrEqual(4_096);
      }),
      { numRuns: 300 },
    );
  });
});

describe("injecting [OT-03]", () => {
  it("puts the active span into what is there already, and nowhere else", () => {
    const meta: RequestMeta = { progressToken: 0, "a.example/b": null };
    const before = structuredClone(meta);
    expect(injectTraceContext(meta, ambient, w3c)).toEqual({
      ...before,
      traceparent: `00-${ambientSpan.traceId}-${ambientSpan.spanId}-01`,
    });
    expect(meta).toEqual(before);
  });

  it("does nothing where no span is active, or none that is valid [OT-04 CF-21]", () => {
    const meta: RequestMeta = {};
    expect(injectTraceContext(meta, context.active(), w3c)).toBe(meta);
    expect(injectTraceContext(undefined, context.active(), w3c)).toBeUndefined();
    const invalid = trace.setSpanContext(context.active(), { traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 });
    expect(injectTraceContext(undefined, invalid, w3c)).toBeUndefined();
  });

  it.each(["traceparent", "tracestate", "baggage"])("never mixes with a %s of the caller's [CF-21]", (key) => {
    const meta: RequestMeta = { [key]: "his own" };
    expect(injectTraceContext(meta, ambient, w3c)).toBe(meta);
  });

  it("writes the names of W3C only, whatever propagates [A3.11]", () => {
    const b3 = {
      ...w3c,
      extract: () => ambient,
      inject: (_from: Context, carrier: unknown, setter: { set(carrier: unknown, key: string, value: string): void }) =>
        setter.set(carrier, "b3", "1"),
    };
    expect(injectTraceContext(undefined, ambient, b3)).toBeUndefined();
  });

  it("what is injected is extracted [OT-05 A3.11]", () => {
    const entry = fc.record({ key: fc.stringMatching(/^[a-z]{1,20}$/), value: fc.string({ maxLength: 100 }) });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        const baggage = propagation.createBaggage(Object.fromEntries(entries.map(({ key, value }) => [key, { value }])));
        const found = extracted(injectTraceContext({}, propagation.setBaggage(ambient, baggage), w3c));
        expect(trace.getSpanContext(found)).toMatchObject({ traceId: ambientSpan.traceId, spanId: ambientSpan.spanId });
      }),
    );
  });
});
