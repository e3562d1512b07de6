/** Where the events of resumable streams are kept, so that a client that lost its connection can come back for the rest. */
import type { MaybePromise } from "../../../base/maybe-promise.ts";

/** One event as it was sent (E3): its `number` on its stream, from 1, and the JSON text as `data`. */
export interface StoredEvent {
  readonly number: number;
  readonly data: string;
}

/** What a look into the store finds. `evicted`: the stream is known, but what is asked for is gone. */
export type Replay = readonly StoredEvent[] | "unknown" | "evicted";

/**
 * Events by session and stream. Every event is kept before it is sent; a store that fails makes the stream end,
 * never leave out an event. Streams of one session are never mixed up with those of another: both names are random.
 */
export interface EventStore {
  /** Keeps an event. Numbers of one stream come in order and without gaps. */
  append(session: string, stream: string, event: StoredEvent): MaybePromise<void>;
  /** The events after `number`, in order; those of this stream only. */
  after(session: string, stream: string, number: number): MaybePromise<Replay>;
  /** Nothing more will come: the events may be forgotten after a while. */
  end(session: string, stream: string): MaybePromise<void>;
  /** The session is over. */
  drop(session: string): MaybePromise<void>;
}
