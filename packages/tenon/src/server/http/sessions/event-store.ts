/** The interface of event stores, which keep the events of streams so that a client can resume after a lost connection. */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { StoredEvent } from "../../../storage/event-log.ts";

/** The events to replay; `"unknown"` if the stream is unknown; `"evicted"` if the stream is known but these events are gone. */
export type Replay = readonly StoredEvent[] | "unknown" | "evicted";

/**
 * Keeps events by session and stream. Each event is kept before it is sent. If the store fails, the stream ends; it never skips an event.
 * The names of sessions and streams are random, so streams of two sessions are never confused. One process writes them; nodes that share
 * streams use an `EventLog`.
 */
export interface EventStore {
  /** Keeps an event. Numbers of one stream come in order and without gaps. */
  append(session: string, stream: string, event: StoredEvent): MaybePromise<void>;
  /** The events after `number`, in order; those of this stream only. */
  after(session: string, stream: string, number: number): MaybePromise<Replay>;
  /** The stream has ended. Its events may expire. */
  end(session: string, stream: string): MaybePromise<void>;
  /** The session has ended: drops all its events. */
  drop(session: string): MaybePromise<void>;
}
