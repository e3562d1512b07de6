/** Keys and values in NATS: each is the last message of a subject. */
import { DamagedEntryError, parseStored } from "../../storage/damaged-entry.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { KeyedEngine } from "../keyed-engine.ts";
import type { NatsTable } from "./table.ts";

/** Members that a set has in one entry; a set that may have more is kept in parts. */
const SMALL_SET = 512;
/**
 * The numbers of parts that a set may have, and the members of a part that lead to the next number: a join writes one part, so parts must
 * stay small. Processes that share a set must have the same numbers here, because they look for members in the same parts.
 */
const [PART_COUNTS, PART_SIZE] = [[64, 256, 1_024, 4_096, 16_384], 256] as const;
/** The parts that take a member: the first, or the next ones if it is full. So a set is nearly full before it refuses a member. */
const PLACES = 4;
/** Milliseconds for which a set outlives the last of its members. */
const GRACE = 1_000;

/** When each member of a set leaves, in milliseconds of the server's clock. */
type Members = Record<string, number>;

export class NatsKeyedEngine implements KeyedEngine {
  readonly #table: NatsTable;
  readonly #now: () => Promise<number>;

  /** `now`: the server's time. */
  constructor(table: NatsTable, now: () => Promise<number>) {
    this.#table = table;
    this.#now = now;
  }

  async put(key: string, value: string, ms: number | undefined): Promise<void> {
    await this.#table.change(nameOf(key), () => ({ text: value, more: {}, ms }));
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#table.read(nameOf(key)))?.text;
  }

  async remove(key: string): Promise<void> {
    await this.#table.remove(nameOf(key));
  }

  async claim(key: string, by: string, ms: number): Promise<boolean> {
    const entry = { text: by, more: {}, ms };
    if (await this.#table.create(nameOf(key), entry)) return true;
    let isOwn = false;
    return (
      (await this.#table.change(nameOf(key), (held) => {
        isOwn = held?.text === by;
        return held === undefined ? entry : "keep";
      })) || isOwn
    );
  }

  async renew(key: string, by: string, ms: number): Promise<boolean> {
    return this.#table.change(nameOf(key), (held) => (held?.text === by ? { ...held, ms } : "keep"));
  }

  async release(key: string, by: string): Promise<void> {
    await this.#table.change(nameOf(key), (held) => (held?.text === by ? "remove" : "keep"));
  }

  async swap(key: string, version: string, next: { readonly value: string; readonly ms: number } | undefined): Promise<boolean> {
    const entry = next && { text: next.value, more: {}, ms: next.ms };
    return this.#table.change(nameOf(key), (held) => (hasVersion(held?.text, version) ? (entry ?? "remove") : "keep"));
  }

  async renewVersion(key: string, version: string, ms: number): Promise<boolean> {
    return this.#table.change(nameOf(key), (held) => (held && hasVersion(held.text, version) ? { ...held, ms } : "keep"));
  }

  async join(set: string, member: string, ms: number, max: number): Promise<boolean> {
    const now = await this.#now();
    for (const { name, most } of placesOf(set, member, max)) {
      const joined = await this.#table.change(name, (held) => {
        const members = living(held?.text, now);
        if (!(member in members) && Object.keys(members).length >= most) return "keep";
        members[member] = now + ms;
        return { text: JSON.stringify(members), more: {}, ms: Math.max(...Object.values(members)) - now + GRACE };
      });
      if (joined) return true;
    }
    return false;
  }

  /** A member may be in a second place, if the first was full when it joined and not when it was renewed. It leaves that at its time. */
  async leave(set: string, member: string): Promise<void> {
    const now = await this.#now();
    for (const name of allPlacesOf(set, member)) {
      const left = await this.#table.change(name, (held) => {
        const { [member]: until, ...others } = living(held?.text, now);
        return held === undefined || until === undefined ? "keep" : { ...held, text: JSON.stringify(others) };
      });
      if (left) return;
    }
  }

  async next(counter: string, least: number): Promise<number> {
    let number = least;
    await this.#table.change(nameOf(counter), (held) => {
      const last = Number(held?.text ?? -1);
      number = Math.max(Number.isSafeInteger(last) ? last + 1 : 0, least); // a damaged counter is a lost one
      return { text: String(number), more: {} };
    });
    return number;
  }

  now(): Promise<number> {
    return this.#now();
  }
}

/** A key is a letter, a colon and base64url. In a subject the letter is a part of its own. */
const nameOf = (key: string): string => key.replace(":", ".");

/** A value that begins with its version; no version: there is nothing. */
const hasVersion = (text: string | undefined, version: string): boolean =>
  version === "" ? text === undefined : !!text?.startsWith(version);

const SET = "A set of the keyed store";

/** An entry that may have a member, and the most members that it may have. */
interface Place {
  readonly name: string;
  readonly most: number;
}

/** Where a member of a set may be. All parts together have room for `max` members. */
function placesOf(set: string, member: string, max: number): readonly Place[] {
  if (max <= SMALL_SET) return [{ name: nameOf(set), most: max }];
  const count = PART_COUNTS.find((parts) => max <= parts * PART_SIZE) ?? PART_COUNTS.at(-1)!;
  return partsOf(member, count).map((part) => ({
    name: partName(set, count, part),
    most: Math.floor(max / count) + (part < max % count ? 1 : 0),
  }));
}

/** Where a member may be, whatever the most members of the set are. */
function allPlacesOf(set: string, member: string): readonly string[] {
  const parts = PART_COUNTS.flatMap((count) => partsOf(member, count).map((part) => partName(set, count, part)));
  return [nameOf(set), ...parts];
}

/** The numbers of the parts that take a member. Members are hashes. */
function partsOf(member: string, count: number): readonly number[] {
  return Array.from({ length: PLACES }, (_, place) => {
    let sum = 0;
    for (const char of member) sum = (sum * (31 + 2 * place) + char.charCodeAt(0)) % 65_521;
    return sum % count;
  });
}

const partName = (set: string, count: number, part: number): string =>
  count === PART_COUNTS[0] ? `${nameOf(set)}.${part}` : `${nameOf(set)}.${count}.${part}`;

function living(text: string | undefined, now: number): Members {
  const members = parseStored(SET, text ?? "{}");
  if (!isJsonObject(members)) throw new DamagedEntryError(SET, "is not an object");
  return Object.fromEntries(Object.entries(members as Members).filter(([, until]) => until > now)); // what is no number is not greater
}
