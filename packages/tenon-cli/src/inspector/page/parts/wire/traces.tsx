/** The traces of a server as waterfalls: calls, the steps of their handlers, questions, and what the server said meanwhile. */
import type { VNode } from "preact";
import { timeText, visible } from "../../data/json.ts";
import type { Exchange } from "../../data/rounds.ts";
import { tracesOf, type Trace } from "../../data/traces.ts";
import { stepSpans } from "./rounds.tsx";
import { Waterfall, type Span } from "./waterfall.tsx";

export function Traces({ target }: { target: number }): VNode | null {
  const traces = tracesOf(target);
  if (traces.length === 0) return null;
  return (
    <section aria-label="Spans" class="traces">
      <h3>Spans</h3>
      {traces.map((trace, index) => (
        <details key={trace.id} open={index === 0}>
          <summary>
            {timeText(trace.exchanges[0]!.request.at)} {visible(nameOf(trace.exchanges[0]!))} <code>{trace.id}</code>
          </summary>
          <Waterfall label={`Spans of trace ${trace.id}`} spans={spansOf(trace)} />
        </details>
      ))}
    </section>
  );
}

function nameOf({ request: { method = "", name } }: Exchange): string {
  return name === undefined ? method : `${method} ${name}`;
}

function spansOf({ exchanges }: Trace): Span[] {
  return exchanges.flatMap((exchange) => [spanOf(exchange), ...stepSpans(exchange)]);
}

/** A notification is a moment. The span is the one in which its sender sent it. */
function spanOf(exchange: Exchange): Span {
  const { request, response } = exchange;
  const to = request.type === "request" ? response?.at : request.at;
  const kind = response?.type === "error" ? "failed" : request.sent ? "server" : "user";
  const spans = [`sent in span ${request.trace?.span}`, ...(response?.trace ? [`answered in span ${response.trace.span}`] : [])];
  return {
    label: nameOf(exchange),
    from: request.at,
    to,
    about: `${request.sent ? "this page" : "the server"}: ${spans.join(", ")}`,
    kind,
  };
}
