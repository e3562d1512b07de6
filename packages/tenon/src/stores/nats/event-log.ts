/** Events in NATS: see `EventLog`. A stream is a chain of records; the mark of a session that was dropped is a message beside them. */
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import type { EventLog, EventPage, StoredEvent, StreamAddition, StreamAppend, StreamName, StreamOpening } from "../../storage/event-log.ts";
import { assertAddition, assertAppend, assertDropping, assertOpening, assertStream, assertWriter } from "../../storage/limits.ts";
import { StoreUnavailableError } from "../store-error.ts";
import { StreamChain, type ChainRecord, type ChainState, type NextRecord } from "./stream-chain.ts";
import type { NatsStream } from "./stream.ts";

/** How often a write is tried when others write to the same stream. */
const MAX_TRIES = 100;
/** Streams whose last state this process remembers, and characters of a state that it remembers. */
const [MAX_STATES, MAX_STATE] = [1_000, 16 * 1024];

/** What a write comes to: another record, or a result at once. */
type Decision<Result> = { readonly next: NextRecord; readonly result: Result } | { readonly result: Result; readonly next?: undefined };

export class NatsEventLog implements EventLog {
  readonly #stream: NatsStream;
  /** What the last writes of this process left, so that the next one need not read. The oldest are forgotten. */
  readonly #states = new BoundedMap<string, { readonly state: ChainState; readonly until: number }>(MAX_STATES);
  /** The last write of each stream that is under way in this process. */
  readonly #writes = new Map<string, Promise<unknown>>();

  constructor(stream: NatsStream) {
    this.#stream = stream;
  }

