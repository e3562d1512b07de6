/** A session that several nodes serve, at this node: what the store knows of it, how fresh that is, and its changes. */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { ConnectionFacts, ConnectionMemory, FactsChange } from "../../../dispatch/connection-facts.ts";
import type { SessionRequests, SharedSession } from "../sessions/shared-session.ts";
import type { Streams, StreamsOwner } from "../sessions/streams.ts";
import type { Nodes } from "./nodes.ts";
import { TOUCH_MS, type KeptRecord, type SessionRecord } from "./session-records.ts";
import type { SessionStreams } from "../sessions/session-streams.ts";
import { createNodeStreams } from "./node-streams.ts";

/** Milliseconds for which a node believes what it has read. */
const FRESH_MS = 1_000;

/** A record whose handshake is not handled yet: it has no facts. */
export type NewRecord = Omit<SessionRecord, "facts">;

export class NodeSession implements SharedSession, ConnectionMemory {
  readonly id: string;
  readonly #nodes: Nodes;
  readonly #opening: NewRecord;
  #kept: KeptRecord | undefined;
  #readAt: number;
  #touchedAt = -Infinity;
  #streams: SessionStreams | undefined;
  #listener: ((facts: ConnectionFacts) => void) | undefined;

  /** @param kept absent if this node opens the session */
  constructor(nodes: Nodes, id: string, { opening, kept }: { opening: NewRecord; kept?: KeptRecord }) {
    this.#nodes = nodes;
    this.id = id;
    this.#opening = opening;
    this.#kept = kept;
    this.#readAt = nodes.serving.now();
  }

  get record(): NewRecord {
    return this.#kept?.record ?? this.#opening;
  }

  /** Milliseconds for which its streams are kept after a write. */
  get life(): number {
    return Math.max(this.#nodes.records.streamLifeOf(this.#opening as SessionRecord), TOUCH_MS);
  }

  // ---- freshness ----

  /** Whether the session exists; at once if it was read within the last second. @throws StoreUnavailableError */
  exists(): MaybePromise<boolean> {
    return this.#nodes.serving.now() - this.#readAt < FRESH_MS || this.#read();
  }

  async #read(): Promise<boolean> {
    const readAt = this.#nodes.serving.now();
    const known = this.#kept;
    const entry = await this.#nodes.records.read(this.id);
    if (entry === undefined) return false;
    if (this.#kept !== known) return this.#read(); // another node has changed it meanwhile
    this.#readAt = readAt;
    this.#take(entry);
    return true;
  }

  async readAgain(): Promise<"same" | "changed" | "ended"> {
    const known = this.#kept?.version;
    if (!(await this.#read())) return "ended";
    return this.#kept?.version === known ? "same" : "changed";
  }

  #take(kept: KeptRecord): void {
    if (kept.version === this.#kept?.version) return;
    this.#kept = kept;
    this.#listener?.(kept.record.facts);
  }

  /** Another node has changed the session. The next request reads it again, because two such messages may come in the wrong order. */
  changed(kept: KeptRecord): void {
    this.#readAt = -Infinity;
    this.#take(kept);
  }

  touch(): void {
    const now = this.#nodes.serving.now();
    const entry = this.#kept;
    if (entry === undefined || now - this.#touchedAt < this.#nodes.records.renewalInterval) return;
    this.#touchedAt = now;
    this.#touch(entry).catch((error: unknown) => {
      this.#touchedAt = -Infinity;
      this.#nodes.serving.report(error);
    });
  }

  async #touch(kept: KeptRecord): Promise<void> {
    const { records } = this.#nodes;
    const isTouched = (await records.touch(this.id, kept)) || ((await this.#read()) && (await records.touch(this.id, this.#kept!))); // just read
    if (isTouched) return records.isYoung(kept.record) ? undefined : this.#streams?.renew();
    if (!(await this.#read())) await records.leave(this.id, kept.record);
  }

  // ---- what the server learns of the client ----

  get memory(): ConnectionMemory {
    return this;
  }

  follow(listener: (facts: ConnectionFacts) => void): void {
    this.#listener = listener;
    if (this.#kept !== undefined) listener(this.#kept.record.facts);
  }

  async keep(change: FactsChange): Promise<void> {
    const { records, calls } = this.#nodes;
    const entry = this.#kept;
    if (entry === undefined) {
      this.#kept = await records.create(this.id, { ...this.#opening, facts: change(undefined) });
      this.#readAt = this.#nodes.serving.now();
      return;
    }
    this.#kept = await records.change(this.id, entry, (record) => ({ ...record, facts: change(record.facts) }));
    await calls.tellAll("changed", { session: this.id, ...this.#kept });
  }

  // ---- for the session ----

  nextId(): number {
    return this.#nodes.node.nextRequestId();
  }

  createStreams(owner: StreamsOwner, requests: SessionRequests): Streams {
    this.#streams = createNodeStreams(this.#nodes, this, owner, requests);
    return this.#streams;
  }
}
