/**
 * The events of one stream as a chain of records, each the last message of a subject when it was stored. A record tells all about the
 * stream at that point, so the last one is the state, and to store the next one after exactly it is an atomic step.
 *
 * Events that are too long for one message lie in parts in front of their record. Some older records are anchors: readers begin there, and
 * the log is cut there when it is too long.
 */
import { DamagedEntryError, parseStored } from "../../storage/damaged-entry.ts";
import { MAX_EVENTS, MAX_STREAM_SIZE } from "../../storage/limits.ts";
import type { Facts, Message, NatsStream } from "./stream.ts";
import { chunksOf } from "./table.ts";

/** An older record: the number of its first event, the first of its messages, its own message, and the characters stored before it. */
type Anchor = readonly [from: number, start: number, seq: number, before: number];

interface RecordFacts extends Facts {
  readonly writer: string;
  readonly ended: boolean;
  /** The numbers of its own events, and of the first that is kept. `from` is greater than `last` if it has none. */
  readonly from: number;
  readonly last: number;
  readonly first: number;
  /** Characters stored before it and with it. */
  readonly before: number;
  readonly size: number;
  /** The record before it that has events; 0 for none. */
  readonly previous: number;
  readonly anchors: readonly Anchor[];
  /** The last additions, and the number of the last event of each. */
  readonly additions: readonly (readonly [string, number])[];
  /** The messages with the parts of its text. */
  readonly parts: readonly number[];
}

/** A part of a text, in front of the record that it belongs to. It names the record before, which is the state until then. */
interface PartFacts extends Facts {
  readonly record: number;
}

export interface ChainRecord extends RecordFacts {
  readonly ms: number;
  readonly seq: number;
  readonly note: string;
  readonly data: readonly string[];
}

export interface ChainState {
  /** The last message of the subject; 0 for none. */
  readonly tip: number;
  /** The last record; undefined if there is none, or its time is over. */
  readonly record: ChainRecord | undefined;
}

export interface NextRecord {
  readonly writer: string;
  readonly note: string;
  readonly data: readonly string[];
  readonly ended: boolean;
  readonly ms: number;
  readonly addition?: string;
}

/** Events, and characters, from one anchor to the next. */
const [ANCHOR_EVENTS, ANCHOR_SIZE] = [64, 512 * 1024];
const MAX_ADDITIONS = 16;
/** Parts of the longest record: 256 events of 17 Mi characters, each of up to six in JSON. */
const MAX_PARTS = 100_000;

export class StreamChain {
  readonly #stream: NatsStream;
  readonly subject: string;

  constructor(stream: NatsStream, subject: string) {
    this.#stream = stream;
    this.subject = subject;
  }

