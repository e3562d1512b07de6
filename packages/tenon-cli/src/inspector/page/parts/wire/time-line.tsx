/** Messages over time: what was sent above, what was received below, and a bar for the time that each response took. */
import type { VNode } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Numbered, WireEntry } from "../../../entries.ts";
import { timeText } from "../../data/json.ts";
import { scheme } from "../../data/scheme.ts";

/** Most messages that are drawn: the newest. */
const MAX_DRAWN = 5_000;
const HEIGHT = 56;

interface TimeLineProps {
  readonly entries: readonly Numbered<WireEntry>[];
  readonly chosen: Numbered<WireEntry> | undefined;
  readonly onChoose: (index: number) => void;
}

export function TimeLine({ entries, chosen, onChoose }: TimeLineProps): VNode | null {
  void scheme.value; // the colours of a canvas do not follow it by themselves
  const canvas = useRef<HTMLCanvasElement>(null);
  useDrawnAgain();
  const [seconds, setSeconds] = useState(0);
  const last = entries.at(-1)?.at ?? 0;
  const from = Math.max(entries.at(-MAX_DRAWN)?.at ?? entries[0]?.at ?? 0, seconds === 0 ? 0 : last - seconds * 1_000);
  const span = Math.max(1_000, last - from);
  useEffect(() => {
    if (canvas.current) draw(canvas.current, entries, { from, span, chosen });
  });
  if (entries.length === 0) return null;
  const choose = (event: MouseEvent): void => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    const at = from + ((event.clientX - left) / width) * span;
    onChoose(nearest(entries, at));
  };
  return (
    <div class="time-line">
      <canvas
        ref={canvas}
        height={HEIGHT}
        role="img"
        aria-label={`Time line from ${timeText(from)} to ${timeText(last)}; the list has the same messages`}
        onClick={choose}
      />
      <div class="axis">
        <span>{timeText(from)}</span>
        <label class="inline">
          last{" "}
          <select
            aria-label="Span of the time line"
            value={String(seconds)}
            onChange={({ currentTarget }) => setSeconds(Number(currentTarget.value))}
          >
            <option value="0">all</option>
            <option value="600">10 min</option>
            <option value="60">1 min</option>
            <option value="10">10 s</option>
          </select>
        </label>
        <span>{timeText(last)}</span>
      </div>
    </div>
  );
}

/** Draws the component again when the window has another size. */
function useDrawnAgain(): void {
  const [, again] = useReducer<number, unknown>((times) => times + 1, 0);
  useEffect(() => {
    addEventListener("resize", again);
    return () => removeEventListener("resize", again);
  }, []);
}

function nearest(entries: readonly Numbered<WireEntry>[], at: number): number {
  let best = entries.length - 1;
  for (let index = entries.length - 1; index >= 0; index--) {
    if (Math.abs(entries[index]!.at - at) < Math.abs(entries[best]!.at - at)) best = index;
    if (entries[index]!.at < at) break;
  }
  return best;
}

interface Drawing {
  readonly from: number;
  readonly span: number;
  readonly chosen: Numbered<WireEntry> | undefined;
}

function draw(canvas: HTMLCanvasElement, entries: readonly Numbered<WireEntry>[], { from, span, chosen }: Drawing): void {
  const scale = devicePixelRatio;
  const width = canvas.clientWidth;
  canvas.width = width * scale;
  canvas.height = HEIGHT * scale;
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  const style = getComputedStyle(canvas);
  const colours = {
    line: style.getPropertyValue("--line"),
    accent: style.getPropertyValue("--accent"),
    bad: style.getPropertyValue("--bad"),
    text: style.getPropertyValue("--muted"),
  };
  pen.scale(scale, scale);
  pen.fillStyle = colours.line;
  pen.fillRect(0, HEIGHT / 2, width, 1);
  const x = (at: number): number => ((at - from) / span) * (width - 6) + 3;
  for (const entry of entries.slice(-MAX_DRAWN)) {
    if (entry.at < from) continue;
    const isBad = entry.type === "error" || entry.type === "malformed";
    pen.fillStyle = isBad ? colours.bad : entry.sent ? colours.accent : colours.text;
    if (entry.ms !== undefined) pen.fillRect(x(entry.at - entry.ms), HEIGHT / 2 - 2, Math.max(1, x(entry.at) - x(entry.at - entry.ms)), 5);
    const isChosen = entry === chosen;
    pen.fillRect(x(entry.at) - (isChosen ? 2 : 0.5), entry.sent ? 6 : HEIGHT / 2 + 4, isChosen ? 5 : 2, HEIGHT / 2 - 10);
  }
}
