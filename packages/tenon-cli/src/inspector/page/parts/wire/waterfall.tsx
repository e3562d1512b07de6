/** Spans of time below each other, on one scale. */
import type { VNode } from "preact";
import { visible } from "../../data/json.ts";

export interface Span {
  readonly label: string;
  /** Milliseconds since 1970; without an end it lasts. */
  readonly from: number;
  readonly to: number | undefined;
  readonly about: string;
  /** Who works: the server, a step of its handler, or the user that it waits for. */
  readonly kind: "server" | "step" | "user" | "failed";
}

export function Waterfall({ label, spans }: { label: string; spans: readonly Span[] }): VNode {
  const start = Math.min(...spans.map(({ from }) => from));
  const end = Math.max(start + 1, ...spans.map(({ from, to }) => to ?? from));
  const share = (ms: number): string => `${(ms / (end - start)) * 100}%`;
  return (
    <ol class="waterfall" aria-label={label}>
      {spans.map(({ label: name, from, to, about, kind }, at) => (
        <li key={at}>
          <span class="name">{visible(name)}</span>
          <span class="track" aria-hidden="true">
            <span class={`span ${kind}`} style={{ marginLeft: share(from - start), width: share((to ?? end) - from) }} />
          </span>
          <span class="number">{to === undefined ? "…" : `${to - from} ms`}</span>
          <span class="about">{visible(about)}</span>
        </li>
      ))}
    </ol>
  );
}
