/** The sessions that nodes share, in their keyed store: what a node must know to serve one, and how many a client has. */
import { hashed } from "../../../base/hash.ts";
import { StoreClock } from "../../../base/store-clock.ts";
import { DamagedEntryError, parseStored } from "../../../storage/damaged-entry.ts";
import type { KeyedStore, Version } from "../../../storage/keyed-store.ts";
import type { ConnectionFacts } from "../../../dispatch/connection-facts.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import { isJsonObject } from "../../../jsonrpc/message.ts";
import type { HttpSettings, SessionSettings } from "../settings.ts";

/** Milliseconds within which a client must come back after the handshake. */
const UNCONFIRMED_MS = 60_000;
/** A session id as `randomId()` makes it. Other texts never reach the store. */
const SESSION_ID = /^[\w-]{22}$/;

/**
 * The format of the records that this version writes. A node reads the formats up to the one after its own, so that nodes can be
 * upgraded one after the other: a format only adds members, and a node keeps those that it does not know.
 */
export const RECORD_FORMAT = 1;
/** The part of `sessions.idle` by which an unused session may live longer, so that sessions opened together do not end together. */
const JITTER = 0.1;
/** The part of `sessions.idle` for which the streams of a new session are not renewed: most sessions are short. */
const UNRENEWED = 0.5;
/** The most milliseconds between two renewals of the life of a session by one node. */
export const TOUCH_MS = 60_000;

/** What nodes share of one session. Members that a node does not know stay as they are. */
export interface SessionRecord {
  /** The format that it was first written in. Absent: 1. */
  readonly format?: number;
  /** The principal that opened it. */
  readonly principal?: string;
  /** Whose it is. Absent: the principal's. */
  readonly owner?: string;
  /** The sets that count it. */
  readonly sets: readonly string[];
  /** Milliseconds since 1970, by the clock of the store. */
  readonly createdAt: number;
  /** The name of the stream for messages that belong to no request. */
  readonly stream: string;
  /** The last change of lists and resources before it was opened. */
  readonly change: number;
  readonly facts: ConnectionFacts;
}

export interface KeptRecord {
  readonly record: SessionRecord;
  readonly version: Version;
}

export class SessionRecords {
  readonly #keyed: KeyedStore;
  readonly #settings: SessionSettings;
  /** Decides how old a session is: clocks of nodes differ. */
  readonly #time: StoreClock;

  constructor(keyed: KeyedStore, { sessions, clock }: HttpSettings) {
    this.#keyed = keyed;
    this.#settings = sessions;
    this.#time = new StoreClock(clock, keyed);
  }

  /** The time for `createdAt` of a new session. */
  async now(): Promise<number> {
    await this.#time.refresh();
    return this.#time.now();
  }

