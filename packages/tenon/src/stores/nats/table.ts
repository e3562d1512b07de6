/**
 * A key-value table on a JetStream stream: the last message of a subject is the value of its key. A text that is too long for one message
 * lies in parts beside it.
 *
 * Debian's NATS (2.9) has no life of single messages. So an entry says how long it lives, and one whose time is over counts as removed.
 */
import { randomId } from "../../base/bytes.ts";
import { DamagedEntryError } from "../../storage/damaged-entry.ts";
import { StoreUnavailableError } from "../store-error.ts";
import type { Facts, Message, NatsStream } from "./stream.ts";

export interface TableEntry<More extends object = object> {
  readonly text: string;
  /** What its writer added to it. */
  readonly more: More;
  /** Milliseconds it lives from its last write. */
  readonly ms?: number | undefined;
}

interface EntryFacts extends Facts {
  readonly more?: object;
  /** The name of its parts, and their number, if it is too long for one message. */
  readonly parts?: readonly [string, number];
}

/** Characters of a message. Each has at most three bytes, and the server takes one MiB. */
const CHUNK = 300 * 1024;
/** How often a change is tried when others change the same key. */
const MAX_TRIES = 100;
/** The longest pause between two tries, in milliseconds. */
const LONGEST_PAUSE = 20;
/** Parts of the longest entry. */
const MAX_PARTS = 1_000;
const NOTHING = { seq: 0 } as const;

export class NatsTable {
  readonly #stream: NatsStream;
  /** The last change of each key that is under way in this process. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(stream: NatsStream) {
    this.#stream = stream;
  }

  async read<More extends object>(key: string): Promise<TableEntry<More> | undefined> {
    return (await this.#read(key)).entry as TableEntry<More> | undefined; // the caller knows what is written to its key
  }

  /**
   * Replaces what a key holds by what `decide` returns for it, as one step: `decide` is asked again if it was changed meanwhile.
   * "keep" changes nothing, "remove" removes it.
   * @returns whether it was changed
   */
  change<More extends object>(
    key: string,
    decide: (entry: TableEntry<More> | undefined) => TableEntry<More> | "keep" | "remove",
  ): Promise<boolean> {
    return this.#inTurn(key, async () => {
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const { seq, entry, parts } = await this.#read(key);
        const next = decide(entry as TableEntry<More> | undefined); // the caller knows what is written to its key
        if (next === "keep") return false;
        const changed = next === "remove" ? await this.#remove(seq) : await this.#write(key, seq, next);
        if (changed && parts !== undefined) await this.#dropParts(parts[0]);
        if (changed) return true;
        await pause(Math.random() * Math.min(tries, LONGEST_PAUSE));
      }
      throw new StoreUnavailableError("not-sent", new Error(`Others changed the key ${MAX_TRIES} times`));
    });
  }

  /** Stores an entry where there is nothing. False if there is something, or was until its time was over: `change` tells. */
  async create(key: string, entry: TableEntry): Promise<boolean> {
    return this.#write(key, NOTHING.seq, entry);
  }

  async remove(key: string): Promise<void> {
    await this.#stream.purge(key);
  }

  /** The keys that begin with `prefix`, without it. Some may hold nothing any more. */
  async keys(prefix: string): Promise<string[]> {
    return (await this.#stream.subjects(`${prefix}.>`)).map((subject) => subject.slice(prefix.length + 1));
  }

  // ---- messages ----

  async #read(key: string): Promise<{ seq: number; entry?: TableEntry; parts?: EntryFacts["parts"] }> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const message = await this.#stream.last(key);
      if (message === undefined) return NOTHING;
      const { seq } = message;
      const { parts, more = {}, ms } = entryFactsOf(message);
      if (await this.#stream.isOver(message)) return { seq, parts };
      const text = await this.#textOf(message);
      if (text !== undefined) return { seq, entry: { text, more, ms }, parts };
    }
    throw new StoreUnavailableError("unknown", new Error("Parts of an entry are missing"));
  }

  /** Undefined if the entry was replaced meanwhile. */
  async #textOf({ facts, text }: Message): Promise<string | undefined> {
    const { parts } = facts as EntryFacts; // `#write` wrote it
    if (parts === undefined) return text;
    const [name, count] = parts;
    const read = Array.from({ length: count }, (_, index) => this.#stream.last(`part.${name}.${index}`));
    const found = await Promise.all(read);
    return found.every((part) => part !== undefined) ? found.map((part) => part.text).join("") : undefined;
  }

  async #write(key: string, seq: number, { text, more, ms }: TableEntry): Promise<boolean> {
    const life = ms === undefined ? {} : { ms };
    const facts: EntryFacts = { ...life, ...(Object.keys(more).length > 0 && { more }) };
    if (text.length <= CHUNK) return (await this.#stream.publish(key, facts, text, seq)) !== undefined;
    const name = randomId();
    const chunks = chunksOf(text);
    let written: number | undefined;
    try {
      for (const [index, chunk] of chunks.entries()) await this.#stream.publish(`part.${name}.${index}`, life, chunk);
      written = await this.#stream.publish(key, { ...facts, parts: [name, chunks.length] } as EntryFacts, "", seq);
    } catch (error) {
      // A full engine must not be filled further by parts of what it refuses. If the outcome is not known, the entry may be there.
      if ((error as StoreUnavailableError).delivery === "not-sent") await this.#dropParts(name);
      throw error;
    }
    if (written === undefined) await this.#dropParts(name);
    return written !== undefined;
  }

  /** Removes the parts of an entry. If that fails, they expire. */
  async #dropParts(name: string): Promise<void> {
    await this.#stream.purge(`part.${name}.*`).catch(() => undefined);
  }

  async #remove(seq: number): Promise<boolean> {
    return seq === 0 || this.#stream.remove(seq);
  }

  /** Changes of one key in this process wait for each other: only one of them would succeed. */
  #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#changes.get(key) ?? Promise.resolve()).then(work, work);
    const forget = (): void => {
      if (this.#changes.get(key) === done) this.#changes.delete(key);
    };
    this.#changes.set(key, done);
    done.then(forget, forget);
    return done;
  }
}

/** @throws DamagedEntryError if its parts are not named as `#write` does */
function entryFactsOf({ facts, seq }: Message): EntryFacts {
  const { parts, more } = facts as EntryFacts; // checked here
  const areNamed =
    parts === undefined ||
    (Array.isArray(parts) && typeof parts[0] === "string" && Number.isSafeInteger(parts[1]) && parts[1] <= MAX_PARTS);
  if (!areNamed || (more !== undefined && typeof more !== "object"))
    throw new DamagedEntryError(`An entry of NATS (number ${seq})`, "has wrong facts");
  return facts;
}

/** A character of two units stays whole. */
export function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length;) {
    const last = text.charCodeAt(at + CHUNK - 1);
    const end = at + CHUNK - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    chunks.push(text.slice(at, end));
    at = end;
  }
  return chunks;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