  async open(at: StreamName, opening: StreamOpening): Promise<"opened" | "fenced" | "gone"> {
    assertOpening(at, opening);
    const { writer = "", note = "", ms } = opening;
    return this.#unlessDropped(at, () =>
      this.#change<"opened" | "fenced" | "gone">(at, (record) => {
        if (record !== undefined && record.writer !== writer) return { result: "fenced" };
        if (record?.ended === true) return { result: "gone" };
        return { result: "opened", next: { writer, note: record?.note ?? note, data: [], ended: false, ms } };
      }),
    );
  }

  async append(at: StreamName, append: StreamAppend): Promise<"kept" | "fenced" | "gone"> {
    assertAppend(at, append);
    const { writer, first, data, ends = false, ms } = append;
    return this.#change<"kept" | "fenced" | "gone">(at, (record) => {
      if (record === undefined) return { result: "gone" };
      if (record.writer !== writer) return { result: "fenced" };
      const repeated = record.last + 1 - first;
      if (record.ended) return { result: repeated >= data.length ? "kept" : "gone" };
      if (repeated < 0) throw new RangeError(`Event ${first} leaves a gap after event ${record.last}`);
      return { result: "kept", next: { writer, note: record.note, data: data.slice(repeated), ended: ends, ms } };
    });
  }

  async add(at: StreamName, addition: StreamAddition): Promise<number | "gone"> {
    assertAddition(at, addition);
    const { key, data, ms } = addition;
    return this.#unlessDropped(at, () =>
      this.#change<number | "gone">(at, (record) => {
        if (record !== undefined && (record.writer !== "" || record.ended)) return { result: "gone" };
        const repeated = record?.additions.find(([known]) => known === key);
        if (repeated !== undefined) return { result: repeated[1] };
        const next = { writer: "", note: record?.note ?? "", data, ended: false, ms, addition: key };
        return { result: (record?.last ?? 0) + data.length, next };
      }),
    );
  }

  async adopt(at: StreamName, from: string, to: string): Promise<boolean> {
    assertStream(at);
    assertWriter(to);
    return this.#change(at, (record) => {
      if (record === undefined || record.writer !== from || record.ended) return { result: false };
      const { note, ms } = record;
      return { result: true, next: { writer: to, note, data: [], ended: false, ms } };
    });
  }

  async drop(session: string, ms: number): Promise<void> {
    assertDropping(session, ms);
    await this.#stream.publish(`dropped.${session}`, { ms }, "");
    await this.#stream.purge(`stream.${session}.*`);
  }

  // ---- reading ----

  async read(at: StreamName, after: number, limit: number): Promise<EventPage | "unknown" | "evicted"> {
    assertStream(at);
    const chain = this.#chain(at);
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { record } = await chain.state();
      if (record === undefined) this.#states.delete(chain.subject); // what a reader was told counts for the next writer too
      if (record === undefined || after > record.last) return "unknown";
      if (after < record.first - 1) return "evicted";
      const events = await eventsOf(chain, record, after, Math.min(record.last, after + limit));
      if (events === undefined) continue; // they were removed meanwhile
      const { last, ended, writer, note } = record;
      return { events, last, ended, ...(writer !== "" && { writer }), ...(note !== "" && { note }) };
    }
    throw new StoreUnavailableError("unknown", new Error("Events of a stream are missing"));
  }

  // ---- writing ----

  /** Writes what `decide` says of the last record, as one step: it is asked again if another write came first. */
  #change<Result>(at: StreamName, decide: (record: ChainRecord | undefined) => Decision<Result>): Promise<Result> {
    const chain = this.#chain(at);
    return this.#inTurn(chain.subject, async () => {
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const known = this.#states.get(chain.subject);
        this.#states.delete(chain.subject);
        const isUseful = known !== undefined && known.until > (await this.#stream.now()) && wouldWrite(known.state, decide);
        const written = isUseful ? await this.#try(chain, known.state, decide) : undefined;
        if (written !== undefined) return written.result;
        const done = await this.#try(chain, await chain.state(), decide);
        if (done !== undefined) return done.result;
      }
      throw new StoreUnavailableError("not-sent", new Error(`Others wrote to the stream ${MAX_TRIES} times`));
    });
  }

  /** Undefined if another write came first. */
  async #try<Result>(
    chain: StreamChain,
    state: ChainState,
    decide: (record: ChainRecord | undefined) => Decision<Result>,
  ): Promise<{ result: Result } | undefined> {
    const { next, result } = decide(state.record);
    if (next === undefined) return { result };
    const until = (await this.#stream.now()) + next.ms;
    const after = await chain.write(state, next);
    if (after === undefined) return undefined;
    this.#remember(chain.subject, after, until);
    return { result };
  }

  #remember(subject: string, { tip, record }: ChainState, until: number): void {
    if (record === undefined || record.note.length > MAX_STATE) return;
    this.#states.set(subject, { state: { tip, record: { ...record, data: [] } }, until });
  }

  /** What `work` has written is removed again if its session was dropped, before or meanwhile. */
  async #unlessDropped<Result>({ session, stream }: StreamName, work: () => Promise<Result>): Promise<Result | "gone"> {
    const isDropped = async (): Promise<boolean> => {
      const mark = await this.#stream.last(`dropped.${session}`);
      return mark !== undefined && !(await this.#stream.isOver(mark));
    };
    if (await isDropped()) return "gone";
    const result = await work();
    if (!(await isDropped())) return result;
    await this.#stream.purge(`stream.${session}.${stream}`);
    return "gone";
  }

  #chain({ session, stream }: StreamName): StreamChain {
    return new StreamChain(this.#stream, `stream.${session}.${stream}`);
  }

  /** Writes to one stream in this process wait for each other: only one of them would succeed. */
  #inTurn<T>(subject: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#writes.get(subject) ?? Promise.resolve()).then(work, work);
    const forget = (): void => {
      if (this.#writes.get(subject) === done) this.#writes.delete(subject);
    };
    this.#writes.set(subject, done);
    done.then(forget, forget);
    return done;
  }
}

/** Whether a decision on a remembered state is to write, which the engine confirms. Others need the current state. */
function wouldWrite<Result>({ record }: ChainState, decide: (record: ChainRecord | undefined) => Decision<Result>): boolean {
  try {
    return record !== undefined && decide(record).next !== undefined;
  } catch {
    return false;
  }
}

/** The events after one number up to another; undefined if a record of them was removed. */
async function eventsOf(chain: StreamChain, state: ChainRecord, after: number, upTo: number): Promise<StoredEvent[] | undefined> {
  if (upTo <= after) return [];
  const anchor = state.anchors.find(([from]) => from > upTo);
  let record = anchor === undefined ? state : await chain.recordAt(anchor[2]);
  const events: StoredEvent[] = [];
  for (;;) {
    if (record === undefined) return undefined;
    const { from, data, previous } = record;
    const own = data.map((text, index) => ({ number: from + index, data: text }));
    events.unshift(...own.filter(({ number }) => number > after && number <= upTo));
    if (from <= after + 1) return events;
    record = await chain.recordAt(previous);
  }
}
