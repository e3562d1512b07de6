/**
 * The interface of event logs: the events of streams, so that a client can resume a stream whose connection it has lost.
 *
 * Any node can write, read and take over a stream. So each write names its writer, and the log refuses a writer that has lost the stream. A
 * process without `stores` is its only node, with a log in its memory.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";

/** One event as it was sent. */
export interface StoredEvent {
  /** Its number on its stream, from 1. */
  readonly number: number;
  /** The JSON text of the message. */
  readonly data: string;
}

/** Where a stream is. Both names are 1 to 64 letters, digits, `-` and `_`; others throw a TypeError. */
export interface StreamName {
  /** The id of the session, or a name for streams without one. */
  readonly session: string;
  /** The name of the stream in its session. */
  readonly stream: string;
}

/** How a stream begins. */
export interface StreamOpening {
  /** The one writer that may `append`. 1 to 64 letters, digits, `.`, `-` and `_`, never used again for this stream. Default: none, and every node may `add`. */
  readonly writer?: string;
  /** A JSON text that each page carries, at most 64 Ki characters. */
  readonly note?: string;
  /** Milliseconds for which the stream is kept after its last write. */
  readonly ms: number;
}

/** Events of the one writer of a stream. */
export interface StreamAppend {
  /** The writer that the stream was opened or adopted with. */
  readonly writer: string;
  /** The number of the first event: one more than the last one. */
  readonly first: number;
  /** At most 256 events. None: the stream is only kept for longer. */
  readonly data: readonly string[];
  /** Whether the stream ends with them. Default false. */
  readonly ends?: boolean;
  /** Milliseconds for which the stream is kept from now on. */
  readonly ms: number;
}

/** Events of any node. */
export interface StreamAddition {
  /** Names this addition, so that a repeat adds nothing. A stream remembers the last 16. */
  readonly key: string;
  /** At most 256 events. None: the stream is only kept for longer. */
  readonly data: readonly string[];
  /** Milliseconds for which the stream is kept from now on. */
  readonly ms: number;
}

/** A part of a stream. */
export interface EventPage {
  /** In order and without a gap. */
  readonly events: readonly StoredEvent[];
  /** The number of the last event of the stream, on this page or not; 0 if there is none. */
  readonly last: number;
  /** Whether no event follows `last`. */
  readonly ended: boolean;
  /** The writer of the stream now, if it has one. */
  readonly writer?: string;
  /** The text that the stream was opened with. */
  readonly note?: string;
}

/**
 * Keeps events by session and stream, at most 1 000 events and 8 Mi characters of each. Each method is one atomic step, and all but `adopt`
 * can be repeated after an unknown outcome. A text with U+0000 or half of a surrogate pair throws a TypeError: JSON escapes both.
 */
export interface EventLog {
  /** Begins a stream, or finds it begun by the same writer. "fenced": it has another. "gone": its session was dropped, or it has ended. */
  open(at: StreamName, opening: StreamOpening): MaybePromise<"opened" | "fenced" | "gone">;
  /**
   * Keeps events under the next numbers. Numbers that are there already are left as they are. "fenced": the stream has another writer.
   * "gone": it has ended, has expired, or its session was dropped. In both cases nothing is kept.
   * @throws RangeError if `first` leaves a gap
   */
  append(at: StreamName, append: StreamAppend): MaybePromise<"kept" | "fenced" | "gone">;
  /** Keeps events of any node under the next numbers, and begins the stream if necessary. @returns the number of the last one */
  add(at: StreamName, addition: StreamAddition): MaybePromise<number | "gone">;
  /** Up to `limit` events after a number. "evicted": the stream is known, and some of these events are not kept any more. */
  read(at: StreamName, after: number, limit: number): MaybePromise<EventPage | "unknown" | "evicted">;
  /** Makes `to` the writer in place of `from`. False if the stream has another writer, has ended or is not there. */
  adopt(at: StreamName, from: string, to: string): MaybePromise<boolean>;
  /** Deletes all streams of a session, and refuses its writes for `ms` milliseconds. */
  drop(session: string, ms: number): MaybePromise<void>;
}
