/**
 * The trace context of a message: `traceparent`, `tracestate` and `baggage` in `_meta` (W3C Trace Context; MCP 2026-07-28, `_meta`).
 *
 * The registered propagator reads and writes it. Values from the peer are bounded before they are parsed. An invalid context is not an
 * error: the span then has no parent.
 */
import {
  context,
  diag,
  isSpanContextValid,
  propagation,
  trace,
  type Context,
  type TextMapGetter,
  type TextMapPropagator,
} from "@opentelemetry/api";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { RequestMeta } from "../protocol/base.ts";

/** The most characters of each value: lengths that W3C requires to be kept, and room for a `traceparent` of a later version. */
const LIMITS: ReadonlyMap<string, number> = new Map([
  ["traceparent", 512],
  ["tracestate", 512],
  ["baggage", 8_192],
]);

type Carrier = Readonly<Record<string, string>>;

const getter: TextMapGetter<Carrier> = {
  keys: (carrier) => Object.keys(carrier),
  get: (carrier, key) => carrier[key],
};

/** A propagator. Default: the registered one. */
type Propagator = Pick<TextMapPropagator, "inject" | "extract">;

/**
 * Adds the trace context of the active span to the `_meta` of a message. Returns the same object if no span is active or it has a trace
 * context already.
 */
export function injectTraceContext(
  meta: RequestMeta | undefined,
  from: Context = context.active(),
  propagator: Propagator = propagation,
): RequestMeta | undefined {
  const span = trace.getSpanContext(from);
  if (span === undefined || !isSpanContextValid(span)) return meta;
  if (meta !== undefined && [...LIMITS.keys()].some((key) => key in meta)) return meta;
  const carrier: Record<string, string> = {};
  propagator.inject(from, carrier, {
    set: (_carrier, key, value) => {
      if (LIMITS.has(key)) carrier[key] = value; // MCP reserves other names without a prefix
    },
  });
  return Object.keys(carrier).length === 0 ? meta : { ...meta, ...carrier };
}

/**
 * Reads the trace context of a message: the parent for the span of its handler. Returns `ambient` if `meta` has no valid one. Never
 * throws.
 */
export function extractTraceContext(
  meta: JsonObject | undefined,
  ambient: Context = context.active(),
  propagator: Propagator = propagation,
): Context {
  const carrier = carrierOf(meta);
  if (carrier === undefined) return ambient;
  try {
    return propagator.extract(ambient, carrier, getter);
  } catch (error) {
    // A baggage parser may throw on malformed percent escapes.
    diag.debug("tenon: a message came with a trace context that could not be read", error);
    const { baggage: _, ...rest } = carrier;
    return "baggage" in carrier ? extractTraceContext(rest, ambient, propagator) : ambient;
  }
}

/** The members of a trace context with valid types and lengths; undefined if there are none. */
function carrierOf(meta: JsonObject | undefined): Record<string, string> | undefined {
  if (!isJsonObject(meta)) return undefined;
  let carrier: Record<string, string> | undefined;
  for (const [key, limit] of LIMITS) {
    const value = meta[key];
    if (typeof value !== "string" || value.length > limit) continue;
    carrier ??= {};
    carrier[key] = value;
  }
  return carrier;
}
