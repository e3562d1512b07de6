/**
 * Everything that happened, in order, with a limit: what each tab of the page reads.
 *
 * A tab reads at its own speed from its own position, so a slow tab holds nothing but the entries that the journal keeps anyway.
 * Entries with a place are state: the newest of each place stays for ever, and a new tab gets it first.
 */
import type { Entry, Numbered } from "../entries.ts";

/** Most entries, and most characters of them: 100,000 messages, and as many log lines. The oldest entries are dropped. */
const MAX_ENTRIES = 220_000;
const MAX_CHARACTERS = 256 * 1024 * 1024;
/** Most places, such as calls and questions. The oldest is dropped. */
const MAX_PLACES = 10_000;

interface KeptLine {
  readonly seq: number;
  readonly line: string;
  /** The whole text of a message whose entry holds only its beginning. */
  readonly whole: string | undefined;
}

export class Journal {
  #entries: KeptLine[] = [];
  /** How many entries at the beginning of the array are dropped already. */
  #dropped = 0;
  #characters = 0;
  #seq = 0;
  /** How many entries were dropped since the beginning. */
  #lost = 0;
  readonly #places = new Map<string, KeptLine>();
  readonly #listeners = new Set<() => void>();

  /** Adds an entry and returns it with its number. @param place the state that it replaces @param whole the text that it shortens */
  add<E extends Entry>(entry: E, place?: string, whole?: string): Numbered<E> {
    const numbered = { ...entry, seq: ++this.#seq, at: Date.now() };
    const keptLine: KeptLine = { seq: numbered.seq, line: `${JSON.stringify(numbered)}\n`, whole };
    if (place === undefined) this.#push(keptLine);
    else this.#set(place, keptLine);
    for (const listener of this.#listeners) listener();
    return numbered;
  }

  get last(): number {
    return this.#seq;
  }

  /** Lines for a tab that knows everything up to `after`: state first, then what came later. @param max most characters */
  read(after: number, max: number): { text: string; last: number } {
    const lines: string[] = [];
    let [last, size] = [after, 0];
    for (const entry of this.#after(after)) {
      if (size > max) break;
      lines.push(entry.line);
      size += entry.line.length;
      last = entry.seq;
    }
    return { text: lines.join(""), last };
  }

  /** The entries that a tab has missed for good. */
  missedAfter(after: number): number {
    const first = this.#entries[this.#dropped]?.seq ?? this.#seq + 1;
    return after === 0 || this.#lost === 0 ? 0 : Math.max(0, Math.min(first - after - 1, this.#lost));
  }

  /** The whole text of an entry; undefined if the entry is unknown or was not shortened. */
  wholeOf(seq: number): string | undefined {
    return this.find(seq)?.whole;
  }

  /** The entry of that number as JSON; undefined if it was dropped. */
  find(seq: number): KeptLine | undefined {
    const at = this.#indexAfter(seq - 1);
    const entry = this.#entries[at];
    return entry?.seq === seq ? entry : undefined;
  }

  /** Calls `listener` after each entry. Returns a function that stops it. */
  onEntry(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  *#after(after: number): Generator<KeptLine> {
    // Both are in the order of their numbers, so they are merged: a place moves to the end of the map when it changes.
    const state = [...this.#places.values()].filter(({ seq }) => seq > after);
    let next = 0;
    for (let at = this.#indexAfter(after); at < this.#entries.length; at++) {
      const entry = this.#entries[at]!;
      while (next < state.length && state[next]!.seq < entry.seq) yield state[next++]!;
      yield entry;
    }
    while (next < state.length) yield state[next++]!;
  }

  #indexAfter(seq: number): number {
    let [low, high] = [this.#dropped, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle]!.seq <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #push(kept: KeptLine): void {
    this.#entries.push(kept);
    this.#characters += sizeOf(kept);
    while (this.#entries.length - this.#dropped > MAX_ENTRIES || this.#characters > MAX_CHARACTERS) {
      this.#characters -= sizeOf(this.#entries[this.#dropped++]!);
      this.#lost++;
    }
    if (this.#dropped < 4_096 || this.#dropped * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#dropped);
    this.#dropped = 0;
  }

  #set(place: string, kept: KeptLine): void {
    this.#places.delete(place);
    this.#places.set(place, kept);
    if (this.#places.size <= MAX_PLACES) return;
    for (const oldest of this.#places.keys()) {
      if (!/^(?:call|question):/.test(oldest)) continue;
      this.#places.delete(oldest);
      break;
    }
  }
}

function sizeOf({ line, whole = "" }: KeptLine): number {
  return line.length + whole.length;
}