  async state(): Promise<ChainState> {
    const message = await this.#stream.last(this.subject);
    if (message === undefined || (await this.#stream.isOver(message))) return { tip: message?.seq ?? 0, record: undefined };
    const { record } = message.facts as PartFacts; // `write` stored it
    if (record === undefined) return { tip: message.seq, record: await this.#recordOf(message) };
    return { tip: message.seq, record: record === 0 ? undefined : await this.recordAt(record) };
  }

  /** A record by its message; undefined if it was removed. */
  async recordAt(seq: number): Promise<ChainRecord | undefined> {
    const message = await this.#stream.at(seq);
    return message && this.#recordOf(message);
  }

  /** Stores the next record after exactly `state`. Returns the state after it; undefined if there is another state by now. */
  async write({ tip, record }: ChainState, next: NextRecord): Promise<ChainState | undefined> {
    const chunks = chunksOf(JSON.stringify([next.note, next.data]));
    const parts: number[] = [];
    let last = tip;
    for (const chunk of chunks.length > 1 ? chunks : []) {
      const facts: PartFacts = { record: record?.seq ?? 0, ms: next.ms };
      const seq = await this.#stream.publish(this.subject, facts, chunk, last);
      if (seq === undefined) return undefined;
      parts.push((last = seq));
    }
    const facts = factsAfter(record, next, parts);
    const seq = await this.#stream.publish(this.subject, facts, chunks.length > 1 ? "" : (chunks[0] ?? ""), last);
    if (seq === undefined) return undefined;
    await this.#tidy(tip, record, facts, parts[0] ?? seq);
    return { tip: seq, record: { ...facts, seq, ms: next.ms, note: next.note, data: next.data } };
  }

  /** Removes what no reader needs: events that are too many, a record without events, and a chain whose time was over. It is harmless if that fails. */
  async #tidy(tip: number, before: ChainRecord | undefined, facts: RecordFacts, start: number): Promise<void> {
    try {
      const cut = facts.anchors.findLast(([from]) => from <= facts.first);
      if (before === undefined) await (tip > 0 && this.#stream.purge(this.subject, start));
      else if (facts.first > before.first && cut !== undefined) await this.#stream.purge(this.subject, cut[1]);
      if (before !== undefined && before.from > before.last) await this.#stream.remove(before.seq);
    } catch {
      // The next cut, or the end of the stream, removes it.
    }
  }

  async #recordOf(message: Message): Promise<ChainRecord | undefined> {
    const facts = message.facts as RecordFacts; // `write` stored it
    assertRecord(facts);
    const parts = await Promise.all(facts.parts.map((seq) => this.#stream.at(seq)));
    if (parts.some((part) => part === undefined)) return undefined;
    const text = parts.length === 0 ? message.text : parts.map((part) => part!.text).join("");
    const [note, data] = textsIn(text);
    return { ...facts, ms: facts.ms!, seq: message.seq, note, data };
  }
}

const WHAT = "A record of a stream";
const NUMBERS = ["from", "last", "first", "before", "size", "previous", "ms"] as const;

/** @throws DamagedEntryError if members are missing that every record has */
function assertRecord(facts: RecordFacts): void {
  const { parts, anchors, additions, writer } = facts;
  const areNumbers = NUMBERS.every((name) => Number.isFinite(facts[name]));
  if (!areNumbers || ![parts, anchors, additions].every(Array.isArray) || typeof writer !== "string" || parts.length > MAX_PARTS)
    throw new DamagedEntryError(WHAT, "has wrong members");
}

/** The note and the events of a record. @throws DamagedEntryError */
function textsIn(text: string): readonly [string, readonly string[]] {
  const texts = parseStored(WHAT, text);
  if (
    !Array.isArray(texts) ||
    typeof texts[0] !== "string" ||
    !Array.isArray(texts[1]) ||
    !texts[1].every((one) => typeof one === "string")
  )
    throw new DamagedEntryError(WHAT, "has no list of events");
  return texts as unknown as readonly [string, readonly string[]]; // checked above
}

function factsAfter(record: ChainRecord | undefined, next: NextRecord, parts: readonly number[]): RecordFacts {
  const { data, writer, ended, ms, addition } = next;
  const [before, from] = [record?.size ?? 0, (record?.last ?? 0) + 1];
  const last = from - 1 + data.length;
  const size = data.reduce((sum, text) => sum + text.length, before);
  const anchors = record === undefined ? [] : anchorsWith(record);
  const first = firstKept(anchors, { first: record?.first ?? 1, from, last, size });
  const added = addition === undefined ? [] : [[addition, last] as const];
  return {
    ms,
    writer,
    ended,
    from,
    last,
    first,
    before,
    size,
    previous: record === undefined ? 0 : record.from <= record.last ? record.seq : record.previous,
    anchors: anchors.slice(
      Math.max(
        0,
        anchors.findLastIndex((anchor) => anchor[0] <= first),
      ),
    ),
    additions: [...(record?.additions ?? []), ...added].slice(-MAX_ADDITIONS),
    parts,
  };
}

/** The anchors of a record, and the record itself if it is far enough from the last one. */
function anchorsWith({ anchors, from, last, before, seq, parts }: ChainRecord): readonly Anchor[] {
  const [lastFrom, , , lastBefore] = anchors.at(-1) ?? [-Infinity, 0, 0, 0];
  const isFar = from - lastFrom >= ANCHOR_EVENTS || before - lastBefore >= ANCHOR_SIZE;
  return from <= last && isFar ? [...anchors, [from, parts[0] ?? seq, seq, before]] : anchors;
}

/** The first event that is kept: the last ones, and as many as there is room for. The events of the last record always are. */
function firstKept(
  anchors: readonly Anchor[],
  { first, from, last, size }: { first: number; from: number; last: number; size: number },
): number {
  const fitting = anchors.find((anchor) => anchor[0] >= first && size - anchor[3] <= MAX_STREAM_SIZE);
  const hasRoom = size - (anchors[0]?.[3] ?? 0) <= MAX_STREAM_SIZE;
  return Math.max(first, last - MAX_EVENTS + 1, hasRoom ? first : (fitting?.[0] ?? from));
}
