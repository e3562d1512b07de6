/**
 * The trace context of a message: `traceparent`, `tracestate` and `baggage` in `_meta` (W3C; requirements A3.11).
 *
 * Read and written with the propagator the process has registered, which decides what is propagated at all. What comes
 * from the peer is bounded before it is parsed, and never an error: without a valid context there is simply no parent.
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

/** Longest value that is read, in characters. `tracestate` as W3C says that must be kept, `baggage` as it says must be passed on. */
const LIMITS: ReadonlyMap<string, number> = new Map([
  ["traceparent", 64],
  ["tracestate", 512],
  ["baggage", 8_192],
]);

type Carrier = Readonly<Record<string, string>>;

const getter: TextMapGetter<Carrier> = {
  keys: (carrier) => Object.keys(carrier),
  get: (carrier, key) => carrier[key],
};

/** What propagates. The registered one where none is given. */
type Propagator = Pick<TextMapPropagator, "inject" | "extract">;

/**
 * The `_meta` of a message with the trace context of the active span in it: the same object where no span is active, or where
 * it says something of a trace already.
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
      if (LIMITS.has(key)) carrier[key] = value; // other un-prefixed names are not ours to use
    },
  });
  return Object.keys(carrier).length === 0 ? meta : { ...meta, ...carrier };
}

/**
 * The context a message was sent in: the parent of the span that answers it. The ambient one where `meta` has none, or
 * none that is valid. Never throws.
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
    // Parsers of baggage decode percent escapes, which may be malformed.
    diag.debug("tenon: a message came with a trace context that could not be read", error);
    const { baggage: _, ...rest } = carrier;
    return "baggage" in carrier ? extractTraceContext(rest, ambient, propagator) : ambient;
  }
}

/** The members that can be a trace context, of the types and lengths it has; undefined where there are none. */
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