  /** Counts one more session. Returns the sets that count it, or the limit that is reached. */
  async admit(id: string, share: string | undefined): Promise<readonly string[] | "sessions.max" | "sessions.maxPerPrincipal"> {
    const { max, maxPerPrincipal } = this.#settings;
    const own = share === undefined ? undefined : `sessions of ${await hashed(share)}`;
    if (own !== undefined && !(await this.#keyed.join(own, id, { ms: UNCONFIRMED_MS, max: maxPerPrincipal })))
      return "sessions.maxPerPrincipal";
    if (await this.#keyed.join("sessions", id, { ms: UNCONFIRMED_MS, max })) return own === undefined ? ["sessions"] : ["sessions", own];
    if (own !== undefined) await this.#keyed.leave(own, id);
    return "sessions.max";
  }

  async create(id: string, record: SessionRecord): Promise<KeptRecord> {
    const value = JSON.stringify({ format: RECORD_FORMAT, ...record });
    const version = await this.#keyed.swap(keyOf(id), undefined, { value, ms: UNCONFIRMED_MS });
    if (version === undefined) throw sessionEndedError(); // the id was random
    return { record, version };
  }

  /** @throws McpError -32603 if a version of this library has written it that is two formats ahead; DamagedEntryError */
  async read(id: string): Promise<KeptRecord | undefined> {
    if (!SESSION_ID.test(id)) return undefined;
    const entry = await this.#keyed.read(keyOf(id));
    if (entry === undefined) return undefined;
    await this.#time.refresh();
    return { record: recordOf(entry.value), version: entry.version };
  }

  /** Changes what is kept, also if other nodes change it at the same time. @throws McpError -32600 if the session has ended */
  async change(id: string, known: KeptRecord, change: (record: SessionRecord) => SessionRecord): Promise<KeptRecord> {
    for (let entry: KeptRecord | undefined = known; entry !== undefined; entry = await this.read(id)) {
      const record = change(entry.record);
      const ms = this.#spreadLifeOf(record);
      const version = ms > 0 && (await this.#keyed.swap(keyOf(id), entry.version, { value: JSON.stringify(record), ms }));
      if (version) return { record, version };
    }
    throw sessionEndedError();
  }

  /** Lets a session live on. False if it has another version, or has ended. */
  async touch(id: string, { record, version }: KeptRecord): Promise<boolean> {
    await this.#time.refresh();
    const ms = this.#spreadLifeOf(record);
    if (ms <= 0) return false;
    const { max, maxPerPrincipal } = this.#settings;
    for (const set of record.sets) await this.#keyed.join(set, id, { ms, max: set === "sessions" ? max : maxPerPrincipal });
    return this.#keyed.renew(keyOf(id), version, ms);
  }

  /** Counts a session no more, after a {@link touch} that came too late. */
  async leave(id: string, { sets }: SessionRecord): Promise<void> {
    for (const set of sets) await this.#keyed.leave(set, id);
  }

  /** Milliseconds for which the streams of a session are kept that is used now: until it ends, and for longer if they are not renewed each time. */
  streamLifeOf(record: SessionRecord): number {
    return this.#lifeOf(record, 1 + JITTER + UNRENEWED);
  }

  /** Whether a session is so young that its streams are kept until it ends without being renewed. */
  isYoung({ createdAt }: SessionRecord): boolean {
    return this.#time.now() - createdAt < UNRENEWED * Math.min(this.#settings.idle, MAX_LIFE);
  }

  /** Half of the tenth is for uses that do not renew the life of a session, because the last renewal was shortly before. */
  #spreadLifeOf(record: SessionRecord): number {
    return this.#lifeOf(record, 1 + JITTER * (0.5 + 0.5 * Math.random()));
  }

  /** Milliseconds until a session ends: `idle` times `factor`, and not after its age. */
  #lifeOf({ createdAt }: SessionRecord, factor: number): number {
    const { idle, age } = this.#settings;
    return Math.min(idle * factor, age - (this.#time.now() - createdAt), MAX_LIFE);
  }

  /** Milliseconds within which a session that is used again is not renewed again. */
  get renewalInterval(): number {
    return Math.min(TOUCH_MS, (this.#settings.idle * JITTER) / 2);
  }

  async end(id: string, sets: readonly string[]): Promise<void> {
    for (let entry = await this.read(id); entry !== undefined; entry = await this.read(id)) {
      if ((await this.#keyed.swap(keyOf(id), entry.version, undefined)) !== undefined) break;
    }
    for (const set of sets) await this.#keyed.leave(set, id);
  }
}

/** A session without limits of time stays for 30 days after its last request. */
const MAX_LIFE = 30 * 24 * 60 * 60_000;

function keyOf(id: string): string {
  return `session ${id}`;
}

/** Members of a record, as far as this version needs them. Each says whether a value can be used. */
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  principal: (value) => value === undefined || typeof value === "string",
  owner: (value) => value === undefined || typeof value === "string",
  sets: (value) => Array.isArray(value) && value.every((set) => typeof set === "string"),
  createdAt: (value) => Number.isFinite(value),
  stream: (value) => typeof value === "string" && SESSION_ID.test(value),
  change: (value) => Number.isSafeInteger(value),
  facts: (value) => isJsonObject(value) && isJsonObject(value["clientParams"]) && typeof value["version"] === "string",
};

/** @throws McpError -32603 if it is two formats ahead; DamagedEntryError if no version of this library can have written it */
function recordOf(text: string): SessionRecord {
  const what = "The record of a session";
  const record = parseStored(what, text);
  if (!isJsonObject(record)) throw new DamagedEntryError(what, "is not an object");
  const { format = 1 } = record;
  if (typeof format !== "number") throw new DamagedEntryError(what, 'has no number as "format"');
  if (format > RECORD_FORMAT + 1) throw newerFormatError(format);
  const wrong = Object.keys(MEMBERS).find((name) => !MEMBERS[name]!(record[name]));
  if (wrong !== undefined) throw new DamagedEntryError(what, `has a wrong member "${wrong}"`);
  return record as object as SessionRecord; // checked above
}

/** The answer is 503 and not 404: another node can serve the session. */
function newerFormatError(format: number): McpError {
  const message = `The session has format ${format}, and this node knows ${RECORD_FORMAT} and ${RECORD_FORMAT + 1}: upgrade the nodes one version after the other`;
  return new McpError(ErrorCode.InternalError, message, { reason: "newerFormat", delivery: "not-sent" });
}

function sessionEndedError(): McpError {
  return new McpError(ErrorCode.InvalidRequest, "The session has ended");
}
