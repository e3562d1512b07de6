/**
 * A list of any length: only the rows in sight are elements, and each has the same height.
 *
 * It is a listbox: arrows, `j` and `k`, Home, End and page keys move the choice; screen readers hear the place in the whole list.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export interface VirtualListProps {
  readonly count: number;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  /** The chosen row; -1 if none is. */
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  /** Whether the list stays at its end while it grows. Default false. */
  readonly follows?: boolean;
  readonly empty: ComponentChildren;
}

/** Rows beyond each edge, so that a fast scroll shows no gap. */
const MARGIN = 8;
/** Browsers cut elements that are higher. */
const MAX_HEIGHT = 8_000_000;

export function VirtualList({ count, row, label, chosen, onChoose, follows = false, empty }: VirtualListProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  const rowHeight = useRowHeight();
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setHeight(box.current?.clientHeight ?? 400));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, [count === 0]);
  useEffect(() => {
    if (follows && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [count, follows]);
  useEffect(() => showRow(box.current, chosen, rowHeight), [chosen]);
  if (count === 0) return <div class="nothing">{empty}</div>;
  const whole = Math.min(count * rowHeight, MAX_HEIGHT);
  // A list that would be too high is scrolled in larger steps.
  const scale = whole > height ? (count * rowHeight - height) / (whole - height) : 1;
  const first = Math.max(0, Math.floor((top * scale) / rowHeight) - MARGIN);
  const last = Math.min(count, Math.ceil((top * scale + height) / rowHeight) + MARGIN);
  const shift = top - top * scale;
  return (
    <div
      ref={box}
      class="list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={chosen >= first && chosen < last ? `${label}-${chosen}` : undefined}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      onKeyDown={(event) => {
        const next = moved(event.key, chosen, count, Math.floor(height / rowHeight));
        if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        onChoose(next);
      }}
    >
      <div class="whole" style={{ height: `${whole}px` }}>
        {Array.from({ length: last - first }, (_, offset) => {
          const index = first + offset;
          return (
            <div
              key={index}
              id={`${label}-${index}`}
              class="item"
              role="option"
              aria-selected={index === chosen}
              aria-setsize={count}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${index * rowHeight + shift}px)` }}
              onClick={() => onChoose(index)}
            >
              {row(index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Rows are higher where they are touched, and on a narrow screen, where a message has two lines. The style sheet says the same. */
const HIGH_ROWS = "(pointer: coarse), (max-width: 700px)";

function useRowHeight(): number {
  const query = useMemo(() => matchMedia(HIGH_ROWS), []);
  const [isHigh, setIsHigh] = useState(query.matches);
  useEffect(() => {
    const onChange = (): void => setIsHigh(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, [query]);
  return isHigh ? 44 : 28;
}

function showRow(box: HTMLDivElement | null, index: number, rowHeight: number): void {
  if (box === null || index < 0) return;
  const [start, end] = [index * rowHeight, (index + 1) * rowHeight];
  if (start < box.scrollTop) box.scrollTop = start;
  else if (end > box.scrollTop + box.clientHeight) box.scrollTop = end - box.clientHeight;
}

function moved(key: string, from: number, count: number, page: number): number | undefined {
  const steps: { readonly [key: string]: number } = {
    ArrowDown: 1,
    j: 1,
    ArrowUp: -1,
    k: -1,
    PageDown: page,
    PageUp: -page,
    Home: -count,
    End: count,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? undefined : Math.max(0, Math.min(count - 1, from + step));
}
