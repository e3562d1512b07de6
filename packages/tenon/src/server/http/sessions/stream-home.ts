/**
 * Where the streams of one session are kept. A process without `stores` is the only node of its sessions: the log is in its memory, each
 * write is done at once, and no other process writes a stream. `../nodes/node-streams.ts` has what several nodes need beside it.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { EventLog, EventPage, StreamName } from "../../../storage/event-log.ts";
import type { MemoryEventLog } from "../../../storage/memory/event-log.ts";
import type { Serving } from "../serving.ts";
import type { Resumption, StreamedRequests } from "./streams.ts";

/** Milliseconds for which a stream of this process is kept, without an end: it ends with its session. */
const KEPT_MS = Number.MAX_SAFE_INTEGER;
/** Milliseconds for which the events of an ended stream are kept, and for which an ended session takes no events. */
const ENDED_MS = 5 * 60_000;

export interface StreamHome {
  readonly serving: Serving;
  /** The id of the session. */
  readonly session: string;
  readonly events: EventLog;
  /** Milliseconds for which a stream is kept after a write. */
  readonly life: number;
  /** Milliseconds for which a stream is kept after its end. */
  readonly lifeOfEnded: number;
  /** Whether the events of one turn are one write. False if a write costs nothing. */
  readonly gathersTurns: boolean;
  /** Present if other nodes write streams of the session too. */
  readonly others?: OtherWriters;
  /** Keeps one event that does not end its stream, at once. Absent if that takes time. */
  keepNow?(at: StreamName, writer: string, data: string): "kept" | "fenced" | "gone";
  /** A name under which this process writes one stream. */
  nextWriter(): string;
  /** Writes or reads; repeats that while the engine of the log is away. @throws what is no failure of the engine */
  retry<T>(work: () => MaybePromise<T>): MaybePromise<T>;
  /** Reports an error, unless this process has left the nodes, and nothing that it does counts any more. */
  report(error: unknown): void;
  /** The session has ended at this process. */
  ended(): void;
}

/** What becomes of streams that another node writes, or has written. */
export interface OtherWriters {
  /** What the log keeps of the requests of a stream, for a node that takes it over. */
  noteOf(requests: StreamedRequests): string;
  /** Lets the writer end its own response: the client resumes the stream here. */
  announce(stream: string, writer: string): Promise<void>;
  /** Takes a stream over if its node has ended. Returns whether it has a new writer. */
  takeOver(stream: string, page: EventPage, resumption: Resumption): Promise<boolean>;
}

/** The home of the streams of a session that no other process knows. */
export class OwnHome implements StreamHome {
  readonly serving: Serving;
  readonly session: string;
  readonly events: MemoryEventLog;
  readonly life: number = KEPT_MS;
  readonly lifeOfEnded: number = ENDED_MS;
  readonly gathersTurns = false;

  constructor(serving: Serving, session: string, events: MemoryEventLog) {
    this.serving = serving;
    this.session = session;
    this.events = events;
  }

  nextWriter(): string {
    return "own";
  }

  keepNow(at: StreamName, writer: string, data: string): "kept" | "fenced" | "gone" {
    return this.events.appendNext(at, writer, data);
  }

  retry<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    return work();
  }

  report(error: unknown): void {
    this.serving.report(error);
  }

  ended(): void {
    this.events.drop(this.session, ENDED_MS);
  }
}
