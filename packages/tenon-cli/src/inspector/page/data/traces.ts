/** Traces: the messages of both directions that carry the same trace context, newest trace first. */
import type { Numbered, WireEntry } from "../../entries.ts";
import type { Exchange } from "./rounds.ts";
import { stepsOf } from "./steps.ts";
import { version, wire } from "./store.ts";

/** Most messages that are looked at: the newest. */
const MAX_LOOKED_AT = 20_000;
/** Most traces, and most messages of each. */
const MAX_TRACES = 20;
const MAX_MESSAGES = 200;

export interface Trace {
  readonly id: string;
  /** Requests with their responses; a notification has no response. */
  readonly exchanges: Exchange[];
}

/** The traces in which the server has said something: messages with the trace context of the call, or its steps. */
export function tracesOf(target: number): Trace[] {
  void version.wire.value;
  const traces = new Map<string, Trace>();
  const open = new Map<string, { readonly trace: Trace; readonly at: number }>();
  for (const message of wire.slice(-MAX_LOOKED_AT)) {
    if (message.target !== target || message.client !== undefined) continue;
    const { type, sent, id } = message;
    if (type === "result" || type === "error") respond(open, `${!sent} ${id}`, message);
    else if (message.trace !== undefined) begin(traces, open, message);
  }
  const known = [...traces.values()].filter(({ exchanges }) => exchanges.some(isOfServer));
  return known.slice(-MAX_TRACES).reverse();
}

function begin(
  traces: Map<string, Trace>,
  open: Map<string, { readonly trace: Trace; readonly at: number }>,
  message: Numbered<WireEntry>,
): void {
  const id = message.trace!.id; // the caller has looked
  let trace = traces.get(id);
  if (trace === undefined) traces.set(id, (trace = { id, exchanges: [] }));
  if (trace.exchanges.length >= MAX_MESSAGES) return;
  const at = trace.exchanges.push({ request: message }) - 1;
  if (message.type === "request") open.set(`${message.sent} ${message.id}`, { trace, at });
}

function respond(open: Map<string, { readonly trace: Trace; readonly at: number }>, key: string, response: Numbered<WireEntry>): void {
  const waiting = open.get(key);
  if (waiting === undefined) return;
  open.delete(key);
  const { trace, at } = waiting;
  trace.exchanges[at] = { request: trace.exchanges[at]!.request, response };
}

function isOfServer(exchange: Exchange): boolean {
  const { request, response } = exchange;
  return !request.sent || response?.trace !== undefined || (stepsOf(exchange)?.steps.length ?? 0) > 0;
}
